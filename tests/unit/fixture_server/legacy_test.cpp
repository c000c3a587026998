#include <gtest/gtest.h>

#include "fixture_peer.hpp"

namespace holdfast::fixture {
namespace {

constexpr std::string_view kAnswer =
    R"({"jsonrpc":"2.0","id":"fixture-1","result":{"action":"accept","content":{"name":"Ada"}}})";

TEST(FixtureLegacyTest, NegotiatesTheRevision) {
    FixturePeer peer;

    const auto known = peer.send(
        R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18"}})");
    const auto modern = peer.send(
        R"({"jsonrpc":"2.0","id":2,"method":"initialize","params":{"protocolVersion":"2026-07-28"}})");

    EXPECT_EQ(part(known->messages.at(0), {"result", "protocolVersion"}), "2025-06-18");
    EXPECT_EQ(part(modern->messages.at(0), {"result", "protocolVersion"}), "2025-11-25");
}

TEST(FixtureLegacyTest, RejectsDiscovery) {
    FixturePeer peer{{.eras = ServedEras::legacy}};

    const auto answer =
        peer.send(R"({"jsonrpc":"2.0","id":1,"method":"server/discover","params":{)" +
                  FixturePeer::envelope("{}") + "}}");

    EXPECT_EQ(part(answer->messages.at(0), {"error", "code"}), -32601);
}

TEST(FixtureLegacyTest, AsksWithARequestAndWaitsForTheAnswer) {
    FixturePeer peer;
    peer.initialize(R"({"elicitation":{}})");

    const auto call = peer.call("test_input_required_result_elicitation");
    ASSERT_EQ(call->messages.size(), 1U);
    EXPECT_EQ(part(call->messages[0], {"method"}), "elicitation/create");
    peer.send(std::string{kAnswer});

    ASSERT_EQ(call->messages.size(), 2U);
    EXPECT_EQ(text_of(call->messages[1]), "Hello, Ada!");
}

TEST(FixtureLegacyTest, ReportsAClientThatRefusesToAnswer) {
    FixturePeer peer;
    peer.initialize(R"({"elicitation":{}})");

    const auto call = peer.call("ask");
    peer.send(R"({"jsonrpc":"2.0","id":"fixture-1","error":{"code":-1,"message":"no"}})");

    ASSERT_EQ(call->messages.size(), 2U);
    EXPECT_EQ(part(call->messages[1], {"result", "isError"}), true);
}

TEST(FixtureLegacyTest, DoesNotAskWhatTheClientCannotAnswer) {
    FixturePeer peer;
    peer.initialize(R"({"sampling":{}})");

    const auto call = peer.call("ask", R"(,"arguments":{"kind":"elicitation"})");

    ASSERT_EQ(call->messages.size(), 1U);
    EXPECT_EQ(part(call->messages[0], {"result", "isError"}), true);
}

TEST(FixtureLegacyTest, DoesNotAnswerACallThatWasCancelled) {
    std::vector<std::string> lines;
    FixturePeer peer{{.print_line = [&](const std::string& line) { lines.push_back(line); }}};

    const auto call = peer.call("hang");
    peer.send(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}})");

    EXPECT_TRUE(call->messages.empty());
    EXPECT_TRUE(call->is_abandoned);
    EXPECT_EQ(lines, std::vector<std::string>{"cancelled 7"});
    EXPECT_EQ(text_of(peer.call("cancel_count")->messages.at(0)), "1");
}

TEST(FixtureLegacyTest, CancelsOnlyTheIdenticallyWrittenId) {
    FixturePeer peer;

    const auto call = peer.call("hang");
    peer.send(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"7"}})");

    EXPECT_FALSE(call->is_abandoned);
    EXPECT_EQ(peer.server.cancel_count(), 0U);
}

TEST(FixtureLegacyTest, LogsFromTheLevelThatWasSet) {
    FixturePeer peer;
    peer.send(
        R"({"jsonrpc":"2.0","id":1,"method":"logging/setLevel","params":{"level":"warning"}})");

    const auto low = peer.call("emit_log", R"(,"arguments":{"level":"info","text":"a"})");
    const auto high = peer.call("emit_log", R"(,"arguments":{"level":"error","text":"b"})");

    EXPECT_EQ(low->messages.size(), 1U);
    ASSERT_EQ(high->messages.size(), 2U);
    EXPECT_EQ(part(high->messages[0], {"params", "data"}), "b");
}

TEST(FixtureLegacyTest, NotifiesOpenSessionsOfChanges) {
    FixturePeer peer;
    peer.call("test_trigger_tool_change");
    EXPECT_TRUE(peer.unrelated->messages.empty());

    peer.initialize();
    peer.call("add_tool", R"(,"arguments":{"name":"extra"})");

    ASSERT_EQ(peer.unrelated->messages.size(), 1U);
    EXPECT_EQ(part(peer.unrelated->messages[0], {"method"}), "notifications/tools/list_changed");
    EXPECT_EQ(text_of(peer.call("extra")->messages.at(0)), "This is extra.");
}

TEST(FixtureLegacyTest, NotifiesOfSubscribedResourcesOnly) {
    FixturePeer peer;
    peer.initialize();
    peer.send(
        R"({"jsonrpc":"2.0","id":1,"method":"resources/subscribe","params":{"uri":"test://a"}})");

    peer.call("touch_resource", R"(,"arguments":{"uri":"test://b"})");
    peer.call("touch_resource", R"(,"arguments":{"uri":"test://a"})");

    ASSERT_EQ(peer.unrelated->messages.size(), 1U);
    EXPECT_EQ(part(peer.unrelated->messages[0], {"params", "uri"}), "test://a");
}

TEST(FixtureLegacyTest, ReportsAnUnknownResourceWithTheOldCode) {
    FixturePeer peer;

    const auto answer = peer.send(
        R"({"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"test://nowhere"}})");

    EXPECT_EQ(part(answer->messages.at(0), {"error", "code"}), -32002);
    EXPECT_EQ(part(answer->messages.at(0), {"error", "data", "uri"}), "test://nowhere");
}

}  // namespace
}  // namespace holdfast::fixture
