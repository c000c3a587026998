#include <gtest/gtest.h>

#include "guarded_child.hpp"

namespace holdfast::process {
namespace {

boost::asio::awaitable<bool> close_it(net::MessageChannel* channel) {
    co_await channel->close();
    co_return true;
}

/// A child as those see it who know only its channel.
class ChildChannelTest : public GuardedChildTest {};

TEST_F(ChildChannelTest, CarriesMessagesAndStopsTheChild) {
    start({"echo"});
    net::MessageChannel& channel = *child_;

    EXPECT_TRUE(channel.try_write("{}"));
    EXPECT_EQ(*run(channel.read()), "{}");
    EXPECT_TRUE(channel.try_write_urgent("[]"));
    EXPECT_EQ(*run(channel.read()), "[]");
    EXPECT_TRUE(run(close_it(&channel)));

    EXPECT_TRUE(child_->exit().has_value());
    EXPECT_EQ(run(channel.read()).error().code, net::NetErrc::closed);
    EXPECT_EQ(channel.try_write("{}").error().code, net::NetErrc::closed);
}

TEST_F(ChildChannelTest, KillsAChildThatDoesNotListen) {
    start({"stubborn"}, {.stop = {.close_wait = 10ms, .terminate_wait = 10ms, .kill_wait = 20s}});

    EXPECT_TRUE(run(close_it(child_.get())));

    EXPECT_EQ(child_->exit()->kind, ChildExit::Kind::signalled);
}

TEST_F(ChildChannelTest, SaysHowTheChildEndedAndWhatItLoggedLast) {
    launch({.arguments = {"/bin/sh", "-c", "echo one; echo two words >&2; exit 7"},
            .environment = {"PATH=/usr/bin:/bin"}});
    EXPECT_EQ(read(), "one");

    const auto end = run(child_->read());
    const auto again = run(child_->read());

    EXPECT_EQ(end.error().code, net::NetErrc::closed);
    EXPECT_EQ(end.error().message,
              "the program \"/bin/sh\" exited with code 7; its last log lines: two words");
    EXPECT_EQ(again.error().message, end.error().message);
}

TEST_F(ChildChannelTest, DoesNotWaitLongForAChildThatOnlyClosedItsOutput) {
    launch({.arguments = {"/bin/sh", "-c", "exec >&-; exec sleep 60"},
            .environment = {"PATH=/usr/bin:/bin"}},
           {.exit_wait = 10ms});

    EXPECT_EQ(read(), "the program \"/bin/sh\" closed its output");
    EXPECT_FALSE(child_->exit());
}

TEST_F(ChildChannelTest, DestructionEndsTheWaitForTheReason) {
    launch({.arguments = {"/bin/sh", "-c", "exec >&-; exec sleep 60"},
            .environment = {"PATH=/usr/bin:/bin"}},
           {.exit_wait = 60s});
    std::optional<net::NetResult<std::string_view>> line;
    boost::asio::co_spawn(context_, keep_result(child_->read(), &line),
                          [](const std::exception_ptr&) {});
    ASSERT_TRUE(run(child_->wait_started(soon())));

    child_.reset();
    run_until([&] { return line.has_value(); });

    EXPECT_EQ(line->error().code, net::NetErrc::closed);
}

}  // namespace
}  // namespace holdfast::process
