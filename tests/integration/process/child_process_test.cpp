#include <boost/asio/post.hpp>
#include <csignal>
#include <functional>

#include "guarded_child.hpp"

namespace holdfast::process {
namespace {

class ChildProcessTest : public GuardedChildTest {};

TEST_F(ChildProcessTest, SendsAndReceivesLines) {
    start({"echo"});

    EXPECT_TRUE(child_->try_write("{\"a\":\n1}"));
    EXPECT_TRUE(child_->try_write("{\"b\":2}"));

    EXPECT_EQ(read(), "{\"a\": 1}");
    EXPECT_EQ(read(), "{\"b\":2}");
}

TEST_F(ChildProcessTest, MovesALargeMessage) {
    start({"echo"});
    const std::string large = "\"" + std::string(5'000'000, 'x') + "\"";

    EXPECT_TRUE(child_->try_write(large));

    EXPECT_EQ(read(), large);
}

TEST_F(ChildProcessTest, ReassemblesALineThatArrivesByteByByte) {
    start({"slow"});

    EXPECT_TRUE(child_->try_write("{\"slow\":true}"));

    EXPECT_EQ(read(), "{\"slow\":true}");
}

TEST_F(ChildProcessTest, DropsALineAboveTheLimitAndContinues) {
    start({"echo"}, {.max_line_bytes = 100});
    EXPECT_TRUE(child_->try_write(std::string(100'000, '1')));
    EXPECT_TRUE(child_->try_write("{}"));

    const auto dropped = run(child_->read());

    ASSERT_FALSE(dropped);
    EXPECT_EQ(dropped.error().code, net::NetErrc::message_too_long);
    EXPECT_EQ(read(), "{}");
}

TEST_F(ChildProcessTest, ReportsACrashOfTheChildImmediately) {
    start({"crash", "2"});
    EXPECT_TRUE(child_->try_write("1"));
    EXPECT_EQ(read(), "1");

    EXPECT_TRUE(child_->try_write("2"));
    const auto line = run(child_->read());
    const auto exit = run(child_->wait_exit(soon()));

    ASSERT_FALSE(line);
    EXPECT_EQ(line.error().code, net::NetErrc::closed);
    const ChildExit aborted{.kind = ChildExit::Kind::signalled, .code = SIGABRT};
    EXPECT_EQ(exit.value(), aborted);
    EXPECT_EQ(child_->try_write("3").error().code, net::NetErrc::closed);
}

TEST_F(ChildProcessTest, ReportsTheExitCode) {
    launch(troubled({"exit", "7"}));

    const auto exit = run(child_->wait_exit(soon()));

    EXPECT_EQ(exit.value(), (ChildExit{.kind = ChildExit::Kind::exited, .code = 7}));
}

TEST_F(ChildProcessTest, SurvivesAChildThatClosesItsInput) {
    ChildSpec spec{.arguments = {"/bin/sh", "-c", "exec <&-; echo ready; exec sleep 60"},
                   .environment = {"PATH=/usr/bin:/bin"}};
    start(spec);

    run_until([this] { return !child_->try_write(std::string(1'000, '1')); });

    EXPECT_EQ(child_->try_write("1").error().code, net::NetErrc::closed);
}

TEST_F(ChildProcessTest, DrainsAFloodOnStandardErrorAndKeepsItsEnd) {
    start({"flood", "3000000"});

    EXPECT_TRUE(child_->try_write("{}"));
    EXPECT_EQ(read(), "{}");
    run_until([this] {
        const auto lines = child_->last_log_lines(1);
        return !lines.empty() && lines.front() == "the last line";
    });

    const auto lines = child_->last_log_lines(3);
    ASSERT_EQ(lines.size(), 3U);
    EXPECT_EQ(lines[1], std::string(99, 'f'));
    EXPECT_LE(child_->last_log_lines(100'000).size(), 64U * 1024 / 100 + 2);
}

TEST_F(ChildProcessTest, RefusesWhenTheQueueIsFull) {
    start({"deaf"}, {.write_queue = {.max_messages = 4}});
    const std::string message(200'000, '1');

    net::NetResult<void> refused;
    run_until([&] { return !(refused = child_->try_write(message)); });

    EXPECT_EQ(refused.error().code, net::NetErrc::overloaded);
    EXPECT_TRUE(child_->try_write_urgent("2")) << "a cancellation has its own slot";
}

TEST_F(ChildProcessTest, WritesUrgentMessagesFirstButNotInsideAnother) {
    // Reads nothing until it is continued, so that the first message is stuck half-way.
    ChildSpec spec{.arguments = {"/bin/sh", "-c", "echo ready; kill -STOP $$; exec cat"},
                   .environment = {"PATH=/usr/bin:/bin"}};
    start(spec);
    const pid_t pid = run(child_->wait_started(soon())).value();
    const std::string large(500'000, '1');
    EXPECT_TRUE(child_->try_write(large));
    context_.poll();  // begins to write it
    EXPECT_TRUE(child_->try_write("2"));
    EXPECT_TRUE(child_->try_write_urgent("3"));
    EXPECT_TRUE(child_->try_write_urgent("4"));

    // It may not have stopped yet, so it is continued until it answers.
    std::optional<net::NetResult<std::string_view>> line;
    boost::asio::co_spawn(context_, keep_result(child_->read(), &line),
                          [](const std::exception_ptr&) {});
    run_until([&] { return ::kill(pid, SIGCONT) == 0 && line.has_value(); });

    EXPECT_EQ(**line, large);
    EXPECT_EQ(read(), "3");
    EXPECT_EQ(read(), "4");
    EXPECT_EQ(read(), "2");
}

TEST_F(ChildProcessTest, ReadsWhatAChildWroteBeforeItEnded) {
    launch({.arguments = {"/bin/sh", "-c", "echo one; printf two"},
            .environment = {"PATH=/usr/bin:/bin"}});
    ASSERT_TRUE(run(child_->wait_exit(soon())));

    EXPECT_EQ(read(), "one");
    EXPECT_EQ(read(), "two");
    EXPECT_EQ(run(child_->read()).error().code, net::NetErrc::closed);
}

TEST_F(ChildProcessTest, EndsProcessesThatAChildLeavesBehind) {
    start({"daemon"});
    ASSERT_GE(test::descendants_of(guardian_->pid()).size(), 2U);

    const pid_t pid = run(child_->wait_started(soon())).value();
    ::kill(pid, SIGKILL);

    EXPECT_TRUE(run(child_->wait_exit(soon())));
    EXPECT_TRUE(
        test::eventually([this] { return test::descendants_of(guardian_->pid()).empty(); }));
}

TEST_F(ChildProcessTest, OtherChildrenContinueWhenOneEnds) {
    start({"family"});
    auto other = std::move(child_);
    start({"daemon"});

    child_.reset();
    EXPECT_TRUE(
        test::eventually([this] { return test::descendants_of(guardian_->pid()).size() == 2; }));
    child_ = std::move(other);

    EXPECT_TRUE(child_->try_write("{}"));
    EXPECT_EQ(read(), "{}");
}

TEST_F(ChildProcessTest, AFloodWithoutLineEndsDoesNotBlockTheLoop) {
    ChildSpec spec{.arguments = {"/bin/sh", "-c", "echo ready; exec cat /dev/zero"},
                   .environment = {"PATH=/usr/bin:/bin"}};
    start(spec, {.max_line_bytes = 1'000});
    EXPECT_EQ(run(child_->read()).error().code, net::NetErrc::message_too_long);
    std::optional<net::NetResult<std::string_view>> never;
    boost::asio::co_spawn(context_, keep_result(child_->read(), &never),
                          [](const std::exception_ptr&) {});

    const auto exit = run(child_->wait_exit(resilience::Deadline::after(timekeeper_.now(), 50ms)));

    EXPECT_EQ(exit.error().code, net::NetErrc::timed_out);
    EXPECT_FALSE(never);
    child_.reset();
    run_until([&never] { return never.has_value(); });
}

boost::asio::awaitable<void> read_lines(ChildProcess& child, std::size_t count,
                                        std::size_t* lines) {
    while (*lines < count && co_await child.read()) {
        ++*lines;
    }
}

TEST_F(ChildProcessTest, AFloodOfLinesDoesNotBlockTheLoop) {
    constexpr std::size_t kLines = 100'000;
    start(ChildSpec{.arguments = {"/bin/sh", "-c", "echo ready; exec yes"},
                    .environment = {"PATH=/usr/bin:/bin"}});
    std::size_t lines = 0;
    bool is_done = false;
    boost::asio::co_spawn(context_, read_lines(*child_, kLines, &lines),
                          [&is_done](const std::exception_ptr&) { is_done = true; });
    std::size_t turns = 0;
    std::function<void()> somebody_else = [&] {
        ++turns;
        if (!is_done) {
            boost::asio::post(context_, somebody_else);
        }
    };
    boost::asio::post(context_, somebody_else);

    run_until([&is_done] { return is_done; });

    EXPECT_EQ(lines, kLines);
    EXPECT_GT(turns, kLines / 100);
}

TEST_F(ChildProcessTest, OutputEndsEvenIfAnEscapedProcessHoldsItOpen) {
    // Without its mark and in its own session, it is only found when the gateway ends.
    ChildSpec spec{.arguments = {"/bin/sh", "-c", "env -i setsid sleep 60 & echo ready; exec cat"},
                   .environment = {"PATH=/usr/bin:/bin"}};
    start(spec);
    const pid_t pid = run(child_->wait_started(soon())).value();
    // Until setsid has run, it still belongs to the child.
    EXPECT_TRUE(test::eventually([this, pid] {
        for (const pid_t other : test::descendants_of(guardian_->pid())) {
            if (other != pid && ::getsid(other) != pid) {
                return true;
            }
        }
        return false;
    }));

    ::kill(pid, SIGKILL);

    EXPECT_EQ(run(child_->read()).error().code, net::NetErrc::closed);
    for (const pid_t left : test::descendants_of(guardian_->pid())) {
        ::kill(left, SIGKILL);
    }
}

TEST_F(ChildProcessTest, ReapsOrphansWhileItsChildrenRun) {
    // Leaves a grandchild that ends immediately, and never waits for it.
    ChildSpec spec{.arguments = {"/bin/sh", "-c", "(true & ); echo ready; exec cat"},
                   .environment = {"PATH=/usr/bin:/bin"}};
    start(spec);

    EXPECT_TRUE(test::eventually([this] {
        return test::zombies_of(guardian_->pid()).empty() &&
               test::descendants_of(guardian_->pid()).size() == 1;
    }));
}

}  // namespace
}  // namespace holdfast::process
