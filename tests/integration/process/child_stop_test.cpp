#include <csignal>

#include "guarded_child.hpp"

namespace holdfast::process {
namespace {

constexpr StopOptions kPatient{.close_wait = 20s, .terminate_wait = 20s, .kill_wait = 20s};
constexpr StopOptions kBrisk{.close_wait = 30ms, .terminate_wait = 30ms, .kill_wait = 20s};

class ChildStopTest : public GuardedChildTest {
protected:
    void expect_nothing_left() {
        EXPECT_TRUE(test::descendants_of(guardian_->pid()).empty());
        EXPECT_TRUE(test::zombies_of(guardian_->pid()).empty());
    }
};

TEST_F(ChildStopTest, AWellBehavedChildEndsWhenItsInputCloses) {
    start({"echo"});

    EXPECT_TRUE(run(child_->stop(kPatient)));

    EXPECT_EQ(child_->exit(), (ChildExit{.kind = ChildExit::Kind::exited, .code = 0}));
    expect_nothing_left();
}

TEST_F(ChildStopTest, TerminatesAChildThatIgnoresTheEndOfItsInput) {
    ChildSpec spec{.arguments = {"/bin/sh", "-c", "echo ready; exec sleep 60"},
                   .environment = {"PATH=/usr/bin:/bin"}};
    start(spec);

    EXPECT_TRUE(run(child_->stop({.close_wait = 30ms, .terminate_wait = 20s, .kill_wait = 20s})));

    EXPECT_EQ(child_->exit(), (ChildExit{.kind = ChildExit::Kind::signalled, .code = SIGTERM}));
    expect_nothing_left();
}

TEST_F(ChildStopTest, KillsAChildThatIgnoresEverything) {
    start({"stubborn"});

    EXPECT_TRUE(run(child_->stop(kBrisk)));

    EXPECT_EQ(child_->exit(), (ChildExit{.kind = ChildExit::Kind::signalled, .code = SIGKILL}));
    expect_nothing_left();
}

TEST_F(ChildStopTest, KillsTheGroupOfAShellWrapper) {
    const std::string child = test::program_next_to_test("troubled_child");
    ChildSpec spec{.arguments = {"/bin/sh", "-c", "'" + child + "' stubborn & wait"},
                   .environment = {"PATH=/usr/bin:/bin"}};
    start(spec);

    EXPECT_TRUE(run(child_->stop(kBrisk)));

    expect_nothing_left();
}

TEST_F(ChildStopTest, EndsAProcessGroupAfterItsLeaderExited) {
    start({"family"});

    EXPECT_TRUE(run(child_->stop(kPatient)));

    expect_nothing_left();
}

TEST_F(ChildStopTest, EndsADaemon) {
    start({"daemon"});

    EXPECT_TRUE(run(child_->stop(kPatient)));

    expect_nothing_left();
}

TEST_F(ChildStopTest, EndsAChainOfSessions) {
    start({"chain", "6"});

    EXPECT_TRUE(run(child_->stop(kPatient)));

    expect_nothing_left();
}

TEST_F(ChildStopTest, StopsAChildThatNeverReads) {
    start({"deaf"});
    EXPECT_TRUE(child_->try_write(std::string(1'000'000, '1')));

    EXPECT_TRUE(run(child_->stop(kBrisk)));

    expect_nothing_left();
}

TEST_F(ChildStopTest, ReturnsImmediatelyWhenTheChildHasEnded) {
    launch(troubled({"exit", "0"}));
    ASSERT_TRUE(run(child_->wait_exit(soon())));

    EXPECT_TRUE(run(child_->stop(kPatient)));

    expect_nothing_left();
}

TEST_F(ChildStopTest, CanBeCancelledAndCalledAgain) {
    start({"stubborn"});
    boost::asio::cancellation_signal cancel;
    std::optional<net::NetResult<void>> outcome;
    boost::asio::co_spawn(
        context_, keep_result(child_->stop(kPatient), &outcome),
        boost::asio::bind_cancellation_slot(cancel.slot(), [](const std::exception_ptr&) {}));
    run_until([this] { return !child_->try_write("1"); });

    cancel.emit(boost::asio::cancellation_type::terminal);
    run_until([&] { return outcome.has_value(); });

    EXPECT_EQ(outcome->error().code, net::NetErrc::cancelled);
    EXPECT_FALSE(child_->exit());
    EXPECT_TRUE(run(child_->stop(kBrisk)));
    expect_nothing_left();
}

TEST_F(ChildStopTest, EveryWaitCanBeCancelled) {
    start({"echo"});
    boost::asio::cancellation_signal cancel_read;
    boost::asio::cancellation_signal cancel_exit;
    std::optional<net::NetResult<std::string_view>> line;
    std::optional<net::NetResult<ChildExit>> exit;
    boost::asio::co_spawn(
        context_, keep_result(child_->read(), &line),
        boost::asio::bind_cancellation_slot(cancel_read.slot(), [](const std::exception_ptr&) {}));
    boost::asio::co_spawn(
        context_, keep_result(child_->wait_exit(soon()), &exit),
        boost::asio::bind_cancellation_slot(cancel_exit.slot(), [](const std::exception_ptr&) {}));
    context_.poll();

    cancel_read.emit(boost::asio::cancellation_type::terminal);
    cancel_exit.emit(boost::asio::cancellation_type::terminal);
    run_until([&] { return line && exit; });

    EXPECT_EQ(line->error().code, net::NetErrc::cancelled);
    EXPECT_EQ(exit->error().code, net::NetErrc::cancelled);
    EXPECT_TRUE(child_->try_write("{}"));
    EXPECT_EQ(read(), "{}");
}

TEST_F(ChildStopTest, DestructionWakesEveryWaiter) {
    start({"stubborn"});
    std::optional<net::NetResult<std::string_view>> line;
    std::optional<net::NetResult<ChildExit>> exit;
    std::optional<net::NetResult<void>> stopped;
    const auto ignore = [](const std::exception_ptr&) {};
    boost::asio::co_spawn(context_, keep_result(child_->read(), &line), ignore);
    boost::asio::co_spawn(context_, keep_result(child_->wait_exit(soon()), &exit), ignore);
    boost::asio::co_spawn(context_, keep_result(child_->stop(kPatient), &stopped), ignore);
    context_.poll();

    child_.reset();
    run_until([&] { return line && exit && stopped; });

    EXPECT_EQ(line->error().code, net::NetErrc::closed);
    EXPECT_EQ(exit->error().code, net::NetErrc::closed);
}

TEST_F(ChildStopTest, WaitForExitHasADeadline) {
    start({"echo"});

    const auto exit = run(child_->wait_exit(resilience::Deadline::after(timekeeper_.now(), 10ms)));

    ASSERT_FALSE(exit);
    EXPECT_EQ(exit.error().code, net::NetErrc::timed_out);
}

}  // namespace
}  // namespace holdfast::process
