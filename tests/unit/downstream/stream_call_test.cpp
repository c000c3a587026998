#include "unit/downstream/stream_link_fixture.hpp"

namespace holdfast::downstream {
namespace {

using Kind = CallFault::Kind;
using resilience::Delivery;

class StreamLinkCallTest : public StreamLinkFixture {};

INSTANTIATE_TEST_SUITE_P(CallStyles, StreamLinkCallTest,
                         ::testing::Values(testing::CallStyle::coroutine,
                                           testing::CallStyle::observer),
                         testing::name_of_style);

TEST_P(StreamLinkCallTest, WritesTheRequestAndReturnsItsAnswer) {
    open_legacy();

    const Call started = call(tool_call());
    EXPECT_EQ(sent(), R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x"}})");
    EXPECT_FALSE(started.has_ended());
    say(R"({"jsonrpc":"2.0","id":1,"result":{"content":[]}})");

    ASSERT_TRUE(started.has_ended());
    ASSERT_TRUE(started.result());
    EXPECT_FALSE(started.result()->is_error());
    EXPECT_EQ(started.result()->body(), R"({"content":[]})");
}

TEST_P(StreamLinkCallTest, MatchesAnswersById) {
    open_legacy();
    const Call first = quiet_call(tool_call());
    const Call second = quiet_call(tool_call());

    say(R"({"jsonrpc":"2.0","id":2,"error":{"code":-32000,"message":"second"}})");
    EXPECT_FALSE(first.has_ended());
    say(R"({"jsonrpc":"2.0","id":1,"result":{"n":1}})");

    ASSERT_TRUE(second.result());
    EXPECT_TRUE(second.result()->is_error());
    EXPECT_EQ(second.result()->error_code, -32000);
    EXPECT_EQ(first.result()->body(), R"({"n":1})");
}

TEST_P(StreamLinkCallTest, DropsAnswersToUnknownIds) {
    open_legacy();
    const Call started = quiet_call(tool_call());

    say(R"({"jsonrpc":"2.0","id":7,"result":{}})");
    say(R"({"jsonrpc":"2.0","id":"1","result":{}})");

    EXPECT_FALSE(started.has_ended());
    EXPECT_EQ(sent(), "");
    EXPECT_TRUE(listener->junk.empty());
}

TEST_P(StreamLinkCallTest, GivesModernRequestsTheirEnvelope) {
    open_modern();
    Request request = call_of("a");
    request.wants_progress = true;
    request.log_level = "info";
    request.meta_members = R"("traceparent":"t")";

    const Call started = call(request);

    EXPECT_EQ(sent(),
              R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","_meta":{)"
              R"("io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
              R"("io.modelcontextprotocol/clientCapabilities":{},)"
              R"("io.modelcontextprotocol/clientInfo":{"name":"holdfast","version":"0"},)"
              R"("io.modelcontextprotocol/logLevel":"info",)"
              R"("progressToken":1,"traceparent":"t"}}})");
}

TEST_P(StreamLinkCallTest, EndsAtTheDeadlineAndNotifiesTheDownstream) {
    open_legacy();
    Request request = tool_call();
    request.deadline = in(10s);
    const Call started = quiet_call(request);

    loop.run_for(9s);
    EXPECT_FALSE(started.has_ended());
    loop.run_for(1s);

    ASSERT_TRUE(started.has_ended());
    EXPECT_EQ(started.result().error().kind, Kind::timed_out);
    EXPECT_EQ(started.result().error().delivery, Delivery::sent);
    EXPECT_EQ(sent(),
              R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1,)"
              R"("reason":"The deadline has passed."}})");
    say(R"({"jsonrpc":"2.0","id":1,"result":{}})");
    EXPECT_EQ(sent(), "");
}

TEST_P(StreamLinkCallTest, EndsAtOnceWhenCancelled) {
    open_legacy();
    Call started = quiet_call(tool_call());

    started.cancel();
    loop.settle();

    ASSERT_TRUE(started.has_ended());
    EXPECT_EQ(started.result().error().kind, Kind::cancelled);
    EXPECT_NE(sent().find(R"("requestId":1)"), std::string::npos);
}

TEST_P(StreamLinkCallTest, SendsCancellationsBeforeQueuedCalls) {
    open_legacy();
    Call first = call(tool_call());
    const Call second = call(tool_call());

    first.cancel();
    loop.settle();

    EXPECT_NE(sent().find("notifications/cancelled"), std::string::npos);
    EXPECT_NE(sent().find(R"("id":1)"), std::string::npos);
}

TEST_P(StreamLinkCallTest, DoesNotSendAfterTheDeadline) {
    open_legacy();
    Request request = tool_call();
    request.deadline = resilience::Deadline::at(loop.timekeeper.now());

    const Call started = call(request);

    EXPECT_EQ(started.result().error().kind, Kind::timed_out);
    EXPECT_EQ(started.result().error().delivery, Delivery::not_sent);
    EXPECT_EQ(sent(), "");
}

TEST_P(StreamLinkCallTest, FailsEveryCallWhenTheChannelEnds) {
    open_legacy();
    const Call first = quiet_call(tool_call());
    const Call second = quiet_call(tool_call());

    peer->end();
    loop.settle();
    const Call late = call(tool_call());

    for (const Call* lost : {&first, &second}) {
        ASSERT_TRUE(lost->has_ended());
        EXPECT_EQ(lost->result().error().kind, Kind::connection_lost);
        EXPECT_EQ(lost->result().error().delivery, Delivery::sent);
    }
    EXPECT_EQ(late.result().error().kind, Kind::connection_lost);
    EXPECT_EQ(late.result().error().delivery, Delivery::not_sent);
    ASSERT_EQ(listener->losses.size(), 1U);
    EXPECT_NE(listener->losses[0].message.find("the peer has ended"), std::string::npos);
}

TEST_P(StreamLinkCallTest, FailsCallsThatTheQueueRejects) {
    open(mcp::kNewestLegacy, {}, 1);
    const Call first = call(tool_call());

    const Call second = call(tool_call());

    EXPECT_FALSE(first.has_ended());
    EXPECT_EQ(second.result().error().kind, Kind::overloaded);
    EXPECT_EQ(second.result().error().delivery, Delivery::not_sent);
}

TEST_P(StreamLinkCallTest, LimitsTheCallsInFlight) {
    open_legacy({.link = {.max_calls = 1}});
    Call first = quiet_call(tool_call());

    const Call second = call(tool_call());
    first.cancel();
    loop.settle();
    const Call third = call(tool_call());

    EXPECT_EQ(second.result().error().kind, Kind::overloaded);
    EXPECT_FALSE(third.has_ended());
}

TEST_P(StreamLinkCallTest, FailsTheOnlyCallOnJunkIfTheRuleSaysSo) {
    open_legacy({.link = {.junk = JunkRule::fail}});
    const Call started = quiet_call(tool_call());

    say("Listening on port 80");

    EXPECT_EQ(started.result().error().kind, Kind::malformed);
    EXPECT_EQ(started.result().error().delivery, Delivery::sent);
    EXPECT_EQ(started.result().error().brief, "invalid JSON from the server");
    EXPECT_TRUE(listener->junk.empty());
}

TEST_P(StreamLinkCallTest, SkipsJunkAndAcceptsTheNextAnswer) {
    open_legacy();
    const Call started = quiet_call(tool_call());

    say("Listening on port 80");
    say(R"({"level":"info","message":"a log line in JSON"})");
    EXPECT_FALSE(started.has_ended());
    say(R"({"jsonrpc":"2.0","id":1,"result":{"n":1}})");

    ASSERT_TRUE(started.result());
    EXPECT_EQ(started.result()->body(), R"({"n":1})");
    ASSERT_EQ(listener->junk.size(), 1U) << "reported once";
    EXPECT_EQ(listener->junk[0].count, 1U);
    EXPECT_EQ(listener->junk[0].quote, "Listening on port 80");
}

TEST_P(StreamLinkCallTest, QuotesTheBeginningOfALongLineAndReportsTheTenth) {
    open_legacy();

    for (int i = 0; i < 11; ++i) {
        say("\xFF " + std::string(5'000, 'x'));
    }

    ASSERT_EQ(listener->junk.size(), 2U);
    EXPECT_EQ(listener->junk[0].quote, "? " + std::string(4'094, 'x')) << "valid text";
    EXPECT_EQ(listener->junk[1].count, 10U);
}

TEST_P(StreamLinkCallTest, CountsJunkThatMayBelongToSeveralCalls) {
    for (const JunkRule rule : {JunkRule::skip, JunkRule::fail}) {
        open_legacy({.link = {.junk = rule}});
        say("junk");
        const Call first = quiet_call(tool_call());
        const Call second = quiet_call(tool_call());

        say("junk");
        peer->write_too_long();
        loop.settle();

        EXPECT_FALSE(first.has_ended());
        EXPECT_FALSE(second.has_ended());
        EXPECT_FALSE(listener->junk.empty());
        link.reset();
        loop.settle();
    }
}

TEST_P(StreamLinkCallTest, ACallThatCannotBeWrittenIsLostWithTheSameConnectionAsThoseInFlight) {
    open_legacy();
    const Call in_flight = quiet_call(tool_call());

    peer->end();
    // Not settled in between, so that the reader has not seen the end yet.
    const Call refused = call(tool_call());

    ASSERT_TRUE(in_flight.has_ended());
    ASSERT_TRUE(refused.has_ended());
    EXPECT_EQ(refused.result().error().kind, Kind::connection_lost);
    EXPECT_NE(refused.result().error().lost_connection, 0U);
    EXPECT_EQ(refused.result().error().lost_connection, in_flight.result().error().lost_connection);
}

TEST_P(StreamLinkCallTest, ReportsWhetherARequestHasBeenAnswered) {
    open_legacy();
    const Call started = quiet_call(tool_call());
    EXPECT_FALSE(link->has_answered());

    say(R"({"jsonrpc":"2.0","id":1,"result":{}})");

    EXPECT_TRUE(link->has_answered());
}

TEST_P(StreamLinkCallTest, FailsTheCallThatABrokenAnswerNames) {
    open_legacy();
    const Call first = quiet_call(tool_call());
    const Call second = quiet_call(tool_call());

    say(R"({"jsonrpc":"2.0","id":2,"result":[]})");

    EXPECT_FALSE(first.has_ended());
    EXPECT_EQ(second.result().error().kind, Kind::malformed);
}

TEST_P(StreamLinkCallTest, FailsTheOnlyCallOnAMessageOverTheLimit) {
    open_legacy();
    const Call started = quiet_call(tool_call());

    peer->write_too_long();
    loop.settle();

    EXPECT_EQ(started.result().error().kind, Kind::too_large);
}

TEST_P(StreamLinkCallTest, AssignsAnErrorWithoutIdToTheOnlyCall) {
    open_legacy();
    const Call started = quiet_call(tool_call());

    say(R"({"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}})");

    ASSERT_TRUE(started.result());
    EXPECT_EQ(started.result()->error_code, -32700);
}

TEST_P(StreamLinkCallTest, DropsAnErrorWithoutIdThatMayBelongToSeveralCalls) {
    open_legacy();
    const Call first = quiet_call(tool_call());
    const Call second = quiet_call(tool_call());

    say(R"({"jsonrpc":"2.0","error":{"code":-32700,"message":"Parse error"}})");

    EXPECT_FALSE(first.has_ended());
    EXPECT_FALSE(second.has_ended());
}

TEST_P(StreamLinkCallTest, ReadsBatchesOfTheRevisionThatHasThem) {
    open(mcp::Revision::v2025_03_26);
    const Call first = quiet_call(tool_call());
    const Call second = quiet_call(tool_call());

    say(R"([{"jsonrpc":"2.0","id":2,"result":{}},{"jsonrpc":"2.0","id":1,"result":{}}])");

    EXPECT_TRUE(first.result());
    EXPECT_TRUE(second.result());
}

TEST_P(StreamLinkCallTest, DoesNotReportARequestedEnd) {
    open_legacy();
    const Call started = quiet_call(tool_call());

    boost::asio::co_spawn(
        loop.context,
        link->close({.kind = CallFault::Kind::not_connected, .message = "It is closed."}),
        [](const std::exception_ptr&) {});
    loop.settle();
    const Call late = call(tool_call());

    EXPECT_EQ(started.result().error().message, "It is closed.");
    EXPECT_EQ(started.result().error().delivery, resilience::Delivery::sent);
    EXPECT_EQ(late.result().error().kind, Kind::not_connected);
    EXPECT_EQ(late.result().error().delivery, resilience::Delivery::not_sent);
    EXPECT_TRUE(listener->losses.empty());
    EXPECT_TRUE(peer->has_ended());
}

TEST_P(StreamLinkCallTest, FailsCallsWhenItIsDestroyed) {
    open_legacy();
    const Call started = quiet_call(tool_call());

    link.reset();
    loop.settle();

    EXPECT_EQ(started.result().error().kind, Kind::stopping);
    EXPECT_TRUE(listener->losses.empty());
    EXPECT_TRUE(peer->has_ended());
}

TEST_P(StreamLinkCallTest, SendsNotifications) {
    open_legacy();

    link->notify("notifications/roots/list_changed", "");

    EXPECT_EQ(sent(), R"({"jsonrpc":"2.0","method":"notifications/roots/list_changed"})");
}

/// Owns the link that will answer it, as a call owns its server.
struct OwningObserver final : CallObserver {
    void on_notification(Notification) override {}
    void on_question(Question) override {}
    void on_result(CallResult) override {}

    std::shared_ptr<StreamLink> link;
};

TEST(StreamLinkEndTest, ReleasesACallThatOwnsTheLinkWhenTheLoopIsDestroyed) {
    std::weak_ptr<OwningObserver> observer;
    {
        resilience::testing::VirtualLoop loop;
        const net::OwningLoop home{loop.context.get_executor(), &loop.timekeeper};
        auto channels = test::make_memory_channels(home, 16);
        auto call = std::make_shared<OwningObserver>();
        call->link = StreamLink::make(home, std::move(channels.near), {});
        call->link->serve({}, {});
        loop.settle();
        observer = call;
        const auto started = call->link->try_start(home, {.method = "tools/call"}, std::move(call));
        loop.settle();
        ASSERT_TRUE(started);
        ASSERT_FALSE(observer.expired());
    }

    EXPECT_TRUE(observer.expired());
}

}  // namespace
}  // namespace holdfast::downstream
