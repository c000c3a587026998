#include "cli/import/import_plan.hpp"

#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "cli/import/config_edit.hpp"
#include "cli/import/import_report.hpp"
#include "config/document.hpp"

namespace holdfast::cli {
namespace {

config::Node read(const std::string& text) {
    config::FaultReport report{"test"};
    auto node = config::read_document(text, report);
    EXPECT_TRUE(node) << text;
    return node.value_or(config::Node{});
}

/// Imports texts one after the other into servers that are there already.
class ImportPlanTest : public testing::Test {
protected:
    void add(const ClientFile& file, const std::string& text) {
        planner_.add(file, servers_in(file, text));
    }
    /// Everything that the config gets, as text.
    std::string added() {
        plan_ = planner_.take();
        return object_text(plan_.added, 0);
    }
    const ImportedServer& server(std::size_t file, std::size_t index) {
        return plan_.files.at(file).servers.at(index);
    }

    const ClientFile desktop_{.client = Client::claude_desktop, .path = "/h/desktop.json"};
    const ClientFile code_{.client = Client::claude_code, .path = "/h/.claude.json"};
    const ClientFile cursor_{
        .client = Client::cursor, .path = "/p/shop/.cursor/mcp.json", .project = "/p/shop"};
    const ClientFile vscode_{
        .client = Client::vscode, .path = "/p/shop/.vscode/mcp.json", .project = "/p/shop"};
    ImportPlan plan_;

private:
    const config::Node there_ = read(R"({"kept": {"command": "k", "args": ["1"]}})");
    ImportPlanner planner_{&there_, "/h",
                           [](std::string_view) { return std::optional<std::string>{}; }};
};

TEST_F(ImportPlanTest, TakesTheServersOfAllClients) {
    add(desktop_, R"({"mcpServers": {"a": {"command": "a", "env": {"KEY": "s3cret"}}}})");
    add(code_, R"({"mcpServers": {"b": {"type": "http", "url": "https://b/${B:-x}"}},
                   "projects": {"/p/one": {"mcpServers": {"c": {"type": "stdio", "command": "./c"}},
                                           "history": [1]}}})");
    add(cursor_, R"({"mcpServers": {"d": {"command": "d", "args": ["${userHome}/x", "."]}}})");
    add(vscode_, R"({"servers": {"e": {"type": "sse", "url": "https://e"}}})");
    add({.client = Client::vscode, .path = "/h/settings.json"},
        R"({"editor.fontSize": 12, "mcp": {"servers": {"f": {"command": "f"}}}})");

    EXPECT_EQ(added(), R"({"a": {"command": "a", "env": {"KEY": "s3cret"}}, )"
                       R"("b": {"type": "http", "url": "https://b/${B:-x}"}, )"
                       R"("c": {"command": "./c", "cwd": "/p/one"}, )"
                       R"("d": {"command": "d", "args": ["/h/x", "."], "cwd": "/p/shop"}, )"
                       R"("e": {"type": "sse", "url": "https://e"}, "f": {"command": "f"}})");
}

TEST_F(ImportPlanTest, MakesOneOfTheSameAndNumbersOthersOfOneName) {
    add(desktop_, R"({"mcpServers": {"kept": {"args": ["1"], "command": "k", "disabled": false},
                                     "x": {"command": "1"}}})");
    add(code_, R"({"mcpServers": {"x": {"command": "2"}, "kept": {"command": "other"}}})");
    add(cursor_, R"({"mcpServers": {"x": {"type": "stdio", "command": "2"}}})");

    EXPECT_EQ(added(), R"({"x": {"command": "1"}, "x-2": {"command": "2"}, )"
                       R"("kept-2": {"command": "other"}})");
    EXPECT_EQ(server(0, 0).fate, ImportFate::known);
    EXPECT_EQ(server(0, 0).as, "kept");
    EXPECT_EQ(server(1, 0).as, "x-2");
    EXPECT_EQ(server(2, 0).fate, ImportFate::known);
    EXPECT_EQ(server(2, 0).as, "x-2");
}

TEST_F(ImportPlanTest, SkipsHoldfastItself) {
    add(code_, R"({"mcpServers": {
        "one": {"command": "/usr/bin/holdfast", "args": ["serve", "--stdio"]},
        "two": {"url": "http://127.0.0.1:7332/mcp"},
        "holdfast": {"type": "http", "url": "https://gateway.example/mcp"},
        "demo": {"command": "holdfast", "args": ["demo-server"]}}})");

    EXPECT_EQ(added(), R"({"demo": {"command": "holdfast", "args": ["demo-server"]}})");
    EXPECT_EQ(server(0, 0).notes, std::vector<std::string>{"it is Holdfast itself"});
}

TEST_F(ImportPlanTest, TurnsTheVariablesOfEditorsIntoOurs) {
    add(vscode_, R"({"inputs": [{"id": "api-key"}], "servers": {
        "a": {"command": "a", "env": {"K": "${input:api-key}", "L": "${env:L}"},
              "args": ["${workspaceFolder}${/}src", "${workspaceFolderBasename}"]},
        "b": {"command": "b", "args": ["${command:pick}"]}}})");
    add(desktop_, R"({"mcpServers": {"c": {"command": "c", "args": ["${HOME}"]}}})");
    add({.client = Client::cursor, .path = "/h/.cursor/mcp.json"},
        R"({"mcpServers": {"d": {"command": "d", "args": ["${workspaceFolder}"]}}})");

    EXPECT_EQ(added(),
              R"({"a": {"command": "a", "env": {"K": "${API_KEY}", "L": "${env:L}"}, )"
              R"("args": ["/p/shop/src", "shop"]}, "c": {"command": "c", "args": ["$${HOME}"]}})");
    EXPECT_EQ(server(0, 0).notes,
              std::vector<std::string>{"the editor prompts for a value; set the variable API_KEY "
                                       "instead"});
    EXPECT_EQ(server(0, 1).notes,
              std::vector<std::string>{"the value is known only to the editor: ${command:pick}"});
    EXPECT_EQ(server(2, 0).fate, ImportFate::skipped);
}

TEST_F(ImportPlanTest, SkipsEntriesThatOurReaderRefuses) {
    add(code_, R"({"mcpServers": {"a": {}, "b": {"url": "ftp://x"}, "c": 1, "": {"command": "d"},
                                  "e": {"url": "${URL}", "envFile": ".env", "autoApprove": []}}})");

    EXPECT_EQ(added(), R"({"e": {"url": "${URL}"}})");
    for (std::size_t index = 0; index < 4; ++index) {
        EXPECT_EQ(server(0, index).fate, ImportFate::skipped) << index;
        EXPECT_FALSE(server(0, index).notes.empty()) << index;
    }
    EXPECT_EQ(server(0, 4).notes,
              std::vector<std::string>{"without \"envFile\", which is not a key of Holdfast"});
}

TEST_F(ImportPlanTest, NamesThePlaceOfAnErrorInAFile) {
    add(cursor_, "{\n  nonsense");

    EXPECT_EQ(added(), "{}");
    EXPECT_TRUE(plan_.files.front().fault.starts_with("/p/shop/.cursor/mcp.json:2:"))
        << plan_.files.front().fault;
}

TEST_F(ImportPlanTest, ReportsWithoutSecrets) {
    add(cursor_, R"({"mcpServers": {"a": {"command": "a", "env": {"TOKEN": "hush-hush"}},
                                    "b": {"url": "https://b", "headers": {"X": "hush-hush"}},
                                    "c": {"url": "not a hush-hush url"}}})");
    std::ignore = added();
    ImportReport report{.plan = plan_,
                        .address = {.program = "/bin/hold fast",
                                    .config_file = "/c.json",
                                    .url = "http://127.0.0.1:7332/mcp"},
                        .is_written = true};

    const std::string text = report_text(report);
    const std::string json = report_json(report);

    EXPECT_EQ(text.find("hush-hush"), std::string::npos) << text;
    EXPECT_EQ(json.find("hush-hush"), std::string::npos) << json;
    EXPECT_NE(text.find("added 2 servers to /c.json\n"), std::string::npos) << text;
    EXPECT_NE(text.find(R"({"mcpServers": {"holdfast": {"command": "/bin/hold fast", "args": )"
                        R"(["serve", "--stdio", "--config", "/c.json"]}}})"),
              std::string::npos)
        << text;
    EXPECT_EQ(text.find("Claude"), std::string::npos) << text;
    EXPECT_EQ(value_text(read(json)).empty(), false);
}

TEST(ClientAdviceTest, FitsEachClient) {
    const OwnAddress address{
        .program = "/o/holdfast", .config_file = "/a b.json", .url = "http://u"};

    EXPECT_EQ(advice_for(Client::claude_code, address).stdio,
              "claude mcp add --scope user holdfast -- /o/holdfast serve --stdio --config "
              "'/a b.json'");
    EXPECT_EQ(advice_for(Client::vscode, address).http,
              R"({"servers": {"holdfast": {"type": "http", "url": "http://u"}}})");
    EXPECT_EQ(advice_for(Client::claude_desktop, address).http, "");
}

}  // namespace
}  // namespace holdfast::cli
