#include "process/child_channel.hpp"

#include <gtest/gtest.h>

#include "guarded_child.hpp"

namespace holdfast::process {
namespace {

boost::asio::awaitable<bool> close_it(net::MessageChannel* channel) {
    co_await channel->close();
    co_return true;
}

class ChildChannelTest : public GuardedChildTest {};

TEST_F(ChildChannelTest, CarriesMessagesAndStopsTheChild) {
    start({"echo"});
    ChildChannel channel{std::move(child_)};

    EXPECT_TRUE(channel.try_write("{}"));
    EXPECT_EQ(*run(channel.read()), "{}");
    EXPECT_TRUE(channel.try_write_urgent("[]"));
    EXPECT_EQ(*run(channel.read()), "[]");
    EXPECT_TRUE(run(close_it(&channel)));

    EXPECT_TRUE(channel.child().exit().has_value());
    EXPECT_EQ(run(channel.read()).error().code, net::NetErrc::closed);
    EXPECT_EQ(channel.try_write("{}").error().code, net::NetErrc::closed);
}

TEST_F(ChildChannelTest, KillsAChildThatDoesNotListen) {
    start({"stubborn"});
    ChildChannel channel{std::move(child_),
                         {.close_wait = 10ms, .terminate_wait = 10ms, .kill_wait = 20s}};

    EXPECT_TRUE(run(close_it(&channel)));

    EXPECT_EQ(channel.child().exit()->kind, ChildExit::Kind::signalled);
}

}  // namespace
}  // namespace holdfast::process
