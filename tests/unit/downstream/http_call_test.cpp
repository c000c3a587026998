#include <gtest/gtest.h>

#include "unit/downstream/http_link_fixture.hpp"

namespace holdfast::downstream::testing {
namespace {

using Kind = CallFault::Kind;
using resilience::Delivery;

constexpr auto kLegacy = mcp::Revision::v2025_11_25;
const std::string kResult = R"({"jsonrpc":"2.0","id":1,"result":{"content":[]}})";

class HttpCallTest : public CallStyleTest {};
INSTANTIATE_TEST_SUITE_P(CallStyles, HttpCallTest,
                         ::testing::Values(CallStyle::coroutine, CallStyle::observer),
                         name_of_style);

TEST_P(HttpCallTest, SendsOneRequestWithTheHeadersOfItsSession) {
    HttpLinkFixture fixture{kLegacy, "s-1", "X-Key: k\r\n"};
    fixture.use(GetParam());
    fixture.client->posts.push_back(json_reply(kResult));

    const auto result = fixture.run(tool_call());

    ASSERT_TRUE(result);
    EXPECT_EQ(result->body(), R"({"content":[]})");
    EXPECT_EQ(result->http_status, 200);
    const auto posts = fixture.client->seen_by("POST");
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

TEST_P(HttpCallTest, OmitsTheVersionHeaderForOlderRevisions) {
    HttpLinkFixture fixture{mcp::Revision::v2025_03_26};
    fixture.use(GetParam());
    fixture.client->posts.push_back(json_reply(kResult));

    ASSERT_TRUE(fixture.run(tool_call()));

    const auto posts = fixture.client->seen_by("POST");
    EXPECT_EQ(posts[0].headers.find("MCP-Protocol-Version"), std::string::npos);
    EXPECT_EQ(posts[0].headers.find("Mcp-Session-Id"), std::string::npos);
}

TEST_P(HttpCallTest, AcceptsABatchOfOne) {
    HttpLinkFixture fixture{kLegacy};
    fixture.use(GetParam());
    fixture.client->posts.push_back(json_reply("[" + kResult + "]"));

    const auto result = fixture.run(tool_call());

    ASSERT_TRUE(result);
    EXPECT_EQ(result->body(), R"({"content":[]})");
}

TEST_P(HttpCallTest, GivesEveryRequestItsOwnId) {
    HttpLinkFixture fixture{kLegacy};
    fixture.use(GetParam());
    fixture.client->posts.push_back(json_reply(kResult));
    fixture.client->posts.push_back(json_reply(R"({"jsonrpc":"2.0","id":2,"result":{}})"));

    EXPECT_TRUE(fixture.run(tool_call()));
    EXPECT_TRUE(fixture.run(tool_call()));
}

TEST_P(HttpCallTest, RejectsAnAnswerToAnotherRequest) {
    HttpLinkFixture fixture{kLegacy};
    fixture.use(GetParam());
    fixture.client->posts.push_back(json_reply(R"({"jsonrpc":"2.0","id":7,"result":{}})"));

    const auto result = fixture.run(tool_call());

    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().kind, Kind::malformed);
    EXPECT_EQ(result.error().delivery, Delivery::sent);
}

TEST_P(HttpCallTest, ReportsInvalidJsonAsMalformed) {
    HttpLinkFixture fixture{kLegacy};
    fixture.use(GetParam());
    fixture.client->posts.push_back(json_reply("<html>"));

    const auto result = fixture.run(tool_call());

    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().kind, Kind::malformed);
}

TEST_P(HttpCallTest, ReturnsAnErrorWithItsStatus) {
    HttpLinkFixture fixture{kLegacy};
    fixture.use(GetParam());
    fixture.client->posts.push_back(
        json_reply(R"({"jsonrpc":"2.0","id":1,"error":{"code":-32020,"message":"m"}})", 400));

    const auto result = fixture.run(tool_call());

    ASSERT_TRUE(result);
    EXPECT_TRUE(result->is_error());
    EXPECT_EQ(result->error_code, -32020);
    EXPECT_EQ(result->http_status, 400);
}

TEST_P(HttpCallTest, DistinguishesStatusesWithoutABody) {
    const std::vector<std::pair<int, Kind>> cases{
        {401, Kind::unauthorized}, {403, Kind::unauthorized}, {429, Kind::rate_limited},
        {404, Kind::http_status},  {302, Kind::http_status},  {503, Kind::http_status}};
    for (const auto& [status, kind] : cases) {
        HttpLinkFixture fixture{kLegacy};
        fixture.use(GetParam());
        fixture.client->posts.push_back(status_reply(status));

        const auto result = fixture.run(tool_call());

        ASSERT_FALSE(result) << status;
        EXPECT_EQ(result.error().kind, kind) << status;
        EXPECT_EQ(result.error().http_status, status);
        EXPECT_EQ(result.error().delivery, Delivery::answered);
    }
}

TEST_P(HttpCallTest, ReportsWhetherARequestMayHaveArrived) {
    HttpLinkFixture fixture{kLegacy};
    fixture.use(GetParam());
    fixture.client->posts.push_back(
        {.error = net::HttpClientError{.error = {.code = net::NetErrc::closed, .message = "no"}}});
    fixture.client->posts.push_back(
        {.error = net::HttpClientError{.error = {.code = net::NetErrc::closed, .message = "no"},
                                       .may_have_arrived = true}});

    const auto refused = fixture.run(tool_call());
    const auto lost = fixture.run(tool_call());

    EXPECT_EQ(refused.error().kind, Kind::unreachable);
    EXPECT_EQ(refused.error().delivery, Delivery::not_sent);
    EXPECT_EQ(lost.error().kind, Kind::connection_lost);
    EXPECT_EQ(lost.error().delivery, Delivery::sent);
}

TEST_P(HttpCallTest, LimitsTheSizeOfAnAnswer) {
    HttpLinkFixture fixture{kLegacy};
    fixture.use(GetParam());
    fixture.parts.options.max_message_bytes = 10;
    fixture.client->posts.push_back(json_reply(kResult));

    EXPECT_EQ(fixture.run(tool_call()).error().kind, Kind::too_large);
}

TEST_P(HttpCallTest, LimitsTheCallsInFlight) {
    HttpLinkFixture fixture{kLegacy};
    fixture.use(GetParam());
    fixture.parts.options.max_calls = 1;
    fixture.client->posts.push_back({.hangs = true});
    fixture.client->posts.push_back(json_reply(R"({"jsonrpc":"2.0","id":2,"result":{}})"));
    auto first = fixture.start(tool_call());
    fixture.loop.settle();

    auto second = fixture.start(tool_call());
    fixture.loop.settle();
    first.cancel();
    fixture.loop.settle();
    auto third = fixture.start(tool_call());
    fixture.loop.settle();

    EXPECT_EQ(second.result().error().kind, Kind::overloaded);
    EXPECT_TRUE(third.result());
}

TEST_P(HttpCallTest, CancelsACallWhoseAnswerBeginsInTheSameTurn) {
    HttpLinkFixture fixture{kLegacy, "s-1"};
    fixture.use(GetParam());
    fixture.client->posts.push_back(
        {.header_lines = {std::string{kEvents}}, .hangs = true, .head_after = 1s});
    auto call = fixture.start(tool_call());
    fixture.loop.settle();

    fixture.loop.timekeeper.advance_to(fixture.now() + 1s);  // The head is ready to be reported.
    call.cancel();
    fixture.loop.settle();

    ASSERT_TRUE(call.has_ended());
    EXPECT_EQ(call.result().error().kind, Kind::cancelled);
    EXPECT_EQ(fixture.client->open_count, 0);
    EXPECT_EQ(fixture.client->messages().size(), 1U);  // The server is notified.
}

TEST_P(HttpCallTest, NotifiesALegacyServerOfATimeout) {
    HttpLinkFixture fixture{kLegacy, "s-1"};
    fixture.use(GetParam());
    fixture.client->posts.push_back({.hangs = true});
    Request request = tool_call();
    request.deadline = fixture.within(3s);

    auto call = fixture.start(std::move(request));
    fixture.loop.run_for(3s);

    ASSERT_TRUE(call.has_ended());
    EXPECT_EQ(call.result().error().kind, Kind::timed_out);
    EXPECT_EQ(call.result().error().delivery, Delivery::sent);
    const auto messages = fixture.client->messages();
    ASSERT_EQ(messages.size(), 1U);
    EXPECT_NE(messages[0].find(R"("method":"notifications/cancelled")"), std::string::npos);
    EXPECT_NE(messages[0].find(R"("requestId":1)"), std::string::npos);
    EXPECT_EQ(fixture.client->open_count, 0);
}

TEST_P(HttpCallTest, NotifiesALegacyServerOfACancellation) {
    HttpLinkFixture fixture{kLegacy};
    fixture.use(GetParam());
    fixture.client->posts.push_back({.hangs = true});
    auto call = fixture.start(tool_call());
    fixture.loop.settle();

    call.cancel();
    fixture.loop.settle();

    EXPECT_EQ(call.result().error().kind, Kind::cancelled);
    EXPECT_EQ(fixture.client->messages().size(), 1U);
}

TEST_P(HttpCallTest, HangsUpOnAModernServer) {
    HttpLinkFixture fixture{mcp::Revision::v2026_07_28};
    fixture.use(GetParam());
    fixture.client->posts.push_back({.hangs = true});
    auto call = fixture.start(tool_call());
    fixture.loop.settle();
    EXPECT_EQ(fixture.client->open_count, 1);

    call.cancel();
    fixture.loop.settle();

    EXPECT_EQ(call.result().error().kind, Kind::cancelled);
    EXPECT_TRUE(fixture.client->messages().empty());
    EXPECT_EQ(fixture.client->open_count, 0);
}

TEST_P(HttpCallTest, RefusesCallsOnceItIsClosed) {
    HttpLinkFixture fixture{kLegacy};
    fixture.use(GetParam());
    Running<bool> closing{fixture.loop, closed(fixture.open())};
    fixture.loop.settle();

    EXPECT_EQ(fixture.run(tool_call()).error().kind, Kind::stopping);
}

}  // namespace
}  // namespace holdfast::downstream::testing
