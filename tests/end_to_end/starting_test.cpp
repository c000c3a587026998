// First steps of a user: a config is written, servers are imported, the demo runs.

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "end_to_end/scene.hpp"
#include "support/process_watch.hpp"
#include "support/run_process.hpp"

namespace holdfast::test {
namespace {

namespace fs = std::filesystem;

bool says(const std::string& text, std::string_view words) {
    return text.find(words) != std::string::npos;
}

/// Runs the binary as a user whose home is a folder of this test, inside a project.
class StartingTest : public testing::Test {
protected:
    StartingTest() { fs::create_directories(project_); }

    [[nodiscard]] FinishedProcess run(const std::string& arguments) const {
        return run_process({"/usr/bin/env", "-u", "XDG_CONFIG_HOME", "-u", "XDG_CACHE_HOME",
                            "HOME=" + folder_.path(), "/bin/sh", "-c",
                            "cd " + project_ + " && exec " + binary() + " " + arguments});
    }
    static std::string binary() {
        const char* path = std::getenv("HOLDFAST_BINARY");
        return path == nullptr ? "" : path;
    }
    void write(const std::string& name, std::string_view text) const {
        fs::create_directories(fs::path{folder_ / name}.parent_path());
        write_file(folder_ / name, text);
    }

    TemporaryFolder folder_;
    const std::string project_ = folder_ / "project";
    const std::string config_ = folder_ / ".config/holdfast/config.json";
};

TEST_F(StartingTest, WritesAWorkingConfigAndReplacesNoFile) {
    const FinishedProcess written = run("init");
    const FinishedProcess check = run("check");
    write_file(config_, "{}");
    const FinishedProcess again = run("init");
    const std::string kept = content_of_file(config_);
    const FinishedProcess forced = run("init --force --json");

    EXPECT_EQ(written.exit_code, 0) << written.errors;
    EXPECT_TRUE(says(written.out, "wrote " + config_)) << written.out;
    EXPECT_EQ(check.exit_code, 0) << check.errors;
    EXPECT_EQ(check.errors, "");
    EXPECT_EQ(check.out, "demo  ready  2025-11-25  3 tools, 0 prompts, 0 resources\n");
    EXPECT_EQ(again.exit_code, 1);
    EXPECT_TRUE(says(again.errors, "already exists")) << again.errors;
    EXPECT_EQ(kept, "{}");
    EXPECT_EQ(forced.exit_code, 0);
    EXPECT_EQ(forced.out, R"({"config":")" + config_ + "\"}\n");
    EXPECT_TRUE(says(content_of_file(config_), "mcpServers"));
}

TEST_F(StartingTest, ImportsTheServersThatItFinds) {
    const std::string entry = R"({"command":")" + binary() + R"(","args":["demo-server"]})";
    write(".cursor/mcp.json", R"({"mcpServers":{"mine":)" + entry + "}}");
    write("project/.vscode/mcp.json", R"({"servers":{"mine":)" + entry +
                                          R"(,"other":{"command":")" + binary() +
                                          R"(","args":["demo-server","--flaky"],)"
                                          R"("env":{"TOKEN":"hush-hush"}}}})");
    const std::string before = content_of_file(folder_ / ".cursor/mcp.json");

    const FinishedProcess tried = run("import --dry-run");
    const bool is_written_by_trying = fs::exists(config_);
    const FinishedProcess imported = run("import");
    const FinishedProcess again = run("import --json");
    const FinishedProcess tools = run("tools --config " + config_);

    EXPECT_TRUE(says(tried.out, "would add 2 servers")) << tried.out;
    EXPECT_FALSE(is_written_by_trying);
    EXPECT_EQ(imported.exit_code, 0) << imported.errors;
    EXPECT_TRUE(says(imported.out, "added 2 servers to " + config_)) << imported.out;
    EXPECT_FALSE(says(imported.out + imported.errors + again.out, "hush-hush"));
    EXPECT_TRUE(says(content_of_file(config_), "hush-hush"));
    EXPECT_TRUE(says(again.out, R"("added":0,"written":false)")) << again.out;
    EXPECT_TRUE(says(tools.out, "mine__word_count")) << tools.errors;
    EXPECT_TRUE(says(tools.out, "other__find_airport")) << tools.out;
    EXPECT_EQ(content_of_file(folder_ / ".cursor/mcp.json"), before);
}

TEST_F(StartingTest, AddsToAConfigAndKeepsTheRestUnchanged) {
    write(".config/holdfast/config.json", "{ // mine\n  \"limits\": {\"tools\": 5},\n}\n");
    fs::permissions(config_,
                    fs::perms::owner_read | fs::perms::owner_write | fs::perms::group_read);
    write("a.json", R"({"mcpServers":{"a":{"command":"a"}}})");

    const FinishedProcess imported = run("import ../a.json");

    EXPECT_EQ(imported.exit_code, 0) << imported.errors;
    EXPECT_EQ(content_of_file(config_),
              "{\n  \"mcpServers\": {\n    \"a\": {\"command\": \"a\"},\n  }, // mine\n  "
              "\"limits\": {\"tools\": 5},\n}\n");
    EXPECT_EQ(fs::status(config_).permissions(),
              fs::perms::owner_read | fs::perms::owner_write | fs::perms::group_read);
}

TEST_F(StartingTest, ReportsWhatCannotBeImported) {
    write("bad.json", "{");
    write("good.json", R"({"mcpServers":{"a":{"command":"a"}}})");

    const FinishedProcess nothing = run("import");
    const FinishedProcess unknown = run("import --client emacs");
    const FinishedProcess mixed = run("import ../bad.json ../good.json ../missing.json");
    write_file(config_, "[");
    const FinishedProcess broken = run("import ../good.json");

    EXPECT_EQ(nothing.exit_code, 1);
    EXPECT_TRUE(says(nothing.errors, "found no config of any client")) << nothing.errors;
    EXPECT_EQ(unknown.exit_code, 2);
    EXPECT_EQ(mixed.exit_code, 1);
    EXPECT_TRUE(says(mixed.out, "bad.json:1:")) << mixed.out;
    EXPECT_TRUE(says(mixed.out, "missing.json cannot be read")) << mixed.out;
    EXPECT_TRUE(says(mixed.out, "added 1 server ")) << mixed.out;
    EXPECT_EQ(broken.exit_code, 3);
    EXPECT_EQ(content_of_file(config_), "[");
}

TEST_F(StartingTest, RunsADemoWithAnAgent) {
    Program demo{{binary(), "demo", "--http", "127.0.0.1:0", "--admin", "127.0.0.1:0"},
                 {"XDG_CACHE_HOME=" + folder_.path()}};
    const std::string rest = demo.rest_of_error_line("listening on http://127.0.0.1:");
    ASSERT_FALSE(rest.empty());
    const std::string url = "http://127.0.0.1:" + rest;

    ASSERT_NE(demo.rest_of_error_line("demo: an agent calls the tools "), "");
    const FinishedProcess tools = run("tools --url " + url);
    const FinishedProcess called =
        run("call steady__word_count '{\"text\": \"one two\"}' --url " + url);
    demo.send(SIGINT);

    EXPECT_TRUE(says(tools.out, "flaky__find_airport")) << tools.errors;
    EXPECT_EQ(called.out, "2 words\n") << called.errors;
    EXPECT_EQ(demo.wait(), 0);
    EXPECT_TRUE(eventually(has_no_descendant));
}

}  // namespace
}  // namespace holdfast::test
