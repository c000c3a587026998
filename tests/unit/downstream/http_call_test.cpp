#include <gtest/gtest.h>

#include "unit/downstream/http_bench.hpp"

namespace holdfast::downstream::testing {
namespace {

using Kind = CallFault::Kind;
using resilience::Delivery;

constexpr auto kLegacy = mcp::Revision::v2025_11_25;
const std::string kResult = R"({"jsonrpc":"2.0","id":1,"result":{"content":[]}})";

TEST(HttpCallTest, SendsOneRequestWithTheHeadersOfItsSession) {
    HttpBench bench{kLegacy, "s-1", "X-Key: k\r\n"};
    bench.client->posts.push_back(json_reply(kResult));

    const auto result = bench.run(tool_call());

    ASSERT_TRUE(result);
    EXPECT_EQ(result->body(), R"({"content":[]})");
    EXPECT_EQ(result->http_status, 200);
    const auto posts = bench.client->seen_by("POST");
    ASSERT_EQ(posts.size(), 1U);
    EXPECT_EQ(posts[0].target, "/mcp");
    EXPECT_TRUE(posts[0].has_line("Content-Type: application/json"));
    EXPECT_TRUE(posts[0].has_line("Accept: application/json, text/event-stream"));
    EXPECT_TRUE(posts[0].has_line("MCP-Protocol-Version: 2025-11-25"));
    EXPECT_TRUE(posts[0].has_line("Mcp-Session-Id: s-1"));
    EXPECT_TRUE(posts[0].has_line("X-Key: k"));
    EXPECT_EQ(posts[0].body, R"({"jsonrpc":"2.0","id":1,"method":"tools/call",)"
                             R"("params":{"name":"echo","arguments":{}}})");
}

TEST(HttpCallTest, LeavesOutTheVersionHeaderBeforeItExisted) {
    HttpBench bench{mcp::Revision::v2025_03_26};
    bench.client->posts.push_back(json_reply(kResult));

    ASSERT_TRUE(bench.run(tool_call()));

    const auto posts = bench.client->seen_by("POST");
    EXPECT_EQ(posts[0].headers.find("MCP-Protocol-Version"), std::string::npos);
    EXPECT_EQ(posts[0].headers.find("Mcp-Session-Id"), std::string::npos);
}

TEST(HttpCallTest, TakesABatchOfOne) {
    HttpBench bench{kLegacy};
    bench.client->posts.push_back(json_reply("[" + kResult + "]"));

    const auto result = bench.run(tool_call());

    ASSERT_TRUE(result);
    EXPECT_EQ(result->body(), R"({"content":[]})");
}

TEST(HttpCallTest, GivesEveryRequestItsOwnId) {
    HttpBench bench{kLegacy};
    bench.client->posts.push_back(json_reply(kResult));
    bench.client->posts.push_back(json_reply(R"({"jsonrpc":"2.0","id":2,"result":{}})"));

    EXPECT_TRUE(bench.run(tool_call()));
    EXPECT_TRUE(bench.run(tool_call()));
}

TEST(HttpCallTest, RefusesAnAnswerToAnotherRequest) {
    HttpBench bench{kLegacy};
    bench.client->posts.push_back(json_reply(R"({"jsonrpc":"2.0","id":7,"result":{}})"));

    const auto result = bench.run(tool_call());

    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().kind, Kind::malformed);
    EXPECT_EQ(result.error().delivery, Delivery::sent);
}

TEST(HttpCallTest, CallsWhatIsNotJsonMalformed) {
    HttpBench bench{kLegacy};
    bench.client->posts.push_back(json_reply("<html>"));

    const auto result = bench.run(tool_call());

    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().kind, Kind::malformed);
}

TEST(HttpCallTest, PassesOnAnErrorWithItsStatus) {
    HttpBench bench{kLegacy};
    bench.client->posts.push_back(
        json_reply(R"({"jsonrpc":"2.0","id":1,"error":{"code":-32020,"message":"m"}})", 400));

    const auto result = bench.run(tool_call());

    ASSERT_TRUE(result);
    EXPECT_TRUE(result->is_error());
    EXPECT_EQ(result->error_code, -32020);
    EXPECT_EQ(result->http_status, 400);
}

TEST(HttpCallTest, TellsBareStatusesApart) {
    const std::vector<std::pair<int, Kind>> cases{
        {401, Kind::unauthorized}, {403, Kind::unauthorized}, {429, Kind::rate_limited},
        {404, Kind::http_status},  {302, Kind::http_status},  {503, Kind::http_status}};
    for (const auto& [status, kind] : cases) {
        HttpBench bench{kLegacy};
        bench.client->posts.push_back(status_reply(status));

        const auto result = bench.run(tool_call());

        ASSERT_FALSE(result) << status;
        EXPECT_EQ(result.error().kind, kind) << status;
        EXPECT_EQ(result.error().http_status, status);
        EXPECT_EQ(result.error().delivery, Delivery::answered);
    }
}

TEST(HttpCallTest, SaysWhetherARequestMayHaveArrived) {
    HttpBench bench{kLegacy};
    bench.client->posts.push_back(
        {.error = net::HttpClientError{.error = {.code = net::NetErrc::closed, .message = "no"}}});
    bench.client->posts.push_back(
        {.error = net::HttpClientError{.error = {.code = net::NetErrc::closed, .message = "no"},
                                       .may_have_arrived = true}});

    const auto refused = bench.run(tool_call());
    const auto lost = bench.run(tool_call());

    EXPECT_EQ(refused.error().kind, Kind::unreachable);
    EXPECT_EQ(refused.error().delivery, Delivery::not_sent);
    EXPECT_EQ(lost.error().kind, Kind::connection_lost);
    EXPECT_EQ(lost.error().delivery, Delivery::sent);
}

TEST(HttpCallTest, LimitsTheSizeOfAnAnswer) {
    HttpBench bench{kLegacy};
    bench.parts.options.max_message_bytes = 10;
    bench.client->posts.push_back(json_reply(kResult));

    EXPECT_EQ(bench.run(tool_call()).error().kind, Kind::too_large);
}

TEST(HttpCallTest, LimitsTheCallsInFlight) {
    HttpBench bench{kLegacy};
    bench.parts.options.max_calls = 1;
    bench.client->posts.push_back({.hangs = true});
    bench.client->posts.push_back(json_reply(R"({"jsonrpc":"2.0","id":3,"result":{}})"));
    auto first = bench.start(tool_call());
    bench.loop.settle();

    auto second = bench.start(tool_call());
    bench.loop.settle();
    first.cancel();
    bench.loop.settle();
    auto third = bench.start(tool_call());
    bench.loop.settle();

    EXPECT_EQ(second.result().error().kind, Kind::overloaded);
    EXPECT_TRUE(third.result());
}

TEST(HttpCallTest, TellsALegacyServerThatTheTimeIsOver) {
    HttpBench bench{kLegacy, "s-1"};
    bench.client->posts.push_back({.hangs = true});
    Request request = tool_call();
    request.deadline = bench.within(3s);

    auto call = bench.start(std::move(request));
    bench.loop.run_for(3s);

    ASSERT_TRUE(call.has_ended());
    EXPECT_EQ(call.result().error().kind, Kind::timed_out);
    EXPECT_EQ(call.result().error().delivery, Delivery::sent);
    const auto messages = bench.client->messages();
    ASSERT_EQ(messages.size(), 1U);
    EXPECT_NE(messages[0].find(R"("method":"notifications/cancelled")"), std::string::npos);
    EXPECT_NE(messages[0].find(R"("requestId":1)"), std::string::npos);
    EXPECT_EQ(bench.client->open_count, 0);
}

TEST(HttpCallTest, TellsALegacyServerThatNobodyWaits) {
    HttpBench bench{kLegacy};
    bench.client->posts.push_back({.hangs = true});
    auto call = bench.start(tool_call());
    bench.loop.settle();

    call.cancel();
    bench.loop.settle();

    EXPECT_EQ(call.result().error().kind, Kind::cancelled);
    EXPECT_EQ(bench.client->messages().size(), 1U);
}

TEST(HttpCallTest, HangsUpOnAModernServer) {
    HttpBench bench{mcp::Revision::v2026_07_28};
    bench.client->posts.push_back({.hangs = true});
    auto call = bench.start(tool_call());
    bench.loop.settle();
    EXPECT_EQ(bench.client->open_count, 1);

    call.cancel();
    bench.loop.settle();

    EXPECT_EQ(call.result().error().kind, Kind::cancelled);
    EXPECT_TRUE(bench.client->messages().empty());
    EXPECT_EQ(bench.client->open_count, 0);
}

TEST(HttpCallTest, RefusesCallsOnceItIsClosed) {
    HttpBench bench{kLegacy};
    Running<bool> closing{bench.loop, closed(bench.open())};
    bench.loop.settle();

    EXPECT_EQ(bench.run(tool_call()).error().kind, Kind::stopping);
}

}  // namespace
}  // namespace holdfast::downstream::testing
