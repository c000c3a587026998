#include <gtest/gtest.h>

#include "downstream/tool_headers.hpp"
#include "unit/downstream/http_bench.hpp"

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

TEST(HttpModernTest, RepeatsTheBodyInItsHeaders) {
    HttpBench bench{kModern};
    bench.client->posts.push_back(
        json_reply(R"({"jsonrpc":"2.0","id":1,"result":{"resultType":"complete"}})"));

    const auto result = bench.run(tool_call("café"));

    ASSERT_TRUE(result);
    EXPECT_TRUE(result->has_result_type);
    const auto posts = bench.client->seen_by("POST");
    EXPECT_TRUE(posts[0].has_line("MCP-Protocol-Version: 2026-07-28"));
    EXPECT_TRUE(posts[0].has_line("Mcp-Method: tools/call"));
    EXPECT_TRUE(posts[0].has_line("Mcp-Name: =?base64?Y2Fmw6k=?="));
    EXPECT_EQ(posts[0].headers.find("Mcp-Session-Id"), std::string::npos);
    EXPECT_TRUE(posts[0].says(R"("io.modelcontextprotocol/protocolVersion":"2026-07-28")"));
    EXPECT_TRUE(bench.client->seen_by("GET").empty());
}

TEST(HttpModernTest, RepeatsAnnotatedArgumentsOfItsTool) {
    HttpBench bench{kModern};
    auto table = std::make_shared<ToolHeaderTable>();
    table->params["t"] = {{.path = {"region"}, .header = "Mcp-Param-Region"},
                          {.path = {"gone"}, .header = "Mcp-Param-Gone"},
                          {.path = {"none"}, .header = "Mcp-Param-None"},
                          {.path = {"deep", "on"}, .header = "Mcp-Param-On"}};
    bench.open()->set_tool_headers(std::move(table));
    bench.client->posts.push_back(json_reply(R"({"jsonrpc":"2.0","id":1,"result":{}})"));
    Request request = tool_call("t");
    request.params_members =
        R"("name":"t","arguments":{"region":" x ","none":null,"deep":{"on":true}})";

    ASSERT_TRUE(bench.run(std::move(request)));

    const auto posts = bench.client->seen_by("POST");
    EXPECT_TRUE(posts[0].has_line("Mcp-Param-Region: =?base64?IHgg?="));
    EXPECT_TRUE(posts[0].has_line("Mcp-Param-On: true"));
    EXPECT_EQ(posts[0].headers.find("Mcp-Param-Gone"), std::string::npos);
    EXPECT_EQ(posts[0].headers.find("Mcp-Param-None"), std::string::npos);
}

TEST(HttpModernTest, NamesTheMethodOfANotification) {
    HttpBench bench{kModern};

    bench.open()->notify("notifications/x", R"({"a":1})");
    bench.loop.settle();

    const auto posts = bench.client->seen_by("POST");
    ASSERT_EQ(posts.size(), 1U);
    EXPECT_TRUE(posts[0].has_line("Mcp-Method: notifications/x"));
    EXPECT_EQ(posts[0].body, R"({"jsonrpc":"2.0","method":"notifications/x","params":{"a":1}})");
}

TEST(HttpModernTest, HasNothingToGiveBackOnClose) {
    HttpBench bench{kModern};
    bench.client->posts.push_back(listening());
    bench.open()->set_interests({});
    bench.loop.settle();
    EXPECT_EQ(bench.client->open_count, 1);

    Running<bool> closing{bench.loop, closed(bench.open())};
    bench.loop.settle();

    EXPECT_TRUE(closing.has_ended());
    EXPECT_TRUE(bench.client->seen_by("DELETE").empty());
    EXPECT_EQ(bench.client->open_count, 0);
}

TEST(HttpModernTest, ListensToWhatIsWanted) {
    HttpBench bench{kModern};
    bench.client->posts.push_back(listening({{.bytes = event(kToolsChanged)}}));

    bench.open()->set_interests({.resource_uris = {"a:1"}});
    bench.loop.settle();

    const auto posts = bench.client->seen_by("POST");
    ASSERT_EQ(posts.size(), 1U);
    EXPECT_TRUE(posts[0].has_line("Mcp-Method: subscriptions/listen"));
    EXPECT_TRUE(posts[0].says(
        R"("params":{"notifications":{"toolsListChanged":true,"promptsListChanged":true,)"
        R"("resourcesListChanged":true,"resourceSubscriptions":["a:1"]},"_meta":{)"));
    ASSERT_EQ(bench.owner->notifications.size(), 1U);
    EXPECT_EQ(bench.owner->notifications[0].method, "notifications/tools/list_changed");
    EXPECT_EQ(bench.owner->notifications[0].params, "");
}

TEST(HttpModernTest, TakesOnlyTheSubscriptionOutOfANotification) {
    HttpBench bench{kModern};
    bench.client->posts.push_back(listening(
        {{.bytes = event(
              R"({"jsonrpc":"2.0","method":"notifications/resources/updated","params":)"
              R"({"uri":"a:1","_meta":{"k":1,"io.modelcontextprotocol/subscriptionId":1}}})")}}));

    bench.open()->set_interests({.resource_uris = {"a:1"}});
    bench.loop.settle();

    ASSERT_EQ(bench.owner->notifications.size(), 1U);
    EXPECT_EQ(bench.owner->notifications[0].params, R"({"uri":"a:1","_meta":{"k":1}})");
}

TEST(HttpModernTest, EndsTheOldStreamAfterTheNewOneIsAcknowledged) {
    HttpBench bench{kModern};
    bench.client->posts.push_back(listening());
    bench.open()->set_interests({});
    bench.loop.settle();
    FakeReply slow = event_reply({{.after = 5s, .bytes = event(kAcknowledged)}});
    slow.hangs = true;
    bench.client->posts.push_back(std::move(slow));

    bench.open()->set_interests({.resource_uris = {"a:1"}});
    bench.loop.run_for(4s);
    EXPECT_EQ(bench.client->open_count, 2);

    bench.loop.run_for(1s);
    EXPECT_EQ(bench.client->open_count, 1);
    EXPECT_TRUE(bench.owner->notifications.empty());
}

TEST(HttpModernTest, StopsListeningWhenNothingIsWanted) {
    HttpBench bench{kModern};
    bench.client->posts.push_back(listening());
    bench.open()->set_interests({});
    bench.loop.settle();

    bench.open()->set_interests({.lists = false});
    bench.loop.settle();

    EXPECT_EQ(bench.client->open_count, 0);
    EXPECT_EQ(bench.client->seen_by("POST").size(), 1U);
}

TEST(HttpModernTest, TellsOfChangesThatItMayHaveMissed) {
    HttpBench bench{kModern};
    bench.client->posts.push_back(event_reply({{.bytes = event(kAcknowledged)}}));
    bench.client->posts.push_back(status_reply(503));
    bench.client->posts.push_back(listening());

    bench.open()->set_interests({});
    bench.loop.settle();
    EXPECT_TRUE(bench.owner->notifications.empty());
    bench.loop.run_for(1min);

    const auto posts = bench.client->seen_by("POST");
    ASSERT_EQ(posts.size(), 3U);
    EXPECT_EQ(posts[1].at - posts[0].at, 1s);
    EXPECT_EQ(posts[2].at - posts[1].at, 2s);
    ASSERT_EQ(bench.owner->notifications.size(), 3U);
    EXPECT_EQ(bench.owner->notifications[0].method, "notifications/tools/list_changed");
    EXPECT_EQ(bench.owner->notifications[1].method, "notifications/prompts/list_changed");
    EXPECT_EQ(bench.owner->notifications[2].method, "notifications/resources/list_changed");
}

TEST(HttpModernTest, ListensAgainAfterAGracefulEnd) {
    HttpBench bench{kModern};
    bench.client->posts.push_back(event_reply(
        {{.bytes = event(kAcknowledged) +
                   event(R"({"jsonrpc":"2.0","id":1,"result":{"resultType":"complete"}})")}}));
    bench.client->posts.push_back(listening());

    bench.open()->set_interests({});
    bench.loop.run_for(1min);

    EXPECT_EQ(bench.client->seen_by("POST").size(), 2U);
    EXPECT_EQ(bench.client->open_count, 1);
}

TEST(HttpModernTest, DoesNotInsistOnListening) {
    HttpBench bench{kModern};
    bench.client->posts.push_back(
        json_reply(R"({"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no"}})", 404));

    bench.open()->set_interests({});
    bench.loop.run_for(1h);

    EXPECT_EQ(bench.client->seen_by("POST").size(), 1U);
    EXPECT_TRUE(bench.owner->losses.empty());
}

}  // namespace
}  // namespace holdfast::downstream::testing
