#include "platform/user_folders.hpp"

#include <map>
#include <string>

#include <gtest/gtest.h>

namespace holdfast::platform {
namespace {

UserFolders folders_with(const std::map<std::string, std::string>& variables) {
    return user_folders([&variables](const std::string& name) -> std::optional<std::string> {
        const auto found = variables.find(name);
        return found == variables.end() ? std::nullopt : std::optional{found->second};
    });
}

TEST(UserFoldersTest, AreInTheHomeFolderByDefault) {
    const UserFolders folders = folders_with({{"HOME", "/home/kim"}});

    EXPECT_EQ(folders.config, "/home/kim/.config/holdfast");
    EXPECT_EQ(folders.data, "/home/kim/.local/share/holdfast");
    EXPECT_EQ(folders.cache, "/home/kim/.cache/holdfast");
    EXPECT_EQ(folders.runtime, "/home/kim/.cache/holdfast/run");
}

TEST(UserFoldersTest, FollowTheEnvironment) {
    const UserFolders folders = folders_with({{"HOME", "/home/kim"},
                                              {"XDG_CONFIG_HOME", "/a"},
                                              {"XDG_DATA_HOME", "/b"},
                                              {"XDG_CACHE_HOME", "/c"},
                                              {"XDG_RUNTIME_DIR", "/d"}});

    EXPECT_EQ(folders.config, "/a/holdfast");
    EXPECT_EQ(folders.data, "/b/holdfast");
    EXPECT_EQ(folders.cache, "/c/holdfast");
    EXPECT_EQ(folders.runtime, "/d/holdfast");
}

TEST(UserFoldersTest, IgnoreRelativeAndEmptyPaths) {
    const UserFolders folders = folders_with(
        {{"HOME", "/home/kim"}, {"XDG_CACHE_HOME", "relative/cache"}, {"XDG_CONFIG_HOME", ""}});

    EXPECT_EQ(folders.cache, "/home/kim/.cache/holdfast");
    EXPECT_EQ(folders.config, "/home/kim/.config/holdfast");
}

TEST(UserFoldersTest, UseTheUserDatabaseWithoutHome) {
    const UserFolders silent = folders_with({});
    const UserFolders relative = folders_with({{"HOME", "here"}});

    EXPECT_TRUE(silent.config.starts_with('/')) << silent.config;
    EXPECT_NE(silent.config, "/.config/holdfast");
    EXPECT_EQ(relative.config, silent.config);
}

}  // namespace
}  // namespace holdfast::platform
