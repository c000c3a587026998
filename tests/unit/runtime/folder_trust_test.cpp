#include "runtime/folder_trust.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "tests/support/temporary_folder.hpp"

namespace holdfast::runtime {
namespace {

using Verdict = FolderTrust::Verdict;

TEST(FolderTrustTest, RemembersAFileByItsPathAndContent) {
    const test::TemporaryFolder folder;
    const std::string file = folder / "a.json";
    const std::string other = folder / "b.json";
    test::write_file(file, "x");
    test::write_file(other, "x");
    const FolderTrust trust{folder / "data/trusted"};
    EXPECT_EQ(trust.verdict(file, "x"), Verdict::unknown);

    EXPECT_FALSE(trust.trust(file, "x"));

    EXPECT_EQ(trust.verdict(file, "x"), Verdict::trusted);
    EXPECT_EQ(trust.verdict(file, "y"), Verdict::changed);
    EXPECT_EQ(trust.verdict(other, "x"), Verdict::unknown);
    EXPECT_EQ(FolderTrust{folder / "data/trusted"}.verdict(file, "x"), Verdict::trusted);
}

TEST(FolderTrustTest, ANewContentReplacesTheOldOne) {
    const test::TemporaryFolder folder;
    const std::string file = folder / "a b.json";
    test::write_file(file, "x");
    const FolderTrust trust{folder / "trusted"};
    EXPECT_FALSE(trust.trust(file, "x"));

    EXPECT_FALSE(trust.trust(file, "y"));

    EXPECT_EQ(trust.verdict(file, "x"), Verdict::changed);
    EXPECT_EQ(trust.verdict(file, "y"), Verdict::trusted);
}

TEST(FolderTrustTest, TrustsNothingAfterADamagedRecord) {
    const test::TemporaryFolder folder;
    const std::string file = folder / "a.json";
    test::write_file(file, "x");
    test::write_file(folder / "trusted", "\n\n x\nno blank\n" + std::string(100, 'f') + " \n");

    EXPECT_EQ((FolderTrust{folder / "trusted"}.verdict(file, "x")), Verdict::unknown);
    EXPECT_EQ((FolderTrust{folder / "missing"}.verdict(folder / "none.json", "x")),
              Verdict::unknown);
}

TEST(FolderTrustTest, AFileThatIsNotThereCannotBeTrusted) {
    const test::TemporaryFolder folder;

    EXPECT_TRUE((FolderTrust{folder / "trusted"}.trust(folder / "none.json", "x")));
}

}  // namespace
}  // namespace holdfast::runtime
