#include "downstream_world.hpp"

// Calls that are refused, and calls that end because the link or the downstream does.

namespace holdfast::downstream {
namespace {

using namespace std::chrono_literals;
using testing::DownstreamTest;
using testing::OpenPlan;
using testing::Running;
using Kind = CallFault::Kind;

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

}  // namespace
}  // namespace holdfast::downstream
