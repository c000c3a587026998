#include "downstream/dial_in.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <tuple>
#include <utility>

#include "stream_link_fixture.hpp"

namespace holdfast::downstream {
namespace {

using Taken = net::NetResult<std::unique_ptr<net::MessageChannel>>;
using test::MemoryChannel;

class DialInTest : public ::testing::Test {
protected:
    // Closes dismissed connections before the loop is destroyed.
    ~DialInTest() override { loop.settle(); }

    /// Connects and returns the peer's end.
    std::unique_ptr<MemoryChannel> dial() {
        auto [ours, theirs] = test::make_memory_channels(home);
        dial_in->on_dialled_in(std::move(ours));
        loop.settle();
        return std::move(theirs);
    }
    Taken take() {
        Running<Taken> taking{loop, source(home, resilience::Deadline::never())};
        loop.settle();
        EXPECT_TRUE(taking.has_ended()) << "it does not wait";
        return taking.take();
    }
    net::NetResult<std::string_view> read(net::MessageChannel& channel) {
        Running<net::NetResult<std::string_view>> reading{loop, channel.read()};
        loop.settle();
        EXPECT_TRUE(reading.has_ended());
        return reading.take();
    }

    resilience::testing::VirtualLoop loop;
    const net::OwningLoop home{loop.context.get_executor(), &loop.timekeeper};
    const std::shared_ptr<DialIn> dial_in = std::make_shared<DialIn>(home, "/bridge/tab");
    const ChannelSource source = dial_in->source();
};

TEST_F(DialInTest, FailsAtOnceWithoutAConnection) {
    const Taken taken = take();

    ASSERT_FALSE(taken);
    EXPECT_EQ(taken.error().message, "nothing has connected at /bridge/tab");
}

TEST_F(DialInTest, ReturnsAConnectionOnce) {
    int connects = 0;
    dial_in->set_listener([&connects] { ++connects; });
    const auto peer = dial();

    const Taken taken = take();

    EXPECT_EQ(connects, 1);
    ASSERT_TRUE(taken);
    EXPECT_TRUE((*taken)->try_write("to them"));
    EXPECT_EQ(peer->try_read(), "to them");
    EXPECT_TRUE((*taken)->try_write_urgent("at once"));
    EXPECT_EQ(peer->try_read(), "at once");
    EXPECT_TRUE(peer->try_write("to us"));
    const auto message = read(**taken);
    ASSERT_TRUE(message);
    EXPECT_EQ(*message, "to us");
    EXPECT_FALSE(take());
}

TEST_F(DialInTest, EndsTheTakenConnectionWhenAnotherArrives) {
    const auto old_peer = dial();
    const Taken old = take();
    ASSERT_TRUE(old);
    Running<net::NetResult<std::string_view>> reading{loop, (*old)->read()};
    loop.settle();

    const auto new_peer = dial();

    ASSERT_TRUE(reading.has_ended());
    EXPECT_EQ(reading.result().error().message, "replaced by another connection");
    EXPECT_EQ((*old)->try_write("x").error().code, net::NetErrc::closed);
    EXPECT_EQ((*old)->try_write_urgent("x").error().code, net::NetErrc::closed);
    EXPECT_TRUE(old_peer->has_ended());
    EXPECT_FALSE(new_peer->has_ended());
    EXPECT_TRUE(take());
}

TEST_F(DialInTest, EndsAWaitingConnectionWhenAnotherArrives) {
    const auto old_peer = dial();

    const auto new_peer = dial();

    EXPECT_TRUE(old_peer->has_ended());
    const Taken taken = take();
    ASSERT_TRUE(taken);
    EXPECT_TRUE((*taken)->try_write("to them"));
    EXPECT_EQ(new_peer->try_read(), "to them");
}

TEST_F(DialInTest, CanBeClosedByItsOwner) {
    const auto peer = dial();
    Taken taken = take();
    ASSERT_TRUE(taken);

    boost::asio::co_spawn(loop.context, (*taken)->close(),
                          [](const std::exception_ptr& error) { EXPECT_FALSE(error); });
    loop.settle();

    EXPECT_TRUE(peer->has_ended());
}

TEST_F(DialInTest, EndsWithItsOwner) {
    const auto peer = dial();

    std::ignore = take();

    EXPECT_TRUE(peer->has_ended());
}

}  // namespace
}  // namespace holdfast::downstream
