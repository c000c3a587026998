#include "platform/file_watch.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <optional>
#include <string>

#include "tests/support/temporary_folder.hpp"

namespace holdfast::platform {
namespace {

class FileWatchTest : public ::testing::Test {
protected:
    bool look() { return watch_.on_look(stamp_of(file_)); }
    /// Writes the file first, so that the watch knows it.
    std::optional<FileStamp> written() const {
        test::write_file(file_, "one");
        return stamp_of(file_);
    }

    const test::TemporaryFolder folder_;
    const std::string file_ = folder_ / "config.json";
    FileWatch watch_{written()};
};

TEST_F(FileWatchTest, ReportsAChangeOnceWhenItHasSettled) {
    EXPECT_FALSE(look());

    test::write_file(file_, "three");
    EXPECT_FALSE(look()) << "it may still be written";
    EXPECT_TRUE(look());
    EXPECT_FALSE(look());
    EXPECT_FALSE(look());
}

TEST_F(FileWatchTest, WaitsForAFileThatIsStillWritten) {
    for (const char* content : {"", "thr", "three-fo", "three-fourths"}) {
        test::write_file(file_, content);
        EXPECT_FALSE(look());
    }

    EXPECT_TRUE(look());
}

TEST_F(FileWatchTest, SeesAFileThatReplacesTheOldOne) {
    const std::string other = folder_ / "other.json";
    ASSERT_EQ(std::remove(file_.c_str()), 0);
    EXPECT_FALSE(look());
    EXPECT_FALSE(look()) << "there is nothing to read";

    test::write_file(other, "two");
    ASSERT_EQ(std::rename(other.c_str(), file_.c_str()), 0);
    EXPECT_FALSE(look());

    EXPECT_TRUE(look());
}

TEST_F(FileWatchTest, DoesNotReportWhatHasBeenReadAlready) {
    test::write_file(file_, "three");

    watch_.on_read(stamp_of(file_));

    EXPECT_FALSE(look());
    EXPECT_FALSE(look());
}

}  // namespace
}  // namespace holdfast::platform
