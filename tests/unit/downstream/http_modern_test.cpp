#include <gtest/gtest.h>

#include "downstream/tool_headers.hpp"
#include "unit/downstream/http_link_fixture.hpp"

// Headers and subscriptions of a modern link.

namespace holdfast::downstream::testing {
namespace {

constexpr auto kModern = mcp::Revision::v2026_07_28;
const std::string kAcknowledged =
    R"({"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":1}}})";
const std::string kToolsChanged =
    R"({"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":1}}})";

FakeReply listening(std::vector<FakeReply::Piece> pieces = {}) {
    pieces.insert(pieces.begin(), {.bytes = event(kAcknowledged)});
    FakeReply reply = event_reply(std::move(pieces));
    reply.hangs = true;
    return reply;
}

class HttpModernTest : public CallStyleTest {};
INSTANTIATE_TEST_SUITE_P(CallStyles, HttpModernTest,
                         ::testing::Values(CallStyle::coroutine, CallStyle::observer),
                         name_of_style);

TEST_P(HttpModernTest, RepeatsTheBodyInItsHeaders) {
    HttpLinkFixture fixture{kModern};
    fixture.use(GetParam());
    fixture.client->posts.push_back(
        json_reply(R"({"jsonrpc":"2.0","id":1,"result":{"resultType":"complete"}})"));

    const auto result = fixture.run(tool_call("café"));

    ASSERT_TRUE(result);
    EXPECT_TRUE(result->has_result_type);
    const auto posts = fixture.client->seen_by("POST");
    EXPECT_TRUE(posts[0].has_line("MCP-Protocol-Version: 2026-07-28"));
    EXPECT_TRUE(posts[0].has_line("Mcp-Method: tools/call"));
    EXPECT_TRUE(posts[0].has_line("Mcp-Name: =?base64?Y2Fmw6k=?="));
    EXPECT_EQ(posts[0].headers.find("Mcp-Session-Id"), std::string::npos);
    EXPECT_TRUE(posts[0].says(R"("io.modelcontextprotocol/protocolVersion":"2026-07-28")"));
    EXPECT_TRUE(fixture.client->seen_by("GET").empty());
}

TEST_P(HttpModernTest, RepeatsAnnotatedArgumentsOfItsTool) {
    HttpLinkFixture fixture{kModern};
    fixture.use(GetParam());
    auto table = std::make_shared<ToolHeaderTable>();
    table->params["t"] = {{.path = {"region"}, .header = "Mcp-Param-Region"},
                          {.path = {"gone"}, .header = "Mcp-Param-Gone"},
                          {.path = {"none"}, .header = "Mcp-Param-None"},
                          {.path = {"deep", "on"}, .header = "Mcp-Param-On"}};
    fixture.open()->set_tool_headers(std::move(table));
    fixture.client->posts.push_back(json_reply(R"({"jsonrpc":"2.0","id":1,"result":{}})"));
    Request request = tool_call("t");
    request.params_members =
        R"("name":"t","arguments":{"region":" x ","none":null,"deep":{"on":true}})";

    ASSERT_TRUE(fixture.run(std::move(request)));

    const auto posts = fixture.client->seen_by("POST");
    EXPECT_TRUE(posts[0].has_line("Mcp-Param-Region: =?base64?IHgg?="));
    EXPECT_TRUE(posts[0].has_line("Mcp-Param-On: true"));
    EXPECT_EQ(posts[0].headers.find("Mcp-Param-Gone"), std::string::npos);
    EXPECT_EQ(posts[0].headers.find("Mcp-Param-None"), std::string::npos);
}

TEST_P(HttpModernTest, NamesTheMethodOfANotification) {
    HttpLinkFixture fixture{kModern};
    fixture.use(GetParam());

    fixture.open()->notify("notifications/x", R"({"a":1})");
    fixture.loop.settle();

    const auto posts = fixture.client->seen_by("POST");
    ASSERT_EQ(posts.size(), 1U);
    EXPECT_TRUE(posts[0].has_line("Mcp-Method: notifications/x"));
    EXPECT_EQ(posts[0].body, R"({"jsonrpc":"2.0","method":"notifications/x","params":{"a":1}})");
}

TEST_P(HttpModernTest, HasNoSessionToEndOnClose) {
    HttpLinkFixture fixture{kModern};
    fixture.use(GetParam());
    fixture.client->posts.push_back(listening());
    fixture.open()->set_interests({});
    fixture.loop.settle();
    EXPECT_EQ(fixture.client->open_count, 1);

    Running<bool> closing{fixture.loop, closed(fixture.open())};
    fixture.loop.settle();

    EXPECT_TRUE(closing.has_ended());
    EXPECT_TRUE(fixture.client->seen_by("DELETE").empty());
    EXPECT_EQ(fixture.client->open_count, 0);
}

TEST_P(HttpModernTest, ListensToWhatIsWanted) {
    HttpLinkFixture fixture{kModern};
    fixture.use(GetParam());
    fixture.client->posts.push_back(listening({{.bytes = event(kToolsChanged)}}));

    fixture.open()->set_interests({.resource_uris = {"a:1"}});
    fixture.loop.settle();

    const auto posts = fixture.client->seen_by("POST");
    ASSERT_EQ(posts.size(), 1U);
    EXPECT_TRUE(posts[0].has_line("Mcp-Method: subscriptions/listen"));
    EXPECT_TRUE(posts[0].says(
        R"("params":{"notifications":{"toolsListChanged":true,"promptsListChanged":true,)"
        R"("resourcesListChanged":true,"resourceSubscriptions":["a:1"]},"_meta":{)"));
    ASSERT_EQ(fixture.owner->notifications.size(), 1U);
    EXPECT_EQ(fixture.owner->notifications[0].method, "notifications/tools/list_changed");
    EXPECT_EQ(fixture.owner->notifications[0].params, "");
}

TEST_P(HttpModernTest, RemovesOnlyTheSubscriptionFromANotification) {
    HttpLinkFixture fixture{kModern};
    fixture.use(GetParam());
    fixture.client->posts.push_back(listening(
        {{.bytes = event(
              R"({"jsonrpc":"2.0","method":"notifications/resources/updated","params":)"
              R"({"uri":"a:1","_meta":{"k":1,"io.modelcontextprotocol/subscriptionId":1}}})")}}));

    fixture.open()->set_interests({.resource_uris = {"a:1"}});
    fixture.loop.settle();

    ASSERT_EQ(fixture.owner->notifications.size(), 1U);
    EXPECT_EQ(fixture.owner->notifications[0].params, R"({"uri":"a:1","_meta":{"k":1}})");
}

TEST_P(HttpModernTest, EndsTheOldStreamAfterTheNewOneIsAcknowledged) {
    HttpLinkFixture fixture{kModern};
    fixture.use(GetParam());
    fixture.client->posts.push_back(listening());
    fixture.open()->set_interests({});
    fixture.loop.settle();
    FakeReply slow = event_reply({{.after = 5s, .bytes = event(kAcknowledged)}});
    slow.hangs = true;
    fixture.client->posts.push_back(std::move(slow));

    fixture.open()->set_interests({.resource_uris = {"a:1"}});
    fixture.loop.run_for(4s);
    EXPECT_EQ(fixture.client->open_count, 2);

    fixture.loop.run_for(1s);
    EXPECT_EQ(fixture.client->open_count, 1);
    EXPECT_TRUE(fixture.owner->notifications.empty());
}

TEST_P(HttpModernTest, StopsListeningWhenNothingIsWanted) {
    HttpLinkFixture fixture{kModern};
    fixture.use(GetParam());
    fixture.client->posts.push_back(listening());
    fixture.open()->set_interests({});
    fixture.loop.settle();

    fixture.open()->set_interests({.lists = false});
    fixture.loop.settle();

    EXPECT_EQ(fixture.client->open_count, 0);
    EXPECT_EQ(fixture.client->seen_by("POST").size(), 1U);
}

TEST_P(HttpModernTest, ReportsChangesThatItMayHaveMissed) {
    HttpLinkFixture fixture{kModern};
    fixture.use(GetParam());
    fixture.client->posts.push_back(event_reply({{.bytes = event(kAcknowledged)}}));
    fixture.client->posts.push_back(status_reply(503));
    fixture.client->posts.push_back(listening());

    fixture.open()->set_interests({});
    fixture.loop.settle();
    EXPECT_TRUE(fixture.owner->notifications.empty());
    fixture.loop.run_for(1min);

    const auto posts = fixture.client->seen_by("POST");
    ASSERT_EQ(posts.size(), 3U);
    EXPECT_EQ(posts[1].at - posts[0].at, 1s);
    EXPECT_EQ(posts[2].at - posts[1].at, 2s);
    ASSERT_EQ(fixture.owner->notifications.size(), 3U);
    EXPECT_EQ(fixture.owner->notifications[0].method, "notifications/tools/list_changed");
    EXPECT_EQ(fixture.owner->notifications[1].method, "notifications/prompts/list_changed");
    EXPECT_EQ(fixture.owner->notifications[2].method, "notifications/resources/list_changed");
}

TEST_P(HttpModernTest, ListensAgainAfterAGracefulEnd) {
    HttpLinkFixture fixture{kModern};
    fixture.use(GetParam());
    fixture.client->posts.push_back(event_reply(
        {{.bytes = event(kAcknowledged) +
                   event(R"({"jsonrpc":"2.0","id":1,"result":{"resultType":"complete"}})")}}));
    fixture.client->posts.push_back(listening());

    fixture.open()->set_interests({});
    fixture.loop.run_for(1min);

    EXPECT_EQ(fixture.client->seen_by("POST").size(), 2U);
    EXPECT_EQ(fixture.client->open_count, 1);
}

TEST_P(HttpModernTest, DoesNotInsistOnListening) {
    HttpLinkFixture fixture{kModern};
    fixture.use(GetParam());
    fixture.client->posts.push_back(
        json_reply(R"({"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no"}})", 404));

    fixture.open()->set_interests({});
    fixture.loop.run_for(1h);

    EXPECT_EQ(fixture.client->seen_by("POST").size(), 1U);
    EXPECT_TRUE(fixture.owner->losses.empty());
}

}  // namespace
}  // namespace holdfast::downstream::testing
