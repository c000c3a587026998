#include "net/detail/websocket_accept.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/websocket/stream.hpp>
#include <chrono>
#include <utility>

#include "holdfast/resilience/timekeeper.hpp"
#include "net/detail/websocket_channel.hpp"

namespace holdfast::net::detail {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;

// For a client that asks for an upgrade and does not read the answer.
constexpr auto kHandshakeWait = std::chrono::seconds{10};

using UpgradeRequest = beast::http::request<beast::http::empty_body>;

UpgradeRequest upgrade_request(const HttpRequest& request) {
    UpgradeRequest upgrade{
        beast::http::verb::get, {request.target.data(), request.target.size()}, 11};
    for (const HttpHeader& line : request.headers.lines()) {
        upgrade.insert({line.name.data(), line.name.size()},
                       {line.value.data(), line.value.size()});
    }
    return upgrade;
}

class HandshakeLimit final : public resilience::Timer {
public:
    HandshakeLimit(resilience::Timekeeper& timekeeper, asio::ip::tcp::socket& socket)
        : timekeeper_(timekeeper), socket_(socket) {
        timekeeper_.schedule(*this, timekeeper_.now() + kHandshakeWait);
    }
    ~HandshakeLimit() override {
        if (is_scheduled()) {
            timekeeper_.cancel(*this);
        }
    }
    void on_time() override {
        boost::system::error_code ignored;
        std::ignore = socket_.close(ignored);  // ends the handshake
    }

private:
    resilience::Timekeeper& timekeeper_;
    asio::ip::tcp::socket& socket_;
};

}  // namespace

asio::awaitable<NetResult<std::unique_ptr<MessageChannel>>> accept_websocket(
    WebSocketOffer offer, std::string subprotocol, std::size_t max_message_bytes) {
    if (!offer.socket) {
        co_return NetError{.code = NetErrc::closed,
                           .message = "the client left before it had its WebSocket"};
    }
    TcpWebSocket stream{std::move(*offer.socket)};
    stream.set_option(beast::websocket::stream_base::decorator(
        [&subprotocol](beast::websocket::response_type& response) {
            if (!subprotocol.empty()) {
                response.set(beast::http::field::sec_websocket_protocol, subprotocol);
            }
        }));
    const UpgradeRequest request = upgrade_request(offer.exchange->request());
    boost::system::error_code error;
    {
        const HandshakeLimit limit{*offer.loop.timekeeper, stream.next_layer()};
        std::tie(error) =
            co_await stream.async_accept(request, asio::as_tuple(asio::use_awaitable));
    }
    if (error) {
        co_return NetError{.code = NetErrc::closed,
                           .message = "the WebSocket was not accepted: " + error.message()};
    }
    // What the decorator refers to ends here.
    stream.set_option(
        beast::websocket::stream_base::decorator([](beast::websocket::response_type&) {}));
    co_return make_websocket_channel(offer.loop, std::move(stream),
                                     {.max_message_bytes = max_message_bytes});
}

}  // namespace holdfast::net::detail
