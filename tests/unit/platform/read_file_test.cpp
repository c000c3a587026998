#include "platform/read_file.hpp"

#include <string>

#include <gtest/gtest.h>

#include "tests/support/temporary_folder.hpp"

namespace holdfast::platform {
namespace {

constexpr std::size_t kMaxBytes = 100'000;

class ReadFileTest : public ::testing::Test {
protected:
    std::string written(const std::string& content) const {
        std::string path = folder_ / "file";
        test::write_file(path, content);
        return path;
    }

private:
    test::TemporaryFolder folder_;  // tests of this suite run at the same time
};

TEST_F(ReadFileTest, ReadsEveryByte) {
    std::string content(70'000, 'x');  // more than one step
    content[65'536] = '\0';

    EXPECT_EQ(read_file(written(content), kMaxBytes).value(), content);
    EXPECT_EQ(read_file(written(""), kMaxBytes).value(), "");
}

TEST_F(ReadFileTest, RejectsAFileAboveTheLimit) {
    EXPECT_EQ(read_file(written("12345"), 5).value(), "12345");
    EXPECT_NE(read_file(written("123456"), 5).error().message.find("larger than 5 bytes"),
              std::string::npos);
    EXPECT_FALSE(read_file("/dev/zero", kMaxBytes));
}

TEST_F(ReadFileTest, ReadsFilesWithoutASize) {
    EXPECT_FALSE(read_file("/proc/self/stat", kMaxBytes).value().empty());
}

TEST_F(ReadFileTest, ReportsWhyAFileCannotBeRead) {
    EXPECT_EQ(read_file("/proc/self/mem", kMaxBytes).error().message,
              "/proc/self/mem cannot be read: Input/output error");
    EXPECT_EQ(read_file("/no/such/file", kMaxBytes).error().message,
              "/no/such/file cannot be read: No such file or directory");
    EXPECT_EQ(read_file("/proc", kMaxBytes).error().message, "/proc is a folder, not a file");
}

}  // namespace
}  // namespace holdfast::platform
