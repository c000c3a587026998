#include "net/reactor/polled_socket.hpp"

#include <gtest/gtest.h>

#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace holdfast::net {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using Error = boost::system::error_code;
using namespace std::chrono_literals;

/// The tested end: records events and then runs the test's reaction.
struct PolledEnd final : SocketEvents, std::enable_shared_from_this<PolledEnd> {
    explicit PolledEnd(tcp::socket connected) : socket(std::move(connected)) {}

    void read(std::size_t room_bytes) {
        space.resize(room_bytes);
        socket.start_read(shared_from_this());
    }
    std::span<char> read_buffer() override { return space; }
    void on_read(const Error& read_error, std::size_t size_bytes) override {
        ++reads;
        error = read_error;
        text.append(space.data(), size_bytes);
        if (then) {
            then();
        }
    }
    void on_writable() override {
        ++writables;
        if (when_writable) {
            when_writable();
        }
    }

    PolledSocket socket;
    std::vector<char> space;
    std::string text;
    std::optional<Error> error;
    int reads = 0;
    int writables = 0;
    std::function<void()> then;
    std::function<void()> when_writable;
};

class PolledSocketTest : public testing::Test {
protected:
    struct Pair {
        std::shared_ptr<PolledEnd> polled;
        tcp::socket peer;
    };

    Pair connected() {
        tcp::socket peer{context_};
        peer.connect(acceptor_.local_endpoint());
        tcp::socket accepted = acceptor_.accept();
        accepted.non_blocking(true);
        return {std::make_shared<PolledEnd>(std::move(accepted)), std::move(peer)};
    }

    static void send(tcp::socket& peer, std::string_view text) {
        asio::write(peer, asio::buffer(text.data(), text.size()));
    }

    template <class Condition>
    void run_until(Condition&& is_met) {
        context_.restart();
        const auto limit = std::chrono::steady_clock::now() + 10s;
        while (!is_met() && std::chrono::steady_clock::now() < limit) {
            context_.run_one_for(100ms);
        }
        EXPECT_TRUE(is_met());
    }

    /// Runs everything that is ready, and what follows from it.
    void work_off() {
        context_.restart();
        while (context_.run_one_for(20ms) > 0) {
        }
    }

    asio::io_context context_{1};
    tcp::acceptor acceptor_{context_, tcp::endpoint{asio::ip::address_v4::loopback(), 0}};
};

TEST_F(PolledSocketTest, ReadsBytesThatArriveBeforeAndAfterItWaits) {
    auto [polled, peer] = connected();
    send(peer, "early");
    polled->read(100);
    run_until([&] { return polled->text == "early"; });

    polled->read(100);
    work_off();
    EXPECT_EQ(polled->reads, 1);
    send(peer, "late");
    run_until([&] { return polled->text == "earlylate"; });
    polled->socket.close();
}

TEST_F(PolledSocketTest, ContinuesReadingAfterAFullBuffer) {
    auto [polled, peer] = connected();
    polled->then = [&end = *polled] { end.read(4); };
    send(peer, "0123456789");
    polled->read(4);
    run_until([&] { return polled->text == "0123456789"; });
    work_off();
    EXPECT_EQ(polled->reads, 3);
    send(peer, "ab");
    run_until([&] { return polled->text == "0123456789ab"; });
    polled->then = nullptr;
    polled->socket.close();
}

TEST_F(PolledSocketTest, NeverReadsBeforeStartReadReturns) {
    auto [polled, peer] = connected();
    send(peer, "01234567");
    polled->read(4);
    run_until([&] { return polled->reads == 1; });
    polled->read(4);  // the rest has arrived
    EXPECT_EQ(polled->reads, 1);
    run_until([&] { return polled->reads == 2; });
    polled->socket.close();
}

TEST_F(PolledSocketTest, ReportsTheEndAfterTheLastBytes) {
    auto [polled, peer] = connected();
    send(peer, "bye");
    peer.close();
    work_off();  // both have arrived before the first read
    polled->read(100);
    run_until([&] { return polled->text == "bye"; });
    EXPECT_EQ(polled->error, Error{});
    polled->read(100);
    run_until([&] { return polled->reads == 2; });
    EXPECT_EQ(polled->error, asio::error::eof);
}

TEST_F(PolledSocketTest, ReportsTheEndOfASilentPeer) {
    auto [polled, peer] = connected();
    polled->read(100);
    work_off();
    peer.shutdown(tcp::socket::shutdown_send);
    run_until([&] { return polled->reads == 1; });
    EXPECT_EQ(polled->error, asio::error::eof);
}

TEST_F(PolledSocketTest, ReportsAResetByThePeer) {
    auto [polled, peer] = connected();
    polled->read(100);
    work_off();
    peer.set_option(asio::socket_base::linger(true, 0));  // closes with a reset
    peer.close();
    run_until([&] { return polled->reads == 1; });
    EXPECT_EQ(polled->error, asio::error::connection_reset);
}

TEST_F(PolledSocketTest, ReportsNothingAfterCloseEvenIfItWasReady) {
    auto one = connected();
    auto other = connected();
    one.polled->then = [&end = *other.polled] { end.socket.close(); };
    other.polled->then = [&end = *one.polled] { end.socket.close(); };
    one.polled->read(100);
    other.polled->read(100);
    work_off();
    send(one.peer, "x");
    send(other.peer, "x");
    work_off();
    EXPECT_EQ(one.polled->reads + other.polled->reads, 1);
}

TEST_F(PolledSocketTest, MayBeDestroyedEvenIfItWasReady) {
    auto one = connected();
    auto other = connected();
    one.polled->then = [&] { other.polled.reset(); };  // which waits for nothing
    one.polled->read(100);
    work_off();
    send(other.peer, "x");
    send(one.peer, "x");
    run_until([&] { return other.polled == nullptr; });
    work_off();
    one.polled->socket.close();
}

TEST_F(PolledSocketTest, KeepsItsOwnerAliveUntilItIsClosed) {
    auto [polled, peer] = connected();
    polled->read(100);
    const std::weak_ptr<PolledEnd> owner = polled;
    PolledEnd& end = *polled;
    polled.reset();
    work_off();
    ASSERT_FALSE(owner.expired());
    end.socket.close();
    ASSERT_FALSE(owner.expired());  // the caller that closes it may be its owner
    work_off();
    EXPECT_TRUE(owner.expired());
}

TEST_F(PolledSocketTest, TheLoopEndsWhenTheLastSocketIsClosed) {
    auto one = connected();
    auto other = connected();
    one.polled->read(100);
    other.polled->read(100);
    asio::post(context_, [&] {
        one.polled->socket.close();
        other.polled->socket.close();
    });
    context_.restart();
    context_.run_for(10s);
    EXPECT_TRUE(context_.stopped());  // it ran out of work
}

TEST_F(PolledSocketTest, WritesWhatIsAcceptedAndReportsWhenMoreFits) {
    auto [polled, peer] = connected();
    const std::string block(std::size_t{256} * 1024, 'x');
    std::size_t sent = 0;
    PolledEnd& end = *polled;
    const auto fill = [&] {
        Error error;
        while (!error) {
            sent += end.socket.write_some(block, error);
        }
        EXPECT_EQ(error, asio::error::would_block);
        end.socket.wait_for_writing(end.shared_from_this());
    };
    // Several times, each time after it was full.
    for (int round = 1; round <= 3; ++round) {
        fill();
        work_off();
        EXPECT_EQ(polled->writables, round - 1);
        std::string taken(sent, ' ');
        asio::read(peer, asio::buffer(taken));
        sent = 0;
        run_until([&] { return polled->writables == round; });
    }
    polled->socket.close();
}

TEST_F(PolledSocketTest, WritesSeveralPiecesInOrder) {
    auto [polled, peer] = connected();
    Error error;
    const std::array<std::string_view, 3> pieces{"one ", "", "three"};
    EXPECT_EQ(polled->socket.write_some(pieces, error), 9U);
    EXPECT_FALSE(error);
    polled->socket.end_writing(error);
    EXPECT_FALSE(error);
    std::string taken;
    asio::read(peer, asio::dynamic_buffer(taken), error);
    EXPECT_EQ(taken, "one three");
    EXPECT_EQ(error, asio::error::eof);
    polled->socket.close();
}

TEST_F(PolledSocketTest, ReportsAResetToAWaitingWriter) {
    auto [polled, peer] = connected();
    const std::string block(std::size_t{256} * 1024, 'x');
    Error error;
    while (!error) {
        std::ignore = polled->socket.write_some(block, error);
    }
    polled->socket.wait_for_writing(polled);
    peer.set_option(asio::socket_base::linger(true, 0));
    peer.close();
    run_until([&] { return polled->writables == 1; });
    std::ignore = polled->socket.write_some(block, error);
    EXPECT_TRUE(error);
    EXPECT_NE(error, asio::error::would_block);
}

TEST_F(PolledSocketTest, WritesAtTheEndOfTheTurn) {
    auto one = connected();
    auto other = connected();
    std::string order;
    for (PolledEnd* const end : {one.polled.get(), other.polled.get()}) {
        end->then = [end, &order] {
            order += 'r';
            end->socket.write_at_turn_end(end->shared_from_this());
        };
        end->when_writable = [&order] { order += 'w'; };
        end->read(100);
    }
    work_off();
    send(one.peer, "x");
    send(other.peer, "x");
    run_until([&] { return order.size() == 4; });
    EXPECT_EQ(order, "rrww");

    // Also for a caller outside of a turn, and from within the end of a turn.
    one.polled->when_writable = [&] {
        order += 'o';
        other.polled->socket.write_at_turn_end(other.polled);
    };
    one.polled->socket.write_at_turn_end(one.polled);
    EXPECT_EQ(order, "rrww");
    run_until([&] { return order == "rrwwow"; });
    one.polled->socket.close();
    other.polled->socket.close();
}

TEST_F(PolledSocketTest, WritesEarlierInATurnWithManyBytes) {
    constexpr std::size_t kMuch = std::size_t{40} * 1024;
    std::array<Pair, 3> pairs{connected(), connected(), connected()};
    std::string order;
    for (Pair& pair : pairs) {
        pair.polled->then = [end = pair.polled.get(), &order] {
            order += 'r';
            end->socket.write_at_turn_end(end->shared_from_this());
        };
        pair.polled->when_writable = [&order] { order += 'w'; };
        pair.polled->read(kMuch);
    }
    work_off();
    for (Pair& pair : pairs) {
        send(pair.peer, std::string(kMuch, 'x'));
    }
    run_until([&] { return order.size() == 6; });
    EXPECT_EQ(order, "rrwwrw");
    for (Pair& pair : pairs) {
        pair.polled->socket.close();
    }
}

TEST_F(PolledSocketTest, YieldsToOthersWhileManyBytesArrive) {
    auto [polled, peer] = connected();
    int turns = 0;
    std::function<void()> count = [&] {
        ++turns;
        if (polled->text.size() < 100) {
            asio::post(context_, count);
        }
    };
    polled->then = [&end = *polled] {
        if (end.text.size() < 100) {
            end.read(1);
        }
    };
    send(peer, std::string(100, 'x'));
    polled->read(1);
    asio::post(context_, count);
    run_until([&] { return polled->text.size() == 100; });
    EXPECT_GE(turns, 90);
    EXPECT_EQ(polled->reads, 100);
    polled->socket.close();
}

TEST_F(PolledSocketTest, CanBeReturnedToAsio) {
    auto [polled, peer] = connected();
    polled->read(100);
    send(peer, "here");
    run_until([&] { return polled->text == "here"; });
    tcp::socket socket = polled->socket.to_asio();
    EXPECT_FALSE(polled->socket.is_open());
    ASSERT_TRUE(socket.is_open());
    EXPECT_EQ(socket.remote_endpoint(), peer.local_endpoint());

    std::array<char, 16> room{};
    std::size_t size_bytes = 0;
    socket.async_read_some(asio::buffer(room),
                           [&](const Error&, std::size_t count) { size_bytes = count; });
    send(peer, "there");
    run_until([&] { return size_bytes == 5; });
    EXPECT_EQ(polled->reads, 1);
}

TEST(PolledSocketOfALoopTest, IsReleasedWithItsLoop) {
    std::weak_ptr<PolledEnd> reader;
    std::weak_ptr<PolledEnd> writer;
    {
        asio::io_context context{1};
        tcp::acceptor acceptor{context, tcp::endpoint{asio::ip::address_v4::loopback(), 0}};
        const auto connected = [&] {
            tcp::socket peer{context};
            peer.connect(acceptor.local_endpoint());
            tcp::socket accepted = acceptor.accept();
            accepted.non_blocking(true);
            return std::make_shared<PolledEnd>(std::move(accepted));
        };
        auto one = connected();
        one->read(100);
        reader = one;
        auto other = connected();
        other->socket.write_at_turn_end(other);
        writer = other;
        one.reset();
        other.reset();
        EXPECT_FALSE(reader.expired());
        EXPECT_FALSE(writer.expired());
    }
    EXPECT_TRUE(reader.expired());
    EXPECT_TRUE(writer.expired());
}

}  // namespace
}  // namespace holdfast::net
