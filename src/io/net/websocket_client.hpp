#pragma once

#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <cstddef>
#include <memory>
#include <string>

#include "holdfast/resilience/deadline.hpp"
#include "holdfast/resilience/time.hpp"
#include "net/http_url.hpp"
#include "net/loop.hpp"
#include "net/message_channel.hpp"
#include "net/write_queue_options.hpp"

namespace holdfast::net {

struct WebSocketOptions {
    std::size_t max_message_bytes = std::size_t{64} * 1024 * 1024;
    WriteQueueOptions write_queue = {};
    resilience::Duration ping_every = std::chrono::seconds{20};  ///< Without traffic.
    /// After this the peer counts as gone.
    resilience::Duration pong_wait = std::chrono::seconds{20};
    resilience::Duration close_wait = std::chrono::seconds{5};  ///< For the closing handshake.
    std::string certificate_file = {};  ///< Further trusted certificates (PEM); empty = none.
};

/// The target of a connection: `headers` are complete lines of the upgrade request.
struct WebSocketTarget {
    HttpUrl url = {};
    std::string subprotocol = "mcp";
    std::string headers = {};
};

/// Connects and requests the upgrade. Fails with the status if the server does not accept
/// (`bad_answer`) or does not confirm the subprotocol; like `HttpClient` if it cannot be reached.
/// Cancelling the coroutine closes the connection.
///
/// Only text messages: a binary one ends the connection with code 1003, one above the limit with
/// code 1009, which `read` reports as `message_too_long` before `closed`.
[[nodiscard]] boost::asio::awaitable<NetResult<std::unique_ptr<MessageChannel>>> open_websocket(
    OwningLoop loop, WebSocketTarget target, WebSocketOptions options,
    resilience::Deadline deadline);

}  // namespace holdfast::net
