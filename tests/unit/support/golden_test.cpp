#include "support/golden.hpp"

#include <filesystem>
#include <optional>
#include <string>

#include <gtest/gtest.h>

#include "support/temporary_folder.hpp"

namespace holdfast::test {
namespace {

class GoldenFilesTest : public testing::Test {
protected:
    TemporaryFolder folder_;
    GoldenFiles checking_{folder_.path(), false};
    GoldenFiles updating_{folder_.path(), true};
};

TEST_F(GoldenFilesTest, AcceptsTheTextOfTheFile) {
    write_file(folder_ / "name.txt", "one\ntwo\n");

    EXPECT_EQ(checking_.check("name", "one\ntwo\n"), std::nullopt);
    EXPECT_EQ(checking_.check("name", "one\ntwo"), std::nullopt);
}

TEST_F(GoldenFilesTest, ReportsTheLinesThatDiffer) {
    write_file(folder_ / "name.txt", "one\ntwo\nthree\n");

    const auto problem = checking_.check("name", "one\n2\nthree\n");

    ASSERT_TRUE(problem);
    EXPECT_NE(problem->find("  one\n- two\n+ 2\n  three\n"), std::string::npos) << *problem;
    EXPECT_EQ(content_of_file(folder_ / "name.txt"), "one\ntwo\nthree\n");
}

TEST_F(GoldenFilesTest, ReportsAMissingFile) {
    const auto problem = checking_.check("name", "one");

    ASSERT_TRUE(problem);
    EXPECT_NE(problem->find("is missing"), std::string::npos) << *problem;
    EXPECT_FALSE(std::filesystem::exists(folder_ / "name.txt"));
}

TEST_F(GoldenFilesTest, UpdatesAFileAndMakesANewOne) {
    write_file(folder_ / "old.txt", "one\n");

    EXPECT_EQ(updating_.check("old", "two"), std::nullopt);
    EXPECT_EQ(updating_.check("new", "three"), std::nullopt);

    EXPECT_EQ(content_of_file(folder_ / "old.txt"), "two\n");
    EXPECT_EQ(content_of_file(folder_ / "new.txt"), "three\n");
}

TEST_F(GoldenFilesTest, ReportsAnUpdateThatCannotBeWritten) {
    write_file(folder_ / "file", "not a folder");

    EXPECT_TRUE(updating_.check("file/name", "one"));
}

TEST_F(GoldenFilesTest, NamesTheFilesOfAFolderThatHaveNoText) {
    ASSERT_EQ(updating_.check_folder("set", {{"a", "1"}, {"b", "2"}}), std::nullopt);

    EXPECT_EQ(checking_.check_folder("set", {{"a", "1"}, {"b", "2"}}), std::nullopt);
    const auto problem = checking_.check_folder("set", {{"a", "1"}});

    ASSERT_TRUE(problem);
    EXPECT_NE(problem->find("b.txt has no text any more"), std::string::npos) << *problem;
}

TEST_F(GoldenFilesTest, AnUpdateRemovesTheFilesOfAFolderThatHaveNoText) {
    ASSERT_EQ(updating_.check_folder("set", {{"a", "1"}, {"b", "2"}}), std::nullopt);

    EXPECT_EQ(updating_.check_folder("set", {{"a", "1"}}), std::nullopt);

    EXPECT_TRUE(std::filesystem::exists(folder_ / "set/a.txt"));
    EXPECT_FALSE(std::filesystem::exists(folder_ / "set/b.txt"));
}

TEST(LineDiffTest, ShowsThreeLinesAroundADifference) {
    EXPECT_EQ(line_diff("1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\n5\n6\n7\n8\nx\n"),
              "...\n  6\n  7\n  8\n- 9\n+ x\n");
}

TEST(LineDiffTest, FindsAddedAndRemovedLines) {
    EXPECT_EQ(line_diff("1\n2\n3\n", "0\n1\n3\n"), "+ 0\n  1\n- 2\n  3\n");
    EXPECT_EQ(line_diff("", "1\n"), "+ 1\n");
    EXPECT_EQ(line_diff("1\n", ""), "- 1\n");
}

}  // namespace
}  // namespace holdfast::test
