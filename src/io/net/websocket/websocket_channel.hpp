#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/beast/websocket/stream_fwd.hpp>
#include <chrono>
#include <cstddef>
#include <memory>

#include "holdfast/resilience/time.hpp"
#include "net/loop.hpp"
#include "net/message_channel.hpp"
#include "net/write_queue_options.hpp"

namespace holdfast::net {

// Without compression: it is rarely offered, and the size of decompressed data cannot be limited
// cheaply.
using TcpWebSocket = boost::beast::websocket::stream<boost::asio::ip::tcp::socket, false>;
using TlsWebSocket =
    boost::beast::websocket::stream<boost::asio::ssl::stream<boost::asio::ip::tcp::socket>, false>;

struct WebSocketChannelOptions {
    std::size_t max_message_bytes = std::size_t{64} * 1024 * 1024;
    WriteQueueOptions write_queue = {};
    resilience::Duration ping_every = std::chrono::seconds{20};  ///< Without traffic.
    /// After this the peer counts as gone.
    resilience::Duration pong_wait = std::chrono::seconds{20};
    resilience::Duration close_wait = std::chrono::seconds{5};  ///< For the closing handshake.
};

/// Makes a channel of text messages over a WebSocket whose handshake is done, in either role. The
/// stream must run on `loop` and have no operation outstanding; this function sets Beast's options.
///
/// A message above the limit ends the connection with code 1009, and `read` returns
/// `message_too_long` once and then `closed`. A binary message ends it with code 1003. While a
/// reader waits, pings check whether the peer is alive. Cancelling a read loses no message.
[[nodiscard]] std::unique_ptr<MessageChannel> make_websocket_channel(
    const OwningLoop& loop, TcpWebSocket stream, const WebSocketChannelOptions& options);
[[nodiscard]] std::unique_ptr<MessageChannel> make_websocket_channel(
    const OwningLoop& loop, TlsWebSocket stream, const WebSocketChannelOptions& options);

}  // namespace holdfast::net
