#include "runtime/servers/npx_cache.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "support/temporary_folder.hpp"

namespace holdfast::runtime {
namespace {

namespace fs = std::filesystem;
using Names = std::vector<std::string>;

config::StdioTarget npx(Names arguments) {
    return {.command = "/usr/bin/npx", .args = std::move(arguments)};
}

TEST(NpxCacheTest, FindsThePackagesOfPlainCommandsOnly) {
    EXPECT_EQ(npx_packages(npx({"-y", "@scope/server@1", "-p", "x"})), Names{"@scope/server@1"});
    EXPECT_EQ(npx_packages(npx({"server"})), Names{"server"});
    EXPECT_EQ(npx_packages(npx({"-p", "b", "--package=a", "--yes", "run"})), (Names{"b", "a"}));

    EXPECT_EQ(npx_packages(npx({"--cache", "/x", "server"})), std::nullopt);
    EXPECT_EQ(npx_packages(npx({"-p", "b"})), std::nullopt);
    EXPECT_EQ(npx_packages(npx({})), std::nullopt);
    EXPECT_EQ(npx_packages({.command = "uvx", .args = {"server"}}), std::nullopt);
    EXPECT_EQ(npx_packages({.command = "node", .args = {"server"}}), std::nullopt);
}

TEST(NpxCacheTest, TheFolderIsTheOneThatNpmUses) {
    const Names home{"PATH=/bin", "HOME=/home/ada"};

    // As npm 11 names them.
    EXPECT_EQ(npx_folder({"@modelcontextprotocol/server-everything"}, home),
              "/home/ada/.npm/_npx/5b2dd62b9d0bddd4");
    EXPECT_EQ(npx_folder({"b", "a"}, home), npx_folder({"a", "b"}, home));
    EXPECT_NE(npx_folder({"ab"}, home), npx_folder({"a", "b"}, home));
    EXPECT_TRUE(npx_folder({"a"}, Names{"HOME=/home/ada", "npm_config_cache=/var/npm"})
                    .starts_with("/var/npm/_npx/"));
    EXPECT_EQ(npx_folder({"a"}, Names{"PATH=/bin"}), "");
}

class BrokenPackageTest : public testing::Test {
protected:
    void add(const std::string& package, bool is_complete) const {
        const std::string path = folder_ / ("node_modules/" + package);
        fs::create_directories(path);
        if (is_complete) {
            test::write_file(path + "/package.json", "{}");
        }
    }
    [[nodiscard]] std::optional<std::string> broken() const {
        return broken_package_in(folder_.path());
    }

    const test::TemporaryFolder folder_;
};

TEST_F(BrokenPackageTest, IsOneWithoutAPackageFile) {
    add("zod", true);
    add("@scope/server", true);
    add(".bin", false);
    EXPECT_EQ(broken(), std::nullopt);

    add("hono", false);
    EXPECT_EQ(broken(), "hono");
}

TEST_F(BrokenPackageTest, MayHaveAScope) {
    add("@scope/server", true);
    add("@scope/tools", false);

    EXPECT_EQ(broken(), "@scope/tools");
    EXPECT_EQ(broken_package_text("/c/_npx/53c4", "@scope/tools"),
              "The npx cache is broken: /c/_npx/53c4/node_modules/@scope/tools has no "
              "package.json. Repair it with: rm -rf '/c/_npx/53c4'");
}

TEST_F(BrokenPackageTest, IsNoneInAFolderThatIsMissing) {
    EXPECT_EQ(broken(), std::nullopt);
}

}  // namespace
}  // namespace holdfast::runtime
