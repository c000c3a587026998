#include "platform/coalescing_writer.hpp"

#include <atomic>
#include <future>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace holdfast::platform {
namespace {

using namespace std::chrono_literals;
using Fault = std::optional<FileFault>;

/// Work that starts, reports that, and then hangs until it is released.
struct Gate {
    std::promise<void> entered;
    std::promise<void> opened;

    CoalescingWriter::Work work() {
        return [this] {
            entered.set_value();
            opened.get_future().wait();
            return Fault{};
        };
    }
};

TEST(CoalescingWriterTest, DoesTheNewestWorkOnEachFile) {
    std::vector<std::string> done;
    Gate gate;
    {
        CoalescingWriter writer{{.finish_within = 60s}, [](const std::string&) {}};
        const auto put = [&](const std::string& file, const std::string& text) {
            writer.put(file, text.size(), [&done, text] {
                done.push_back(text);
                return Fault{};
            });
        };
        writer.put("gate", 1, gate.work());
        gate.entered.get_future().wait();
        put("b", "b1");
        put("a", "a1");
        put("b", "b2");
        put("b", "b3");
        gate.opened.set_value();
    }

    EXPECT_EQ(done, (std::vector<std::string>{"b3", "a1"}));
}

TEST(CoalescingWriterTest, LimitsTheWaitingWork) {
    std::vector<std::string> done;
    Gate gate;
    {
        CoalescingWriter writer{{.max_waiting_bytes = 10, .finish_within = 60s},
                                [](const std::string&) {}};
        const auto put = [&](const std::string& file, std::size_t size_bytes) {
            writer.put(file, size_bytes, [&done, file, size_bytes] {
                done.push_back(file + std::to_string(size_bytes));
                return Fault{};
            });
        };
        writer.put("gate", 10, gate.work());
        gate.entered.get_future().wait();
        put("a", 6);
        put("b", 5);
        put("a", 11);
        put("c", 4);
        put("c", 3);
        put("d", 2);
        gate.opened.set_value();
    }

    EXPECT_EQ(done, (std::vector<std::string>{"a6", "c3"}));
}

TEST(CoalescingWriterTest, ReportsTheFirstFaultOnly) {
    std::vector<std::string> reported;
    {
        CoalescingWriter writer{{.finish_within = 60s}, [&reported](const std::string& fault) {
                                    reported.push_back(fault);
                                }};
        for (const char* const file : {"a", "b", "c"}) {
            writer.put(file, 1, [file] { return Fault{FileFault{file}}; });
        }
    }

    EXPECT_EQ(reported, std::vector<std::string>{"a"});
}

/// Reports when its last owner has released it.
struct EndMark {
    std::promise<void> ended;

    EndMark() = default;
    EndMark(const EndMark&) = delete;
    EndMark& operator=(const EndMark&) = delete;
    ~EndMark() { ended.set_value(); }
};

TEST(CoalescingWriterTest, DoesNotWaitForADiskThatHangs) {
    Gate gate;
    std::atomic<bool> is_second_done{false};
    auto mark = std::make_shared<EndMark>();
    auto thread_ended = mark->ended.get_future();
    {
        CoalescingWriter writer{{.finish_within = 1ms},
                                [mark = std::move(mark)](const std::string&) {}};
        writer.put("a", 1, gate.work());
        gate.entered.get_future().wait();
        writer.put("b", 1, [&is_second_done] {
            is_second_done = true;
            return Fault{};
        });
    }

    gate.opened.set_value();
    thread_ended.wait();
    EXPECT_FALSE(is_second_done);
}

}  // namespace
}  // namespace holdfast::platform
