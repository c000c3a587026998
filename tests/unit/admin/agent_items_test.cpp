#include "admin/agent_items.hpp"

#include <gtest/gtest.h>

#include "admin/status_text.hpp"
#include "admin_world.hpp"
#include "dispatch/search_tools.hpp"
#include "support/golden.hpp"

namespace holdfast::admin::testing {
namespace {

class AgentItemsTest : public AdminWorld {
protected:
    void start_with(const admin::AgentItemsOptions& items_options) {
        add_server("code", mcp::Era::legacy);
        begin_with([&](dispatch::Gateway& gateway) {
            reader_ = std::make_shared<const admin::StatusReader>(
                admin::StatusSources{.gateway = gateway.shared_from_this(),
                                     .recording = recording_,
                                     .now_ms = [] { return kWallMs; },
                                     .facts = {.pid = 7, .config_file = "/home/x.json"}});
            admin::AgentItems items = agent_items(reader_, items_options);
            gateway.offer(std::move(items.tools), std::move(items.resources));
        });
        session_ = connect();
    }
    [[nodiscard]] std::string called(const std::string& params) {
        return request(session_, "tools/call", params)->answer();
    }

    std::shared_ptr<agents::AgentSession> session_;
};

bool has(const std::string& text, std::string_view words) {
    return text.find(words) != std::string::npos;
}

TEST_F(AgentItemsTest, ShowsAgentsTheStatusWithoutDetailsOfThisMachine) {
    start_with({});

    const std::string answer = called(R"({"name":"gateway_status","arguments":{"details":true}})");

    EXPECT_TRUE(has(answer, R"("structuredContent":{"server":)")) << answer;
    EXPECT_TRUE(has(answer, R"("downstream_servers":{"code":)")) << answer;
    EXPECT_FALSE(has(answer, "/home/x.json"));
    const std::string read =
        request(session_, "resources/read", R"({"uri":"holdfast://status"})")->answer();
    EXPECT_TRUE(has(read, "downstream_servers")) << read;
}

TEST_F(AgentItemsTest, TheStatusBeginsWithASentence) {
    start_with({});

    const std::string answer = called(R"({"name":"gateway_status"})");
    const std::string one = called(R"({"name":"gateway_status","arguments":{"server":"code"}})");
    const std::string none = called(R"({"name":"gateway_status","arguments":{"server":"cod"}})");

    EXPECT_TRUE(has(answer, R"("text":"1 of 1 server works.\ncode: works, 2 tools"}]})")) << answer;
    EXPECT_TRUE(has(one, R"("text":"code: works.\nLists: 2 tools, 1 prompt, 2 resources\n)"))
        << one;
    EXPECT_TRUE(has(none, R"(There is no server \"cod\". Did you mean \"code\"?)")) << none;
    EXPECT_TRUE(has(none, R"("isError":true)"));
}

TEST(StatusTextTest, NamesWhatDoesNotWorkAndWhatIsStarting) {
    Status status;
    for (int index = 0; index < 18; ++index) {
        status.servers.push_back({.name = "s" + std::to_string(index),
                                  .state = ServerState::connected,
                                  .tools = 12,
                                  .calls = {.calls = 3, .failures = 1}});
    }
    status.servers[17].reason = "Its tools are not known: no answer.";
    status.servers.push_back({.name = "stripe",
                              .state = ServerState::error,
                              .reason = "no handshake in 30 s.",
                              .next_attempt_in_s = 11.2});
    status.servers.push_back({.name = "k8s", .state = ServerState::connecting, .starting_s = 8.0});

    const std::string text = overview_text(status);

    EXPECT_TRUE(
        text.starts_with("18 of 20 servers work. Not working: stripe (no handshake in "
                         "30 s, next try in 12 s). Starting: k8s (8 s).\n"
                         "s0: works, 12 tools, 3 calls, 1 failed\n"))
        << text;
    EXPECT_TRUE(has(text,
                    "\ns17: works, 12 tools, 3 calls, 1 failed; Its tools are not known: no "
                    "answer\n"))
        << text;
    EXPECT_LE(text.size(), 1'500U);
}

TEST(StatusTextTest, ManyServersStayWithinTheBytes) {
    Status status;
    for (int index = 0; index < 500; ++index) {
        status.servers.push_back({.name = "server-" + std::to_string(index),
                                  .state = ServerState::error,
                                  .reason = std::string(500, 'x') + "\nmore"});
    }

    const std::string text = overview_text(status);

    EXPECT_LE(text.size(), 1'500U) << text;
    EXPECT_TRUE(text.starts_with("0 of 500 servers work. Not working: server-0 (")) << text;
    EXPECT_TRUE(text.ends_with("more; ask with \"server\" for one of them")) << text;
}

TEST_F(AgentItemsTest, ExplainsOnlyTheAgentsOwnCalls) {
    start_with({});
    recording_->on_call({.id = "c1", .principal = "ada", .tool = "mine", .outcome = "ok"});
    recording_->on_call({.id = "c2", .principal = "bob", .tool = "theirs", .outcome = "ok"});

    EXPECT_TRUE(has(called(R"({"name":"explain_call","arguments":{"id":"c1"}})"), "mine"));
    const std::string foreign = called(R"({"name":"explain_call","arguments":{"id":"c2"}})");
    EXPECT_FALSE(has(foreign, "theirs"));
    EXPECT_TRUE(has(foreign, R"("isError":true)"));
}

TEST(BuiltinToolsTest, HaveTheTextsOfTheGoldenFile) {
    std::string text;
    const AgentItems items = agent_items(nullptr, {});
    for (const auto& tools : {dispatch::search_tools({}), items.tools}) {
        for (const surface::BuiltinTool& tool : tools) {
            text += tool.definition + "\n";
        }
    }
    for (const surface::BuiltinResource& resource : items.resources) {
        text += resource.definition + "\n";
    }

    test::expect_golden("builtin_tools", text);
}

TEST_F(AgentItemsTest, CanBeTurnedOff) {
    start_with({.has_status_tool = false, .has_explain_tool = false, .has_status_resource = false});

    EXPECT_FALSE(has(request(session_, "tools/list", "{}")->answer(), "gateway_status"));
    EXPECT_FALSE(has(request(session_, "resources/list", "{}")->answer(), "holdfast://status"));
}

}  // namespace
}  // namespace holdfast::admin::testing
