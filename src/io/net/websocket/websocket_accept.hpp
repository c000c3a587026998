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

/// A request for an upgrade, and the connection that it came on. Belongs to no loop, so that it can
/// go to another one.
struct WebSocketOffer {
    struct Header {
        std::string name = {};
        std::string value = {};
    };
    std::string target = {};
    std::vector<Header> headers = {};
    platform::UniqueFd connection = {};  ///< Not open if it has ended.
    boost::asio::ip::tcp protocol = boost::asio::ip::tcp::v4();
};

/// Takes the connection from its loop. Nothing may be under way on it; null if it has ended.
[[nodiscard]] WebSocketOffer websocket_offer(const HttpRequest& request,
                                             boost::asio::ip::tcp::socket* socket);

/// Answers the request and makes a channel of its connection. Runs on the loop of the terms.
[[nodiscard]] boost::asio::awaitable<NetResult<std::unique_ptr<MessageChannel>>> accept_websocket(
    WebSocketOffer offer, WebSocketTerms terms);

}  // namespace holdfast::net
