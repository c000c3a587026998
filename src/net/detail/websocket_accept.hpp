#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <cstddef>
#include <memory>
#include <string>

#include "net/http_exchange.hpp"
#include "net/loop.hpp"
#include "net/message_channel.hpp"

namespace holdfast::net::detail {

/// A request for an upgrade, and the connection that it came on.
struct WebSocketOffer {
    std::shared_ptr<const HttpExchange> exchange = nullptr;          ///< Keeps the request alive.
    std::unique_ptr<boost::asio::ip::tcp::socket> socket = nullptr;  ///< Null if it has ended.
    OwningLoop loop = {};
};

/// Answers the request and makes a channel of its connection.
[[nodiscard]] boost::asio::awaitable<NetResult<std::unique_ptr<MessageChannel>>> accept_websocket(
    WebSocketOffer offer, std::string subprotocol, std::size_t max_message_bytes);

}  // namespace holdfast::net::detail
