#include "downstream_world.hpp"

namespace holdfast::downstream {
namespace {

using namespace std::chrono_literals;
using testing::DownstreamTest;
using testing::FakeLink;
using testing::OpenPlan;
using testing::Running;
using Kind = CallFault::Kind;

TEST_F(DownstreamTest, OpensNothingUntilItIsNeeded) {
    make();
    loop.settle();

    EXPECT_TRUE(server->opens.empty());
    EXPECT_EQ(downstream->status().state, LinkState::idle);
}

TEST_F(DownstreamTest, StartsAndWaitsWhenItIsCalled) {
    accept_opens(2s);
    make();

    const Running running = call();
    const Running second = call();
    loop.run_for(1s);
    EXPECT_EQ(downstream->status().state, LinkState::connecting);
    loop.run_for(1s);
    answer_all(server->last());

    EXPECT_TRUE(running.is_answered());
    EXPECT_TRUE(second.is_answered());
    EXPECT_EQ(server->opens.size(), 1U);
    EXPECT_EQ(server->opens.front().capabilities,
              R"({"roots":{"listChanged":true},"sampling":{"tools":{}},)"
              R"("elicitation":{"form":{},"url":{}}})");
}

TEST_F(DownstreamTest, WaitsForTheLinkNoLongerThanTheDeadline) {
    accept_opens(10s);
    make();

    const Running running = call({}, 3s);
    loop.run_for(3s - 1ns);
    EXPECT_FALSE(running.has_ended());
    loop.run_for(1ns);

    ASSERT_TRUE(running.has_ended());
    EXPECT_EQ(running.fault().kind, Kind::not_connected);
    EXPECT_EQ(running.fault().delivery, resilience::Delivery::not_sent);
    EXPECT_FALSE(running.fault().is_final);
}

TEST_F(DownstreamTest, EndsAWaitingCallThatIsCancelled) {
    accept_opens(10s);
    make();
    Running running = call();
    loop.run_for(1s);

    running.cancel();
    loop.settle();

    ASSERT_TRUE(running.has_ended());
    EXPECT_EQ(running.fault().kind, Kind::not_connected);
    EXPECT_EQ(running.fault().delivery, resilience::Delivery::not_sent);
}

TEST_F(DownstreamTest, FailsAtOnceWithTheTimeOfTheNextAttempt) {
    options.reconnect.base = 10s;
    refuse_opens("Nobody listens there.");
    make();
    const Running first = call();
    loop.run_for(4s);

    const Running second = call();
    loop.settle();

    ASSERT_TRUE(first.has_ended());
    EXPECT_EQ(first.fault().kind, Kind::not_connected);
    EXPECT_EQ(first.fault().retry_after, 10s);
    ASSERT_TRUE(second.has_ended());
    EXPECT_EQ(second.fault().kind, Kind::not_connected);
    EXPECT_EQ(second.fault().retry_after, 6s);
    EXPECT_EQ(
        second.fault().message,
        "The server \"box\" is not connected: Nobody listens there. The next connection attempt "
        "is in 6 s.");
    EXPECT_EQ(downstream->status().next_attempt_at, loop.timekeeper.now() + 6s);
    EXPECT_EQ(server->opens.size(), 1U);
}

/// A downstream that was just disconnected and is dialled again in 10 s.
class LostDownstreamTest : public DownstreamTest {
protected:
    LostDownstreamTest() { options.reconnect.base = 10s; }

    void lose() {
        make_ready();
        server->last().lose();
        ASSERT_EQ(downstream->status().state, LinkState::waiting);
    }
    [[nodiscard]] Running call_waiting(ConnectionWait wait, resilience::Duration limit = 5min) {
        Request request;
        request.method = "tools/call";
        request.deadline = resilience::Deadline::after(loop.timekeeper.now(), limit);
        request.connection_wait = wait;
        return {home(), *downstream, std::move(request)};
    }
};

TEST_F(LostDownstreamTest, CallsWaitForTheFirstDialAndAreSentOnTheNewLink) {
    for (const ConnectionWait wait : {ConnectionWait::first_try, ConnectionWait::always}) {
        lose();
        const Running running = call_waiting(wait);
        loop.run_for(10s - 1ns);
        EXPECT_FALSE(running.has_ended());

        loop.run_for(1ns);
        answer_all(server->last());

        EXPECT_TRUE(running.is_answered());
    }
}

TEST_F(LostDownstreamTest, CallsThatNeverWaitFailAtOnceWithTheNextDial) {
    lose();
    loop.run_for(4s);

    const Running waiting = call_waiting(ConnectionWait::never);
    loop.settle();
    ASSERT_TRUE(waiting.has_ended());
    EXPECT_EQ(waiting.fault().kind, Kind::not_connected);
    EXPECT_EQ(waiting.fault().retry_after, 6s);
    EXPECT_TRUE(waiting.fault().is_final);

    accept_opens(3s);
    loop.run_for(6s);
    ASSERT_EQ(downstream->status().state, LinkState::connecting);
    const Running dialling = call_waiting(ConnectionWait::never);
    loop.settle();
    ASSERT_TRUE(dialling.has_ended());
    EXPECT_EQ(dialling.fault().kind, Kind::not_connected);
    EXPECT_GT(*dialling.fault().retry_after, 0s);
}

TEST_F(LostDownstreamTest, EveryCallWaitsForTheVeryFirstDial) {
    accept_opens(2s);
    make();
    const Running running = call_waiting(ConnectionWait::never);

    loop.run_for(2s);
    answer_all(server->last());

    EXPECT_TRUE(running.is_answered());
}

TEST_F(LostDownstreamTest, AfterTheFirstFailedDialCallsFailAtOnceUnlessTheyAlwaysWait) {
    lose();
    refuse_opens();
    const Running before = call_waiting(ConnectionWait::first_try);
    const Running patient = call_waiting(ConnectionWait::always);
    loop.run_for(10s);

    ASSERT_TRUE(before.has_ended());
    EXPECT_EQ(before.fault().kind, Kind::not_connected);
    EXPECT_EQ(before.fault().retry_after, 20s);
    EXPECT_FALSE(patient.has_ended());
    const Running after = call_waiting(ConnectionWait::first_try);
    loop.settle();
    ASSERT_TRUE(after.has_ended());
    EXPECT_EQ(after.fault().retry_after, 20s);

    accept_opens();
    loop.run_for(20s);
    answer_all(server->last());
    EXPECT_TRUE(patient.is_answered());
}

TEST_F(LostDownstreamTest, AfterAFailedDialCallsDoNotWaitForTheNextOneEither) {
    lose();
    refuse_opens();
    loop.run_for(10s);
    accept_opens(5s);
    loop.run_for(20s);
    ASSERT_EQ(downstream->status().state, LinkState::connecting);

    const Running running = call_waiting(ConnectionWait::first_try);
    loop.settle();

    ASSERT_TRUE(running.has_ended());
    EXPECT_EQ(running.fault().kind, Kind::not_connected);
}

TEST_F(LostDownstreamTest, CallsThatAlwaysWaitGiveUpWithTheReconnectionAttempts) {
    options.reconnect_attempts = 2;
    lose();
    refuse_opens();
    const Running running = call_waiting(ConnectionWait::always);
    loop.run_for(10s);
    EXPECT_FALSE(running.has_ended());

    loop.run_for(20s);

    ASSERT_TRUE(running.has_ended());
    EXPECT_TRUE(running.fault().is_given_up);
    EXPECT_NE(running.fault().message.find("2 connection attempts have failed"), std::string::npos)
        << running.fault().message;
}

TEST_F(LostDownstreamTest, AWaitThatTheDeadlineEndsWasNotSentAndMayBeRepeated) {
    lose();
    const Running running = call_waiting(ConnectionWait::first_try, 3s);

    loop.run_for(3s);

    ASSERT_TRUE(running.has_ended());
    EXPECT_EQ(running.fault().kind, Kind::not_connected);
    EXPECT_EQ(running.fault().delivery, resilience::Delivery::not_sent);
    EXPECT_FALSE(running.fault().is_final);
    EXPECT_EQ(running.fault().retry_after, 7s);
}

TEST_F(DownstreamTest, WaitsForAPeerThatConnectsByItself) {
    options.waits_for_peer = true;
    refuse_opens("nothing has connected");
    make();
    downstream->start();
    loop.run_for(1h);
    const Running early = call();
    loop.settle();
    ASSERT_TRUE(early.has_ended());
    EXPECT_EQ(early.fault().message, "The server \"box\" is not connected: nothing has connected.");
    EXPECT_EQ(early.fault().retry_after, std::nullopt);
    EXPECT_EQ(server->opens.size(), 1U) << "nothing is tried in between";

    accept_opens();
    downstream->on_available();
    loop.settle();

    EXPECT_EQ(downstream->status().state, LinkState::ready);
    refuse_opens("nothing has connected");
    server->last().lose();
    loop.run_for(1h);
    EXPECT_EQ(downstream->status().state, LinkState::waiting);
    EXPECT_EQ(downstream->status().reason, "nothing has connected");
    EXPECT_EQ(server->opens.size(), 3U);
}

TEST_F(DownstreamTest, StartsWithAPeerThatConnectsBeforeTheFirstCall) {
    options.waits_for_peer = true;
    make();

    downstream->on_available();
    loop.settle();

    EXPECT_EQ(downstream->status().state, LinkState::ready);
    downstream->start();
    loop.settle();
    EXPECT_EQ(server->opens.size(), 1U);
}

TEST_F(DownstreamTest, ReportsThatItWasNotAuthorized) {
    server->plan = [](const LinkPurpose&) {
        return OpenPlan{.fault = CallFault{.kind = Kind::unauthorized, .message = "No key."}};
    };
    make();

    const Running running = call();
    loop.settle();

    ASSERT_TRUE(running.has_ended());
    EXPECT_EQ(running.fault().kind, Kind::unauthorized);
}

TEST_F(DownstreamTest, RetriesWithGrowingDelaysUntilItIsAuthorized) {
    options.reconnect.base = 1s;
    refuse_opens();
    make();
    downstream->start();
    loop.run_for(1s + 2s);
    accept_opens();
    EXPECT_EQ(downstream->status().failures_in_row, 3U);
    loop.run_for(4s);

    EXPECT_EQ(downstream->status().state, LinkState::ready);
    EXPECT_EQ(server->opens.size(), 4U);
    EXPECT_EQ(server->most_opening, 1);
    const auto begun = server->opened_at.front();
    EXPECT_EQ(server->opened_at, (std::vector{begun, begun + 1s, begun + 3s, begun + 7s}));
}

TEST_F(DownstreamTest, IsGivenUpAfterExactlyTheAllowedDialsAndTheFirstIsOneOfThem) {
    options.reconnect.base = 1s;
    options.reconnect_attempts = 3;
    refuse_opens();
    make();
    downstream->start();
    loop.run_for(1s);
    EXPECT_EQ(server->opens.size(), 2U);
    EXPECT_FALSE(downstream->status().is_given_up);

    loop.run_for(2s);
    const Running running = call();
    loop.settle();

    EXPECT_EQ(server->opens.size(), 3U);
    EXPECT_TRUE(downstream->status().is_given_up);
    ASSERT_TRUE(running.has_ended());
    EXPECT_TRUE(running.fault().is_given_up);
    EXPECT_NE(running.fault().message.find("3 connection attempts have failed."), std::string::npos)
        << running.fault().message;
}

TEST_F(DownstreamTest, ALostLinkDoesNotCountAsADial) {
    options.reconnect.base = 1s;
    options.reconnect_attempts = 2;
    make_ready();
    refuse_opens();

    server->last().lose();
    loop.run_for(1s);
    EXPECT_EQ(downstream->status().failed_dials, 1U);
    EXPECT_FALSE(downstream->status().is_given_up);

    loop.run_for(2s);
    EXPECT_EQ(downstream->status().failed_dials, 2U);
    EXPECT_TRUE(downstream->status().is_given_up);

    accept_opens();
    loop.run_for(4s);
    EXPECT_EQ(downstream->status().failed_dials, 0U);
    EXPECT_FALSE(downstream->status().is_given_up);
}

TEST_F(DownstreamTest, ReplacesAtOnceALinkThatHasLasted) {
    make_ready();
    loop.run_for(options.sustained_uptime);
    accept_opens(1s);

    server->last().lose();
    const Running running = call();
    loop.run_for(1s);
    answer_all(server->last());

    EXPECT_EQ(server->links.size(), 2U);
    EXPECT_TRUE(running.is_answered());
}

TEST_F(DownstreamTest, DampsACrashLoop) {
    options.reconnect.base = 1s;
    options.reconnect.cap = 60s;
    server->plan = [](const LinkPurpose&) { return OpenPlan{.is_lost_at_once = true}; };
    make();
    downstream->start();

    loop.run_for(10min);

    EXPECT_LE(server->opens.size(), 16U);
    EXPECT_EQ(server->most_opening, 1);
    EXPECT_EQ(downstream->status().reason, "It went away.");
}

TEST_F(DownstreamTest, KeepsTheDelayOfEarlierFailuresUntilALinkHasLasted) {
    options.reconnect.base = 1s;
    refuse_opens();
    make();
    downstream->start();
    loop.run_for(1s);
    accept_opens();
    loop.run_for(2s);
    ASSERT_EQ(downstream->status().state, LinkState::ready);

    server->last().lose();

    EXPECT_EQ(downstream->status().next_attempt_at, loop.timekeeper.now() + 4s);
}

TEST_F(DownstreamTest, ReportsALostCallInsteadOfRepeatingIt) {
    make_ready();
    const Running running = call();
    loop.settle();

    server->last().lose();
    loop.run_for(1min);

    ASSERT_TRUE(running.has_ended());
    EXPECT_EQ(running.fault().kind, Kind::connection_lost);
    EXPECT_EQ(running.fault().delivery, resilience::Delivery::sent);
    EXPECT_EQ(server->last().count("tools/call"), 0U);
}

TEST_F(DownstreamTest, LimitsTheWaitingCalls) {
    options.max_waiting_calls = 2;
    accept_opens(5s);
    make();

    const Running first = call();
    Running second = call();
    const Running third = call();
    loop.settle();
    ASSERT_TRUE(third.has_ended());
    EXPECT_EQ(third.fault().kind, Kind::overloaded);
    second.cancel();
    loop.settle();
    const Running fourth = call();
    loop.settle();

    EXPECT_FALSE(first.has_ended());
    EXPECT_FALSE(fourth.has_ended());
}

TEST_F(DownstreamTest, PassesTheKnownEraToTheNextAttempt) {
    options.known_era = mcp::Era::modern;
    options.known_era_age = 1h;
    refuse_opens();
    make();
    downstream->start();
    loop.settle();
    accept_opens();
    loop.run_for(options.reconnect.base);
    loop.run_for(options.sustained_uptime);
    server->last().lose();
    loop.settle();

    ASSERT_EQ(server->opens.size(), 3U);
    EXPECT_EQ(server->opens[0].known_era, mcp::Era::modern);
    EXPECT_EQ(server->opens[1].known_era, std::nullopt);
    EXPECT_EQ(server->opens[2].known_era, mcp::Era::legacy);
}

TEST_F(DownstreamTest, DoesNotTrustAnOldEra) {
    options.known_era = mcp::Era::modern;
    options.known_era_age = options.max_era_age;
    make_ready();

    EXPECT_EQ(server->opens.front().known_era, std::nullopt);
}

TEST_F(DownstreamTest, StopsAllAtOnceAndRefusesCalls) {
    make_ready();
    server->last().closing_takes = 1s;
    const Running running = call();
    loop.settle();
    bool has_stopped = false;
    boost::asio::co_spawn(loop.context, downstream->stop(),
                          [&](const std::exception_ptr&) { has_stopped = true; });
    loop.settle();
    EXPECT_FALSE(has_stopped);
    EXPECT_EQ(downstream->status().state, LinkState::stopped);

    loop.run_for(1s);
    const Running late = call();
    loop.settle();

    EXPECT_TRUE(has_stopped);
    EXPECT_EQ(running.endings(), 1U);
    EXPECT_EQ(server->last().closes, 1);
    ASSERT_TRUE(late.has_ended());
    EXPECT_EQ(late.fault().kind, Kind::stopping);
}

TEST_F(DownstreamTest, StopsWithinItsLimitWhenALinkDoesNotClose) {
    make_ready();
    server->last().closing_takes = 1h;
    bool has_stopped = false;
    boost::asio::co_spawn(loop.context, downstream->stop(),
                          [&](const std::exception_ptr&) { has_stopped = true; });

    loop.run_for(options.stop_wait);

    EXPECT_TRUE(has_stopped);
}

TEST_F(DownstreamTest, StopsARunningAttempt) {
    accept_opens(20s);
    make();
    const Running running = call();
    loop.run_for(1s);
    bool has_stopped = false;
    boost::asio::co_spawn(loop.context, downstream->stop(),
                          [&](const std::exception_ptr&) { has_stopped = true; });
    loop.settle();

    EXPECT_TRUE(has_stopped);
    EXPECT_EQ(server->opening, 0);
    ASSERT_TRUE(running.has_ended());
    EXPECT_EQ(running.fault().kind, Kind::stopping);
}

TEST_F(DownstreamTest, CallsInFlightFailWithTheReasonWhenAnOperatorPausesOrRestarts) {
    make_ready();
    const Running paused = call();
    loop.settle();

    EXPECT_TRUE(downstream->pause());
    loop.settle();
    EXPECT_EQ(paused.fault().kind, Kind::not_connected);
    EXPECT_EQ(paused.fault().delivery, resilience::Delivery::sent);
    EXPECT_NE(paused.fault().message.find("was paused by an operator"), std::string::npos);

    EXPECT_TRUE(downstream->resume());
    loop.settle();
    const Running restarted = call();
    loop.settle();
    EXPECT_TRUE(downstream->restart());
    loop.settle();
    EXPECT_EQ(restarted.fault().kind, Kind::not_connected);
    EXPECT_NE(restarted.fault().message.find("is being restarted"), std::string::npos);
}

TEST_F(DownstreamTest, ClosesItsLinksWhenItIsDestroyed) {
    make_ready();
    const Running running = call();
    loop.settle();

    downstream.reset();
    loop.settle();

    EXPECT_EQ(server->last().closes, 1);
    EXPECT_EQ(running.endings(), 1U);
}

TEST_F(DownstreamTest, CanBeDestroyedWhileItConnects) {
    accept_opens(5s);
    make();
    const Running running = call();
    loop.run_for(1s);

    downstream.reset();
    loop.settle();

    ASSERT_TRUE(running.has_ended());
    EXPECT_EQ(running.fault().kind, Kind::stopping);
    EXPECT_EQ(server->opening, 0);
}

TEST_F(DownstreamTest, ReportsItsStatesInOrder) {
    refuse_opens();
    make();
    downstream->start();
    loop.settle();
    accept_opens();
    loop.run_for(options.reconnect.base);

    std::vector<LinkState> states;
    for (const auto& status : watcher->states) {
        states.push_back(status.state);
    }
    using enum LinkState;
    EXPECT_EQ(states, (std::vector{connecting, waiting, connecting, ready}));
    EXPECT_TRUE(watcher->states.back().negotiated.has_value());
    EXPECT_EQ(watcher->states.back().connects, 1U);
}

TEST_F(DownstreamTest, ShowsTheLogOfTheLatestProcess) {
    refuse_opens();
    make();
    downstream->start();
    loop.settle();
    EXPECT_EQ(downstream->last_log_lines(5).at(0), "said before it was a link");
    accept_opens();
    loop.run_for(options.reconnect.base);
    EXPECT_EQ(downstream->last_log_lines(5).at(0), "said by a link");

    server->last().lose();

    EXPECT_EQ(downstream->last_log_lines(5).at(0), "said by a link");
    EXPECT_TRUE(downstream->last_log_lines(0).empty());
}

}  // namespace
}  // namespace holdfast::downstream
