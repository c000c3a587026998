// A project folder with a .mcp.json of its own, such as a cloned repository: its programs start
// only after the user has agreed.

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "support/process_watch.hpp"
#include "support/program.hpp"
#include "support/run_process.hpp"
#include "support/temporary_folder.hpp"

namespace holdfast::test {
namespace {

class FolderTrustEndToEndTest : public testing::Test {
protected:
    FolderTrustEndToEndTest() {
        std::filesystem::create_directory(folder_ / "project");
        write_project("first");
    }

    /// A project whose server leaves a file of this name behind when it is started.
    void write_project(const std::string& name) {
        write_file(folder_ / "project/.mcp.json",
                   R"({"admin":false,"mcpServers":{"evil":{"command":"/bin/sh","args":["-c",)"
                   R"(": > )" +
                       (folder_ / name) + R"(; exec sleep 100"]}}})");
    }
    [[nodiscard]] bool has_started(const std::string& name) const {
        return std::filesystem::exists(folder_ / name);
    }
    [[nodiscard]] std::vector<std::string> command(
        const std::vector<std::string>& arguments) const {
        std::vector<std::string> words{"/usr/bin/env",
                                       "--chdir=" + (folder_ / "project"),
                                       "XDG_CACHE_HOME=" + (folder_ / "cache"),
                                       "XDG_DATA_HOME=" + (folder_ / "data"),
                                       "XDG_CONFIG_HOME=" + (folder_ / "config"),
                                       "XDG_RUNTIME_DIR=" + folder_.path(),
                                       std::getenv("HOLDFAST_BINARY")};
        words.insert(words.end(), arguments.begin(), arguments.end());
        return words;
    }
    [[nodiscard]] FinishedProcess run(const std::vector<std::string>& arguments) const {
        return run_process(command(arguments));
    }

    TemporaryFolder folder_;
};

TEST_F(FolderTrustEndToEndTest, NoCommandStartsTheProgramsOfAnUntrustedFolder) {
    for (const std::vector<std::string>& arguments :
         {std::vector<std::string>{"check", "--wait", "1s"},
          std::vector<std::string>{"serve", "--stdio"}}) {
        const FinishedProcess ran = run(arguments);

        EXPECT_EQ(ran.exit_code, 3) << arguments.front();
        EXPECT_NE(ran.errors.find(".mcp.json in this folder is not used: it names programs to "
                                  "start, and you have not trusted it yet. Look at it, then add "
                                  "--trust, or name it with --config"),
                  std::string::npos)
            << ran.errors;
    }
    EXPECT_FALSE(has_started("first"));
}

TEST_F(FolderTrustEndToEndTest, TheUsersConfigIsUsedInAnUntrustedFolder) {
    std::filesystem::create_directories(folder_ / "config/holdfast");
    write_file(folder_ / "config/holdfast/config.json", R"({"admin":false,"mcpServers":{}})");

    const FinishedProcess ran = run({"serve", "--stdio"});

    EXPECT_EQ(ran.exit_code, 0) << ran.errors;
    const std::string first_line = ran.errors.substr(0, ran.errors.find('\n'));
    EXPECT_TRUE(
        first_line.ends_with("info using the config " + (folder_ / "config/holdfast/config.json")))
        << ran.errors;
    EXPECT_NE(ran.errors.find(".mcp.json in this folder is not used"), std::string::npos);
    EXPECT_FALSE(has_started("first"));
}

TEST_F(FolderTrustEndToEndTest, ATrustedFileIsUsedUntilItChanges) {
    EXPECT_EQ(run({"check", "--trust", "--wait", "1s"}).exit_code, 1);  // it never says hello
    EXPECT_TRUE(has_started("first"));
    std::filesystem::remove(folder_ / "first");
    std::ignore = run({"check", "--wait", "1s"});
    EXPECT_TRUE(has_started("first"));

    write_project("second");
    const FinishedProcess ran = run({"check", "--wait", "1s"});

    EXPECT_EQ(ran.exit_code, 3);
    EXPECT_NE(ran.errors.find("it has changed since you trusted it"), std::string::npos)
        << ran.errors;
    EXPECT_FALSE(has_started("second"));
}

TEST_F(FolderTrustEndToEndTest, ARunningGatewayDoesNotFollowAnUntrustedChange) {
    Program gateway{command({"serve", "--trust", "--http", "127.0.0.1:0"})};
    ASSERT_NE(gateway.rest_of_error_line("listening on"), "") << gateway.all_error_text();

    write_project("second");

    EXPECT_NE(gateway.rest_of_error_line(".mcp.json has changed since you trusted it"), "");
    EXPECT_FALSE(has_started("second"));
    EXPECT_EQ(run({"check", "--trust", "--wait", "1s"}).exit_code, 1);
    std::filesystem::remove(folder_ / "second");
    gateway.send(SIGHUP);
    EXPECT_TRUE(eventually([this] { return has_started("second"); }));
}

TEST_F(FolderTrustEndToEndTest, ANamedFileNeedsNoTrust) {
    std::ignore = run({"check", "--config", ".mcp.json", "--wait", "1s"});

    EXPECT_TRUE(has_started("first"));
}

}  // namespace
}  // namespace holdfast::test
