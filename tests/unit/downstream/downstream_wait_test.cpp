#include "downstream_world.hpp"

// Calls that wait for a link.

namespace holdfast::downstream {
namespace {

using namespace std::chrono_literals;
using testing::DownstreamTest;
using testing::Running;
using Kind = CallFault::Kind;

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

}  // namespace
}  // namespace holdfast::downstream
