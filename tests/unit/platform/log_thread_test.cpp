#include "platform/log_thread.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <fstream>
#include <future>
#include <memory>
#include <ostream>
#include <sstream>
#include <string>
#include <thread>
#include <utility>

#include "platform/log_buffer.hpp"
#include "support/temporary_folder.hpp"

namespace holdfast::platform {
namespace {

using namespace std::chrono_literals;

/// A disk that hangs in its first write until it is let go, or that takes nothing.
struct Disk {
    std::promise<void> entered;
    std::promise<void> released;
    bool is_first = true;
    std::atomic<bool> is_full = false;
    std::atomic<int> refused = 0;
    std::atomic<int> writes = 0;  ///< Successful ones.
    std::string written;

    bool write(std::string_view text) {
        if (std::exchange(is_first, false)) {
            entered.set_value();
            released.get_future().wait();
        }
        if (is_full) {
            ++refused;
            return false;
        }
        written += text;
        ++writes;
        return true;
    }
};

class LogThreadTest : public ::testing::Test {
protected:
    std::unique_ptr<LogThread> make(const LogThreadOptions& options) {
        return std::make_unique<LogThread>(
            options, [disk = disk](std::string_view text) { return disk->write(text); });
    }

    const std::shared_ptr<Disk> disk = std::make_shared<Disk>();
};

TEST_F(LogThreadTest, ContinuesAfterAPieceThatNeverFits) {
    disk->is_first = false;
    auto log = make({.max_waiting_bytes = 10, .finish_within = 60s});
    log->put("far too long\n");
    while (disk->writes == 0) {
        std::this_thread::yield();
    }
    log->put("next\n");
    log.reset();

    EXPECT_EQ(disk->written,
              "holdfast: dropped 1 log line, which could not be written in time\nnext\n");
}

TEST_F(LogThreadTest, ADiskThatHangsBlocksNobodyAndDroppedLinesAreReported) {
    auto log = make({.max_waiting_bytes = 10, .finish_within = 60s});
    log->put("first\n");
    disk->entered.get_future().wait();
    log->put("12345678\n");
    log->put("too much\n");
    log->put("x\n");

    disk->released.set_value();
    log.reset();

    EXPECT_EQ(disk->written,
              "first\n12345678\n"
              "holdfast: dropped 2 log lines, which could not be written in time\n");
}

TEST_F(LogThreadTest, LinesThatADiskRefusedAreReportedWhenItAcceptsWritesAgain) {
    disk->is_full = true;
    auto log = make({.finish_within = 60s});
    log->put("lost\nlost too\n");
    disk->released.set_value();
    // The lines, and the line that reports them.
    while (disk->refused < 2) {
        std::this_thread::yield();
    }
    disk->is_full = false;

    log->put("there\n");
    log.reset();

    EXPECT_EQ(disk->written,
              "holdfast: dropped 2 log lines, which could not be written in time\nthere\n");
}

TEST_F(LogThreadTest, ADiskThatHangsAtTheEndIsNotWaitedFor) {
    auto log = make({.finish_within = 1ms});
    log->put("one\n");
    disk->entered.get_future().wait();

    log.reset();

    disk->released.set_value();
}

TEST(LogBufferFileTest, WritesToAFileInOrderAndIsDoneWhenItIsDestroyed) {
    const test::TemporaryFolder folder;
    const std::string path = folder.path() + "/log";
    std::FILE* const file = std::fopen(path.c_str(), "we");
    ASSERT_NE(file, nullptr);
    std::string expected;
    {
        LogBuffer buffer{::fileno(file)};
        std::ostream log{&buffer};
        for (int line = 0; line < 1'000; ++line) {
            log << std::to_string(line) + "\n";
            expected += std::to_string(line) + "\n";
        }
    }
    std::fclose(file);

    std::ostringstream found;
    found << std::ifstream{path}.rdbuf();
    EXPECT_EQ(found.str(), expected);
}

}  // namespace
}  // namespace holdfast::platform
