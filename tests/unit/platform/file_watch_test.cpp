#include "platform/file_watch.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "resilience/tests/support/manual_timekeeper.hpp"
#include "tests/support/temporary_folder.hpp"

namespace holdfast::platform {
namespace {

using namespace std::chrono_literals;

class FileWatchTest : public ::testing::Test {
protected:
    FileWatchTest() { test::write_file(file_, "one"); }
    void look() { timekeeper_.advance_to(timekeeper_.now() + 500ms); }

    const test::TemporaryFolder folder_;
    const std::string file_ = folder_ / "config.json";
    resilience::testing::ManualTimekeeper timekeeper_;
    int changes_ = 0;
};

TEST_F(FileWatchTest, TellsAChangeOnceWhenItHasSettled) {
    FileWatch watch{timekeeper_, file_, {}, stamp_of(file_), look_at_once, [this] { ++changes_; }};
    look();
    EXPECT_EQ(changes_, 0);

    test::write_file(file_, "three");
    look();
    EXPECT_EQ(changes_, 0) << "it may still be written";
    look();
    EXPECT_EQ(changes_, 1);
    look();
    look();
    EXPECT_EQ(changes_, 1);
}

TEST_F(FileWatchTest, WaitsForAFileThatIsStillWritten) {
    FileWatch watch{timekeeper_, file_, {}, stamp_of(file_), look_at_once, [this] { ++changes_; }};
    for (const char* content : {"", "thr", "three-fo", "three-fourths"}) {
        test::write_file(file_, content);
        look();
    }
    EXPECT_EQ(changes_, 0);

    look();

    EXPECT_EQ(changes_, 1);
}

TEST_F(FileWatchTest, SeesAFileThatReplacesTheOldOne) {
    FileWatch watch{timekeeper_, file_, {}, stamp_of(file_), look_at_once, [this] { ++changes_; }};
    const std::string other = folder_ / "other.json";
    ASSERT_EQ(std::remove(file_.c_str()), 0);
    look();
    look();
    EXPECT_EQ(changes_, 0) << "there is nothing to read";

    test::write_file(other, "two");
    ASSERT_EQ(std::rename(other.c_str(), file_.c_str()), 0);
    look();
    look();

    EXPECT_EQ(changes_, 1);
}

TEST_F(FileWatchTest, DoesNotTellWhatHasBeenReadAlready) {
    FileWatch watch{timekeeper_, file_, {}, stamp_of(file_), look_at_once, [this] { ++changes_; }};
    test::write_file(file_, "three");

    watch.on_read(stamp_of(file_));
    look();
    look();

    EXPECT_EQ(changes_, 0);
}

TEST_F(FileWatchTest, ADiskThatHangsGetsNoSecondLookUntilItHasAnswered) {
    std::vector<std::function<void(std::optional<FileStamp>)>> looks;
    FileWatch watch{timekeeper_,
                    file_,
                    {},
                    stamp_of(file_),
                    [&looks](const std::string&, auto on_seen) {
                        looks.push_back(on_seen);
                        return true;
                    },
                    [this] { ++changes_; }};
    look();
    look();
    look();
    ASSERT_EQ(looks.size(), 1U);

    test::write_file(file_, "three");
    looks[0](stamp_of(file_));
    look();
    ASSERT_EQ(looks.size(), 2U);
    looks[1](stamp_of(file_));
    EXPECT_EQ(changes_, 1);

    look();
    watch.stop();
    test::write_file(file_, "something else");
    looks[2](stamp_of(file_));
    EXPECT_EQ(changes_, 1) << "it is stopped";
}

TEST_F(FileWatchTest, LooksNoMoreWhenItIsStopped) {
    FileWatch watch{timekeeper_, file_, {}, stamp_of(file_), look_at_once, [this] { ++changes_; }};

    watch.stop();

    EXPECT_EQ(timekeeper_.next(), std::nullopt);
}

}  // namespace
}  // namespace holdfast::platform
