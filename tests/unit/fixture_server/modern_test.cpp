#include <gtest/gtest.h>

#include "fixture_peer.hpp"

namespace holdfast::fixture {
namespace {

constexpr std::string_view kElicitation = R"({"elicitation":{}})";

std::string modern(std::string_view method, std::string_view rest = {}) {
    return R"({"jsonrpc":"2.0","id":"m","method":")" + std::string{method} + R"(","params":{)" +
           std::string{rest} + FixturePeer::envelope("{}") + "}}";
}

/// The next round of a call: the answer under that key, and the state of the round before.
std::string next_round(std::string_view message, std::string_view key, std::string_view content) {
    std::string rest = R"(,"inputResponses":{")" + std::string{key} +
                       R"(":{"action":"accept","content":)" + std::string{content} + "}}";
    const boost::json::value state = part(message, {"result", "requestState"});
    if (state.is_string()) {
        rest += R"(,"requestState":")" + std::string{state.get_string()} + "\"";
    }
    return rest;
}

TEST(FixtureModernTest, IncludesResultTypeAndCacheHints) {
    FixturePeer peer;

    const auto discovered = peer.send(modern("server/discover"));
    const auto listed = peer.send(modern("tools/list"));
    const auto called = peer.modern_call("echo", "{}", R"(,"arguments":{"text":"hi"})");

    EXPECT_EQ(part(discovered->messages.at(0), {"result", "supportedVersions"}).at(0),
              "2026-07-28");
    EXPECT_EQ(part(listed->messages.at(0), {"result", "resultType"}), "complete");
    EXPECT_EQ(part(listed->messages.at(0), {"result", "cacheScope"}), "private");
    EXPECT_EQ(part(called->messages.at(0), {"result", "resultType"}), "complete");
    EXPECT_TRUE(part(called->messages.at(0), {"result", "ttlMs"}).is_null());
}

TEST(FixtureModernTest, HasNoHandshakeInItsEra) {
    FixturePeer peer{{.eras = ServedEras::modern}};

    const auto answer = peer.send(
        R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25"}})");

    EXPECT_EQ(answer->status, 400);
    EXPECT_EQ(part(answer->messages.at(0), {"error", "code"}), -32022);
    EXPECT_EQ(part(answer->messages.at(0), {"error", "data", "supported"}).at(0), "2026-07-28");
    EXPECT_EQ(part(answer->messages.at(0), {"error", "data", "requested"}), "2025-11-25");
}

TEST(FixtureModernTest, RejectsRemovedMethods) {
    FixturePeer peer;

    const auto answer = peer.send(modern("ping"));

    EXPECT_EQ(answer->status, 404);
    EXPECT_EQ(part(answer->messages.at(0), {"error", "code"}), -32601);
}

TEST(FixtureModernTest, ReportsTheMissingCapability) {
    FixturePeer peer;

    const auto answer = peer.modern_call("test_missing_capability", "{}");

    EXPECT_EQ(answer->status, 400);
    EXPECT_EQ(part(answer->messages.at(0), {"error", "code"}), -32021);
    EXPECT_TRUE(part(answer->messages.at(0), {"error", "data", "requiredCapabilities", "sampling"})
                    .is_object());
}

TEST(FixtureModernTest, AToolThatOnlyPushesFailsInItsEra) {
    FixturePeer peer{{.only_pushes = true}};

    const auto pushed = peer.modern_call("test_sampling", R"({"sampling":{}})");
    const auto asked = peer.modern_call("test_streaming_elicitation", kElicitation);

    EXPECT_EQ(part(pushed->messages.at(0), {"result", "isError"}), true);
    EXPECT_EQ(part(asked->messages.at(0), {"result", "resultType"}), "input_required");
}

TEST(FixtureModernTest, AChannelStaysInTheEraOfItsFirstRequest) {
    FixturePeer peer;
    const std::string initialize = R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{)"
                                   R"("protocolVersion":"2025-11-25","capabilities":{}}})";

    peer.send_on_channel(modern("server/discover"));
    const auto opened = peer.send_on_channel(initialize);
    const auto listed = peer.send_on_channel(modern("tools/list"));
    FixturePeer other;
    other.send_on_channel(modern("tools/list"));
    const auto late = other.send_on_channel(initialize);

    EXPECT_EQ(part(opened->messages.at(0), {"result", "protocolVersion"}), "2025-11-25");
    EXPECT_TRUE(part(listed->messages.at(0), {"result", "resultType"}).is_null());
    EXPECT_EQ(part(late->messages.at(0), {"error", "code"}), -32022);
}

TEST(FixtureModernTest, StateCarriesAnswersBetweenRounds) {
    constexpr std::string_view kTool = "test_input_required_result_multi_round";
    FixturePeer peer;

    const std::string first = peer.modern_call(kTool, kElicitation)->messages.at(0);
    const std::string second =
        peer.modern_call(kTool, kElicitation, next_round(first, "step1", R"({"name":"Ada"})"))
            ->messages.at(0);
    const std::string third =
        peer.modern_call(kTool, kElicitation, next_round(second, "step2", R"({"color":"red"})"))
            ->messages.at(0);

    EXPECT_TRUE(part(first, {"result", "inputRequests", "step1"}).is_object());
    EXPECT_TRUE(part(second, {"result", "inputRequests", "step2"}).is_object());
    EXPECT_TRUE(part(second, {"result", "inputRequests", "step1"}).is_null());
    EXPECT_NE(part(first, {"result", "requestState"}), part(second, {"result", "requestState"}));
    EXPECT_EQ(text_of(third), "Ada likes red.");
}

TEST(FixtureModernTest, RejectsAChangedState) {
    constexpr std::string_view kTool = "test_input_required_result_tampered_state";
    FixturePeer peer;
    const std::string first = peer.modern_call(kTool, kElicitation)->messages.at(0);
    std::string retry = next_round(first, "confirm", R"({"ok":true})");
    const auto untouched = peer.modern_call(kTool, kElicitation, retry);

    retry.insert(retry.size() - 1, "-TAMPERED");
    const auto tampered = peer.modern_call(kTool, kElicitation, retry);

    EXPECT_NE(text_of(untouched->messages.at(0)).find("state-ok"), std::string::npos);
    EXPECT_EQ(part(tampered->messages.at(0), {"error", "code"}), -32602);
}

TEST(FixtureModernTest, AsksAgainAfterAnInvalidAnswer) {
    constexpr std::string_view kTool = "test_input_required_result_elicitation";
    FixturePeer peer;

    for (const std::string_view responses : {"{}", R"({"user_name":12345})", R"({"other":{}})"}) {
        const auto answer =
            peer.modern_call(kTool, kElicitation, R"(,"inputResponses":)" + std::string{responses});
        EXPECT_EQ(part(answer->messages.at(0), {"result", "resultType"}), "input_required")
            << responses;
    }
}

TEST(FixtureModernTest, LogsOnlyWhenAsked) {
    FixturePeer peer;
    const std::string call =
        R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"test_logging_tool",)";

    const auto silent = peer.send(call + FixturePeer::envelope("{}") + "}}");
    const auto logged = peer.send(
        call + FixturePeer::envelope("{}", R"(,"io.modelcontextprotocol/logLevel":"info")") + "}}");

    EXPECT_EQ(silent->messages.size(), 1U);
    EXPECT_EQ(logged->messages.size(), 2U);
}

TEST(FixtureModernTest, NotifiesASubscriptionOfItsKinds) {
    FixturePeer peer;

    const auto listen = peer.send(
        modern("subscriptions/listen", R"("notifications":{"promptsListChanged":true},)"));
    peer.call("test_trigger_tool_change");
    peer.call("test_trigger_prompt_change");

    ASSERT_EQ(listen->messages.size(), 2U);
    EXPECT_EQ(part(listen->messages[0], {"method"}), "notifications/subscriptions/acknowledged");
    EXPECT_EQ(part(listen->messages[1], {"method"}), "notifications/prompts/list_changed");
    EXPECT_EQ(
        part(listen->messages[1], {"params", "_meta", "io.modelcontextprotocol/subscriptionId"}),
        "m");
}

TEST(FixtureModernTest, EndsASubscriptionByCancellationOrAnswer) {
    FixturePeer peer;
    const std::string wish = R"("notifications":{"toolsListChanged":true},)";

    const auto left = peer.send(modern("subscriptions/listen", wish));
    peer.send(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"m"}})");
    const auto ended = peer.send(modern("subscriptions/listen", wish));
    peer.call("end_listens");
    peer.call("test_trigger_tool_change");

    EXPECT_EQ(left->messages.size(), 1U);
    ASSERT_EQ(ended->messages.size(), 2U);
    EXPECT_EQ(
        part(ended->messages[1], {"result", "_meta", "io.modelcontextprotocol/subscriptionId"}),
        "m");
    EXPECT_EQ(peer.server.cancel_count(), 0U);
}

TEST(FixtureModernTest, ChecksTheHeadersOfHttpRequests) {
    FixturePeer peer;
    const std::string call =
        R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"test_x_mcp_header",)"
        R"("arguments":{"region":"eu"},)" +
        FixturePeer::envelope("{}") + "}}";
    net::HttpHeaders headers;
    headers.add("mcp-protocol-version", "2026-07-28");
    headers.add("mcp-method", "tools/call");
    headers.add("mcp-name", "test_x_mcp_header");

    const auto without = peer.send(call, &headers);
    headers.add("mcp-param-region", "=?base64?ZXU=?=");
    const auto with = peer.send(call, &headers);

    EXPECT_EQ(without->status, 400);
    EXPECT_EQ(part(without->messages.at(0), {"error", "code"}), -32020);
    EXPECT_EQ(with->status, 200);
}

}  // namespace
}  // namespace holdfast::fixture
