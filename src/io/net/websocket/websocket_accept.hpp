#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <memory>
#include <string>
#include <vector>

#include "net/http_exchange.hpp"
#include "net/loop.hpp"
#include "net/message_channel.hpp"
#include "platform/unique_fd.hpp"

namespace holdfast::net {

/// A request for an upgrade with its connection. Belongs to no loop, so that it can move to another
/// one.
struct WebSocketOffer {
    struct Header {
        std::string name = {};
        std::string value = {};
    };
    std::string target = {};
    std::vector<Header> headers = {};    ///< Those of the handshake.
    platform::UniqueFd connection = {};  ///< Closed if the connection has ended.
    boost::asio::ip::tcp protocol = boost::asio::ip::tcp::v4();
};

/// Takes the connection from its loop. Requires no outstanding operation; `socket` is null if the
/// connection has ended.
[[nodiscard]] WebSocketOffer websocket_offer(const HttpRequest& request,
                                             boost::asio::ip::tcp::socket* socket);

/// Answers the request and turns its connection into a channel. Runs on the loop of the terms.
[[nodiscard]] boost::asio::awaitable<NetResult<std::unique_ptr<MessageChannel>>> accept_websocket(
    WebSocketOffer offer, WebSocketTerms terms);

}  // namespace holdfast::net
