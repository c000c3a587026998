#include "platform/disk_thread.hpp"

#include <gtest/gtest.h>

#include <future>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace holdfast::platform {
namespace {

using namespace std::chrono_literals;

/// A work that starts, says so, and then hangs until it is let go.
struct Gate {
    std::promise<void> entered;
    std::promise<void> opened;
};

DiskThread::Work gated(std::shared_ptr<Gate> gate, DiskThread::OnLoop on_loop) {
    return [gate = std::move(gate), on_loop = std::move(on_loop)] {
        gate->entered.set_value();
        gate->opened.get_future().wait();
        return on_loop;
    };
}

TEST(DiskThreadTest, BringsWhatWasReadToTheLoopInOrder) {
    std::promise<std::vector<std::string>> promise;
    std::vector<std::string> read;
    DiskThread disk{{}, [](const DiskThread::OnLoop& on_loop) { on_loop(); }};

    for (const std::string text : {"one", "two", "three"}) {
        EXPECT_TRUE(disk.run([&read, &promise, text] {
            return [&read, &promise, text] {
                read.push_back(text);
                if (text == "three") {
                    promise.set_value(read);
                }
            };
        }));
    }

    EXPECT_EQ(promise.get_future().get(), (std::vector<std::string>{"one", "two", "three"}));
}

TEST(DiskThreadTest, TakesNoMoreThanTheLimitBehindADiskThatHangs) {
    const auto gate = std::make_shared<Gate>();
    DiskThread disk{{.max_waiting = 1}, [](const DiskThread::OnLoop& on_loop) { on_loop(); }};
    EXPECT_TRUE(disk.run(gated(gate, [] {})));
    gate->entered.get_future().wait();

    EXPECT_TRUE(disk.run([] { return [] {}; }));
    EXPECT_FALSE(disk.run([] { return [] {}; }));

    gate->opened.set_value();
}

TEST(DiskThreadTest, BringsNothingToALoopThatMayBeGone) {
    const auto gate = std::make_shared<Gate>();
    const auto is_posted = std::make_shared<bool>(false);
    {
        DiskThread disk{{.finish_within = 1ms},
                        [is_posted](const DiskThread::OnLoop&) { *is_posted = true; }};
        EXPECT_TRUE(disk.run(gated(gate, [] {})));
        gate->entered.get_future().wait();
    }

    gate->opened.set_value();
    // The thread holds the post function until it has ended.
    while (is_posted.use_count() > 1) {
        std::this_thread::yield();
    }
    EXPECT_FALSE(*is_posted);
}

}  // namespace
}  // namespace holdfast::platform
