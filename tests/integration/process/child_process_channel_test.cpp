#include <gtest/gtest.h>

#include "guarded_child.hpp"

namespace holdfast::process {
namespace {

boost::asio::awaitable<bool> close_it(net::MessageChannel* channel) {
    co_await channel->close();
    co_return true;
}

/// A child in the hands of a caller that knows only its channel.
class ChildProcessChannelTest : public GuardedChildTest {};

TEST_F(ChildProcessChannelTest, CarriesMessagesAndStopsTheChild) {
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

TEST_F(ChildProcessChannelTest, KillsAChildThatDoesNotListen) {
    start({"stubborn"}, {.stop = {.close_wait = 10ms, .terminate_wait = 10ms, .kill_wait = 20s}});

    EXPECT_TRUE(run(close_it(child_.get())));

    EXPECT_EQ(child_->exit()->kind, ChildExit::Kind::signalled);
}

TEST_F(ChildProcessChannelTest, SaysHowTheChildEndedWithoutWhatItLogged) {
    launch({.arguments = {"/bin/sh", "-c", "echo one; echo two words >&2; exit 7"},
            .environment = {"PATH=/usr/bin:/bin"}});
    EXPECT_EQ(read(), "one");

    const auto end = run(child_->read());
    const auto again = run(child_->read());

    EXPECT_EQ(end.error().code, net::NetErrc::closed);
    EXPECT_EQ(end.error().message, "the program ended with code 7");
    EXPECT_EQ(child_->last_log_lines(1), std::vector<std::string>{"two words"});
    EXPECT_EQ(again.error().message, end.error().message);
}

TEST_F(ChildProcessChannelTest, DoesNotWaitLongForAChildThatOnlyClosedItsOutput) {
    launch({.arguments = {"/bin/sh", "-c", "exec >&-; exec sleep 60"},
            .environment = {"PATH=/usr/bin:/bin"}},
           {.exit_wait = 10ms});

    EXPECT_EQ(read(), "the program closed its output");
    EXPECT_FALSE(child_->exit());
}

TEST_F(ChildProcessChannelTest, DestructionEndsTheWaitForTheReason) {
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

struct Reading {
    std::size_t lines = 0;
    std::string text_after_destruction = {};
    bool is_destroyed = false;
    bool has_ended = false;
};

boost::asio::awaitable<void> read_on(net::MessageChannel* channel, Reading* reading) {
    while (!reading->is_destroyed) {
        const auto line = co_await channel->read();
        reading->has_ended = !line;
        reading->lines += 1;
        if (reading->is_destroyed && line) {
            reading->text_after_destruction += *line;  // of a state that ends with its readers
        }
    }
}

// A turn of the reader ends while many lines that the child wrote at once are still buffered.
TEST_F(ChildProcessChannelTest, DestructionEndsAReaderThatHasMoreLines) {
    launch({.arguments = {"/bin/sh", "-c", "exec yes"}, .environment = {"PATH=/usr/bin:/bin"}});
    Reading reading;
    boost::asio::co_spawn(context_, read_on(child_.get(), &reading),
                          [](const std::exception_ptr&) {});
    run_until([&] { return reading.lines > 0; });
    ASSERT_FALSE(reading.has_ended);

    reading.is_destroyed = true;
    child_.reset();
    const std::size_t lines = reading.lines;
    run_until([&] { return reading.lines > lines; });

    EXPECT_TRUE(reading.has_ended);
    EXPECT_EQ(reading.text_after_destruction, "");
}

}  // namespace
}  // namespace holdfast::process
