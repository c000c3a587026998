#include "net/websocket/websocket_accept.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/websocket/stream.hpp>
#include <chrono>
#include <cstddef>
#include <string_view>
#include <utility>

#include "base/letter_case.hpp"
#include "holdfast/resilience/timekeeper.hpp"
#include "net/websocket/websocket_channel.hpp"

namespace holdfast::net {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;

// For a client that requests an upgrade and does not read the answer.
constexpr auto kHandshakeWait = std::chrono::seconds{10};

using UpgradeRequest = beast::http::request<beast::http::empty_body>;

UpgradeRequest upgrade_request(const WebSocketOffer& offer) {
    UpgradeRequest upgrade{beast::http::verb::get, offer.target, 11};
    for (const WebSocketOffer::Header& line : offer.headers) {
        upgrade.insert(line.name, line.value);
    }
    return upgrade;
}

/// Whether the handshake reads the header. Beast throws on a value above 64 kB, so a long line
/// counts as missing.
bool belongs_to_handshake(const HttpHeader& line) {
    constexpr std::size_t kMaxValueBytes = std::size_t{16} * 1024;
    constexpr std::string_view kPrefix = "sec-websocket-";
    const bool is_named = base::equals_ignoring_case(line.name, "host") ||
                          base::equals_ignoring_case(line.name, "upgrade") ||
                          base::equals_ignoring_case(line.name, "connection") ||
                          base::equals_ignoring_case(line.name.substr(0, kPrefix.size()), kPrefix);
    return is_named && line.value.size() <= kMaxValueBytes;
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

WebSocketOffer websocket_offer(const HttpRequest& request, asio::ip::tcp::socket* socket) {
    WebSocketOffer offer{.target = std::string{request.target}};
    for (const HttpHeader& line : request.headers.lines()) {
        if (belongs_to_handshake(line)) {
            offer.headers.push_back(
                {.name = std::string{line.name}, .value = std::string{line.value}});
        }
    }
    boost::system::error_code error;
    const auto own_end =
        socket != nullptr ? socket->local_endpoint(error) : asio::ip::tcp::endpoint{};
    if (socket == nullptr || error) {
        return offer;
    }
    offer.protocol = own_end.protocol();
    const int descriptor = socket->release(error);
    if (!error) {
        offer.connection.reset(descriptor);
    }
    return offer;
}

asio::awaitable<NetResult<std::unique_ptr<MessageChannel>>> accept_websocket(WebSocketOffer offer,
                                                                             WebSocketTerms terms) {
    boost::system::error_code error;
    asio::ip::tcp::socket socket{terms.loop.executor};
    if (offer.connection.is_open()) {
        std::ignore = socket.assign(offer.protocol, offer.connection.get(), error);
    }
    if (!offer.connection.is_open() || error) {
        co_return NetError{.code = NetErrc::closed,
                           .message = "the client disconnected before the WebSocket was open"};
    }
    std::ignore = offer.connection.release();  // the socket owns it now
    TcpWebSocket stream{std::move(socket)};
    stream.set_option(beast::websocket::stream_base::decorator(
        [&terms](beast::websocket::response_type& response) {
            if (!terms.subprotocol.empty()) {
                response.set(beast::http::field::sec_websocket_protocol, terms.subprotocol);
            }
        }));
    const UpgradeRequest request = upgrade_request(offer);
    {
        const HandshakeLimit limit{*terms.loop.timekeeper, stream.next_layer()};
        std::tie(error) =
            co_await stream.async_accept(request, asio::as_tuple(asio::use_awaitable));
    }
    if (error) {
        co_return NetError{.code = NetErrc::closed,
                           .message = "the WebSocket was not accepted: " + error.message()};
    }
    // The decorator refers to locals of this function.
    stream.set_option(
        beast::websocket::stream_base::decorator([](beast::websocket::response_type&) {}));
    co_return make_websocket_channel(
        terms.loop, std::move(stream),
        {.max_message_bytes = terms.max_message_bytes, .write_queue = terms.write_queue});
}

}  // namespace holdfast::net
