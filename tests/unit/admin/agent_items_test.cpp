#include "admin/agent_items.hpp"

#include <gtest/gtest.h>

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

    const std::string answer = called(R"({"name":"gateway_status","arguments":{}})");

    EXPECT_TRUE(has(answer, R"("downstream_servers":{"code":)")) << answer;
    EXPECT_FALSE(has(answer, "/home/x.json"));
    const std::string read =
        request(session_, "resources/read", R"({"uri":"holdfast://status"})")->answer();
    EXPECT_TRUE(has(read, "downstream_servers")) << read;
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
