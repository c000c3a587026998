#include "cli/import/client_places.hpp"

#include <algorithm>
#include <string>

#include <gtest/gtest.h>

#include "cli/program_paths.hpp"

namespace holdfast::cli {
namespace {

TEST(ClientPlacesTest, KnowsWhereEachClientKeepsItsConfig) {
    const auto files = usual_client_files({.home = "/h", .config = "/h/.config", .project = "/p"});
    const auto has = [&files](Client client, const std::string& path, const std::string& project) {
        return std::ranges::any_of(files, [&](const ClientFile& file) {
            return file.client == client && file.path == path && file.project == project;
        });
    };

    EXPECT_TRUE(has(Client::claude_desktop, "/h/.config/Claude/claude_desktop_config.json", ""));
    EXPECT_TRUE(has(Client::claude_desktop,
                    "/h/Library/Application Support/Claude/claude_desktop_config.json", ""));
    EXPECT_TRUE(has(Client::claude_code, "/h/.claude.json", ""));
    EXPECT_TRUE(has(Client::claude_code, "/p/.mcp.json", "/p"));
    EXPECT_TRUE(has(Client::cursor, "/h/.cursor/mcp.json", ""));
    EXPECT_TRUE(has(Client::cursor, "/p/.cursor/mcp.json", "/p"));
    EXPECT_TRUE(has(Client::vscode, "/h/.config/Code/User/mcp.json", ""));
    EXPECT_TRUE(has(Client::vscode, "/h/.config/Code/User/settings.json", ""));
    EXPECT_TRUE(has(Client::vscode, "/p/.vscode/mcp.json", "/p"));
}

TEST(ClientPlacesTest, RecognisesAClientByThePathOfItsFile) {
    EXPECT_EQ(client_file_at("/x/claude_desktop_config.json").client, Client::claude_desktop);
    EXPECT_EQ(client_file_at("/x/.mcp.json").project, "/x");
    EXPECT_EQ(client_file_at("/x/.cursor/mcp.json").client, Client::cursor);
    EXPECT_EQ(client_file_at("/x/.vscode/mcp.json").project, "/x");
    EXPECT_EQ(client_file_at("/x/Code/User/mcp.json").client, Client::vscode);
    EXPECT_EQ(client_file_at("/x/servers.json").client, Client::claude_code);
    EXPECT_EQ(client_file_at("/x/servers.json").project, "");
}

TEST(ClientPlacesTest, NamesClients) {
    for (const std::string name : {"claude-desktop", "claude-code", "cursor", "vscode"}) {
        const auto client = client_named(name);
        ASSERT_TRUE(client) << name;
        EXPECT_EQ(name_of(*client), name);
    }
    EXPECT_FALSE(client_named("emacs"));
}

TEST(OwnPathsTest, QuotesWhatAShellWouldTakeApart) {
    EXPECT_EQ(shell_word("/usr/bin/holdfast"), "/usr/bin/holdfast");
    EXPECT_EQ(shell_word("a b"), "'a b'");
    EXPECT_EQ(shell_word("it's"), "'it'\\''s'");
    EXPECT_EQ(shell_word(""), "''");
}

TEST(OwnPathsTest, StartsAProgramByItsNameOnlyIfThatFindsIt) {
    EXPECT_EQ(command_for("/bin/sh", "/nowhere:/bin"), "sh");
    EXPECT_EQ(command_for("/bin/sh", "/nowhere"), "/bin/sh");
    EXPECT_EQ(command_for("/nowhere/sh", "/bin"), "/nowhere/sh");
}

TEST(OwnPathsTest, MakesPathsAbsolute) {
    EXPECT_EQ(absolute_path("/a/b/../c/"), "/a/c");
    EXPECT_TRUE(absolute_path(".").starts_with('/'));
    EXPECT_FALSE(absolute_path(".").ends_with('/'));
}

}  // namespace
}  // namespace holdfast::cli
