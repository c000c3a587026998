#include <gtest/gtest.h>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core/buffers_to_string.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/websocket/stream.hpp>
#include <optional>
#include <string>
#include <vector>

#include "client_loop.hpp"
#include "net/websocket/websocket_channel.hpp"
#include "net/websocket_client.hpp"
#include "support/scripted_server.hpp"

namespace holdfast::net {
namespace {

namespace asio = boost::asio;
namespace websocket = boost::beast::websocket;
using asio::ip::tcp;
using Channel = std::unique_ptr<MessageChannel>;
constexpr auto kAsTuple = asio::as_tuple(asio::use_awaitable);

/// The server's end of a WebSocket, controlled by the test.
struct Peer {
    explicit Peer(tcp::socket socket) : stream(std::move(socket)) {}

    TcpWebSocket stream;
    std::string protocol_offered;
    std::string mark;
};
using SharedPeer = std::shared_ptr<Peer>;

asio::awaitable<SharedPeer> accepted(tcp::acceptor& acceptor, std::string subprotocol) {
    auto peer = std::make_shared<Peer>(co_await acceptor.async_accept(asio::use_awaitable));
    boost::beast::flat_buffer buffer;
    boost::beast::http::request<boost::beast::http::empty_body> request;
    std::ignore = co_await boost::beast::http::async_read(peer->stream.next_layer(), buffer,
                                                          request, kAsTuple);
    peer->protocol_offered = std::string{request["Sec-WebSocket-Protocol"]};
    peer->mark = std::string{request["X-Mark"]};
    peer->stream.set_option(
        websocket::stream_base::decorator{[subprotocol](websocket::response_type& response) {
            if (!subprotocol.empty()) {
                response.set("Sec-WebSocket-Protocol", subprotocol);
            }
        }});
    std::ignore = co_await peer->stream.async_accept(request, kAsTuple);
    co_return peer;
}

asio::awaitable<std::string> read_text(SharedPeer peer) {
    boost::beast::flat_buffer buffer;
    const auto [error, size_bytes] = co_await peer->stream.async_read(buffer, kAsTuple);
    co_return error ? "error: " + error.message() : boost::beast::buffers_to_string(buffer.cdata());
}

// Writes one message with one frame for each part.
asio::awaitable<bool> write_parts(SharedPeer peer, std::vector<std::string> parts) {
    for (std::size_t index = 0; index < parts.size(); ++index) {
        const auto [error, size_bytes] = co_await peer->stream.async_write_some(
            index + 1 == parts.size(), asio::buffer(parts[index]), kAsTuple);
        if (error) {
            co_return false;
        }
    }
    co_return true;
}

asio::awaitable<bool> close_peer(SharedPeer peer, websocket::close_reason reason) {
    const auto [error] = co_await peer->stream.async_close(reason, kAsTuple);
    co_return !error;
}

asio::awaitable<bool> close_saying(MessageChannel* channel, std::string words) {
    co_await channel->close_saying(words);
    co_return true;
}

asio::awaitable<bool> wait_for_room(MessageChannel* channel, Unwritten limit) {
    co_await channel->wait_for_room(limit);
    co_return true;
}

asio::awaitable<bool> close_channel(MessageChannel* channel) {
    co_await channel->close();
    co_return true;
}

class WebSocketTest : public ::testing::Test {
protected:
    WebSocketTarget target() {
        return {.url = *parsed_url(
                    "ws://127.0.0.1:" + std::to_string(acceptor_.local_endpoint().port()) + "/mcp"),
                .headers = "X-Mark: 7\r\n"};
    }
    void open(const WebSocketOptions& options = {}) {
        const auto accepting = loop_.start(accepted(acceptor_, "mcp"));
        auto opened = loop_.run(open_websocket(loop_.loop(), target(), options, loop_.within(10s)));
        ASSERT_TRUE(opened) << opened.error().message;
        channel_ = *std::move(opened);
        peer_ = loop_.finish(accepting);
    }
    NetResult<std::string_view> read() { return loop_.run(channel_->read()); }
    void expect_closed() {
        const auto got = read();
        ASSERT_FALSE(got);
        EXPECT_EQ(got.error().code, NetErrc::closed);
    }
    /// Returns the close code that the peer receives when it reads to the end.
    websocket::close_code code_at_peer() {
        std::ignore = loop_.run(read_text(peer_));
        return static_cast<websocket::close_code>(peer_->stream.reason().code);
    }

    ClientLoop loop_;
    tcp::acceptor acceptor_{loop_.context(), {asio::ip::address_v4::loopback(), 0}};
    SharedPeer peer_;
    Channel channel_;
};

TEST_F(WebSocketTest, ExchangesTexts) {
    open();
    EXPECT_EQ(peer_->protocol_offered, "mcp");
    EXPECT_EQ(peer_->mark, "7");
    const std::string large(300'000, 'y');

    EXPECT_TRUE(channel_->try_write(R"({"a":1})"));
    EXPECT_TRUE(channel_->try_write(large));
    EXPECT_EQ(loop_.run(read_text(peer_)), R"({"a":1})");
    EXPECT_EQ(loop_.run(read_text(peer_)), large);

    EXPECT_TRUE(loop_.run(write_parts(peer_, {"one"})));
    EXPECT_TRUE(loop_.run(write_parts(peer_, {"t", "w", "", "o"})));
    EXPECT_EQ(*read(), "one");
    EXPECT_EQ(*read(), "two");
}

TEST_F(WebSocketTest, WorksInTheRoleOfTheServer) {
    open();
    auto server = make_websocket_channel(loop_.loop(), std::move(peer_->stream), {});

    EXPECT_TRUE(server->try_write("from the server"));
    EXPECT_EQ(*read(), "from the server");
    EXPECT_TRUE(channel_->try_write("from the client"));
    EXPECT_EQ(*loop_.run(server->read()), "from the client");

    const auto closing = loop_.start(close_channel(channel_.get()));
    const auto end = loop_.run(server->read());
    ASSERT_FALSE(end);
    EXPECT_EQ(end.error().code, NetErrc::closed);
    EXPECT_TRUE(loop_.finish(closing));
}

TEST_F(WebSocketTest, ACancelledReadLosesNoMessage) {
    open();
    const auto reading = loop_.start(channel_->read());
    loop_.settle();
    reading->cancel.emit(asio::cancellation_type::terminal);
    EXPECT_EQ(loop_.finish(reading).error().code, NetErrc::cancelled);

    EXPECT_TRUE(loop_.run(write_parts(peer_, {"still here"})));

    EXPECT_EQ(*read(), "still here");
}

TEST_F(WebSocketTest, RejectsBinaryMessages) {
    open();
    peer_->stream.binary(true);
    EXPECT_TRUE(loop_.run(write_parts(peer_, {"\x01\x02"})));

    expect_closed();
    EXPECT_EQ(code_at_peer(), websocket::close_code::unknown_data);
}

TEST_F(WebSocketTest, RejectsAMessageAboveTheLimit) {
    open({.max_message_bytes = 8});
    EXPECT_TRUE(loop_.run(write_parts(peer_, {"12345678"})));
    EXPECT_EQ(*read(), "12345678");
    EXPECT_TRUE(loop_.run(write_parts(peer_, {"1234", "56789"})));

    const auto got = read();
    ASSERT_FALSE(got);
    EXPECT_EQ(got.error().code, NetErrc::message_too_long);
    EXPECT_EQ(code_at_peer(), websocket::close_code::too_big);
    expect_closed();
    EXPECT_FALSE(channel_->try_write("x"));
}

TEST_F(WebSocketTest, ReportsWhyThePeerClosed) {
    open();
    const auto closing =
        loop_.start(close_peer(peer_, {websocket::close_code::going_away, "see you"}));

    const auto got = read();

    ASSERT_FALSE(got);
    EXPECT_EQ(got.error().code, NetErrc::closed);
    EXPECT_NE(got.error().message.find("1001: see you"), std::string::npos) << got.error().message;
    EXPECT_TRUE(loop_.finish(closing));
    EXPECT_FALSE(channel_->try_write("x"));
}

TEST_F(WebSocketTest, NoticesThatThePeerIsGone) {
    open();
    peer_->stream.next_layer().close();

    expect_closed();
}

TEST_F(WebSocketTest, ClosesWhenThePeerDoesNotAnswerPings) {
    open({.ping_every = 10ms, .pong_wait = 10ms});

    expect_closed();  // the peer does not read, so it answers no ping
}

TEST_F(WebSocketTest, WaitsForASilentPeerWhoseAnswerIsAwaited) {
    open({.ping_every = 2ms, .pong_wait = 2ms});
    int asked_count = 0;
    channel_->be_patient_while([&asked_count] { return ++asked_count < 5; });

    expect_closed();

    EXPECT_EQ(asked_count, 5);
}

TEST_F(WebSocketTest, KeepsAPeerThatAnswersPings) {
    open({.ping_every = 2ms, .pong_wait = 5s});
    int ping_count = 0;
    peer_->stream.control_callback([&](websocket::frame_type kind, boost::beast::string_view) {
        ping_count += kind == websocket::frame_type::ping ? 1 : 0;
    });
    const auto peer_reading = loop_.start(read_text(peer_));
    const auto reading = loop_.start(channel_->read());

    EXPECT_TRUE(loop_.run_until([&] { return ping_count >= 5; }));

    EXPECT_FALSE(reading->result.has_value());
    EXPECT_TRUE(channel_->try_write("done"));
    EXPECT_EQ(loop_.finish(peer_reading), "done");
}

TEST_F(WebSocketTest, LimitsTheQueueAndAcceptsUrgentMessages) {
    open({.write_queue = {.max_messages = 2, .max_urgent_messages = 1}});
    const std::string large(8'000'000, 'x');
    peer_->stream.read_message_max(0);
    EXPECT_TRUE(channel_->try_write(large));  // being written, and more than the socket accepts
    EXPECT_TRUE(channel_->try_write("first"));
    EXPECT_TRUE(channel_->try_write("second"));

    const auto refused = channel_->try_write("third");
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, NetErrc::overloaded);
    EXPECT_TRUE(channel_->try_write_urgent("urgent"));
    EXPECT_FALSE(channel_->try_write_urgent("urgent too"));

    EXPECT_EQ(loop_.run(read_text(peer_)).size(), large.size());
    EXPECT_EQ(loop_.run(read_text(peer_)), "urgent");
    EXPECT_EQ(loop_.run(read_text(peer_)), "first");
    EXPECT_EQ(loop_.run(read_text(peer_)), "second");
}

TEST_F(WebSocketTest, ClosesWithAHandshake) {
    open();
    EXPECT_TRUE(channel_->try_write("last words"));
    const auto reading = loop_.start(channel_->read());
    loop_.settle();
    const auto closing = loop_.start(close_channel(channel_.get()));

    EXPECT_EQ(loop_.run(read_text(peer_)), "last words");
    EXPECT_EQ(code_at_peer(), websocket::close_code::normal);

    EXPECT_TRUE(loop_.finish(closing));
    EXPECT_EQ(loop_.finish(reading).error().code, NetErrc::closed);
}

TEST_F(WebSocketTest, OwesThePeerACloseFrameAfterTheEndOfReading) {
    open();
    const auto reading = loop_.start(channel_->read());
    loop_.settle();
    channel_->stop_reading();

    EXPECT_EQ(loop_.finish(reading).error().code, NetErrc::closed);
    EXPECT_FALSE(channel_->is_flushed());

    const auto closing = loop_.start(close_channel(channel_.get()));
    EXPECT_TRUE(loop_.run_until([&] { return channel_->is_flushed(); }));
    EXPECT_EQ(code_at_peer(), websocket::close_code::normal);
    EXPECT_TRUE(loop_.finish(closing));
}

TEST_F(WebSocketTest, ClosesWithAText) {
    for (const std::string& words : {std::string{"see you"}, std::string(500, 'x')}) {
        open();
        const auto closing = loop_.start(close_saying(channel_.get(), words));

        EXPECT_EQ(code_at_peer(), websocket::close_code::normal);

        const std::string_view said{peer_->stream.reason().reason.data(),
                                    peer_->stream.reason().reason.size()};
        EXPECT_EQ(said, words.substr(0, 123));
        EXPECT_TRUE(loop_.finish(closing));
    }
}

TEST_F(WebSocketTest, WaitsForRoomAndGivesUpAPeerThatDoesNotRead) {
    open();
    peer_->stream.read_message_max(0);
    const std::string large(8'000'000, 'x');
    EXPECT_TRUE(channel_->try_write(large));  // more than the socket accepts
    EXPECT_TRUE(channel_->try_write("first"));
    EXPECT_TRUE(channel_->try_write("second"));
    EXPECT_EQ(channel_->unwritten().messages, 3U);
    EXPECT_EQ(channel_->unwritten().size_bytes, large.size() + 11);
    const auto waiting = loop_.start(wait_for_room(channel_.get(), {2, large.size()}));
    loop_.settle();
    EXPECT_FALSE(waiting->result);

    EXPECT_EQ(loop_.run(read_text(peer_)).size(), large.size());
    EXPECT_TRUE(loop_.finish(waiting));
    EXPECT_TRUE(channel_->try_write(large));
    EXPECT_TRUE(channel_->try_write("never written"));
    const auto reading = loop_.start(channel_->read());
    loop_.settle();
    channel_->give_up("you do not read");

    EXPECT_EQ(loop_.finish(reading).error().code, NetErrc::closed);
    EXPECT_FALSE(channel_->try_write("too late"));
    std::string last;
    for (std::string text = loop_.run(read_text(peer_)); !text.starts_with("error: ");
         text = loop_.run(read_text(peer_))) {
        last = text;
    }
    EXPECT_NE(last, "never written");
    EXPECT_EQ(peer_->stream.reason().code, websocket::close_code::policy_error);
    EXPECT_EQ(std::string(peer_->stream.reason().reason.c_str()), "you do not read");
    EXPECT_TRUE(loop_.run(close_channel(channel_.get())));
}

TEST_F(WebSocketTest, ClosingEndsEvenIfThePeerDoesNotAnswer) {
    open({.close_wait = 10ms});

    EXPECT_TRUE(loop_.run(close_channel(channel_.get())));
    expect_closed();
}

TEST_F(WebSocketTest, DestructionEndsAPendingRead) {
    open();
    const auto reading = loop_.start(channel_->read());
    loop_.settle();

    channel_.reset();

    EXPECT_EQ(loop_.finish(reading).error().code, NetErrc::closed);
    EXPECT_TRUE(loop_.run(read_text(peer_)).starts_with("error"));
}

TEST_F(WebSocketTest, RequiresTheSubprotocol) {
    const auto accepting = loop_.start(accepted(acceptor_, ""));

    const auto opened = loop_.run(open_websocket(loop_.loop(), target(), {}, loop_.within(10s)));

    ASSERT_FALSE(opened);
    EXPECT_EQ(opened.error().code, NetErrc::bad_answer);
    EXPECT_NE(opened.error().message.find("\"mcp\""), std::string::npos);
    std::ignore = loop_.finish(accepting);
}

TEST_F(WebSocketTest, ReportsTheStatusOfARefusal) {
    test::ScriptedServer server{loop_.context()};
    server.answer_all("HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n");

    const auto opened = loop_.run(
        open_websocket(loop_.loop(), {.url = *parsed_url(server.url())}, {}, loop_.within(10s)));

    ASSERT_FALSE(opened);
    EXPECT_NE(opened.error().message.find("status 403"), std::string::npos)
        << opened.error().message;
}

TEST_F(WebSocketTest, OpeningEndsAtTheDeadlineAndWhenCancelled) {
    const auto late = loop_.run(open_websocket(loop_.loop(), target(), {}, loop_.within(20ms)));
    ASSERT_FALSE(late);
    EXPECT_EQ(late.error().code, NetErrc::timed_out);

    const auto task = loop_.start(open_websocket(loop_.loop(), target(), {}, loop_.within(10s)));
    loop_.settle();
    task->cancel.emit(asio::cancellation_type::terminal);
    EXPECT_EQ(loop_.finish(task).error().code, NetErrc::cancelled);
}

TEST_F(WebSocketTest, RejectsHeadersThatWouldBeginOtherLines) {
    auto tricky = target();
    tricky.headers = "X: a\r\n\r\nGET / HTTP/1.1\r\n";

    const auto opened = loop_.run(open_websocket(loop_.loop(), tricky, {}, loop_.within(10s)));

    ASSERT_FALSE(opened);
    EXPECT_EQ(opened.error().code, NetErrc::invalid_request);
}

TEST_F(WebSocketTest, RejectsAHeaderThatIsTooLong) {
    auto with_long_header = target();
    with_long_header.headers = "X: " + std::string(70'000, 'x') + "\r\n";

    const auto opened =
        loop_.run(open_websocket(loop_.loop(), with_long_header, {}, loop_.within(10s)));

    ASSERT_FALSE(opened);
    EXPECT_EQ(opened.error().code, NetErrc::invalid_request);
}

}  // namespace
}  // namespace holdfast::net
