#include "net/websocket_client.hpp"

#include <algorithm>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/beast/core/stream_traits.hpp>
#include <boost/beast/http/field.hpp>
#include <boost/beast/websocket/ssl.hpp>
#include <boost/beast/websocket/stream.hpp>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/http_token.hpp"
#include "holdfast/resilience/asio/one_shot.hpp"
#include "net/http/client/http_request_text.hpp"
#include "net/reactor/tcp_dial.hpp"
#include "net/tls/tls_client.hpp"
#include "net/websocket/websocket_channel.hpp"

namespace holdfast::net {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
namespace websocket = boost::beast::websocket;
using Error = boost::system::error_code;
using Opened = NetResult<std::unique_ptr<MessageChannel>>;
using resilience::WakeReason;

// A stream that is being opened, shared with the running operation. An abandoned operation ends
// soon because the socket is closed; no one waits for it.
template <class Stream>
struct Opening {
    template <class... Arguments>
    explicit Opening(const OwningLoop& loop, Arguments&&... arguments)
        : stream(std::forward<Arguments>(arguments)...), done(*loop.timekeeper) {}

    void on_done(const Error& result) {
        error = result;
        done.signal();
    }

    Stream stream;
    websocket::response_type response;
    resilience::OneShot done;
    std::optional<Error> error;
};

template <class Stream>
using SharedOpening = std::shared_ptr<Opening<Stream>>;

template <class Stream>
void give_up(Opening<Stream>& opening) {
    Error ignored;  // nothing can be done about a failure
    std::ignore = boost::beast::get_lowest_layer(opening.stream).close(ignored);
}

// Waits for the running operation; returns an error if it timed out or was cancelled.
template <class Stream>
asio::awaitable<NetResult<Error>> outcome(SharedOpening<Stream> opening,
                                          resilience::Deadline deadline) {
    while (!opening->error) {
        const WakeReason reason = co_await opening->done.wait_until(deadline.when());
        if (reason == WakeReason::cancelled) {
            give_up(*opening);
            co_return NetError{.code = NetErrc::cancelled,
                               .message = "opening the WebSocket was cancelled"};
        }
        if (reason == WakeReason::time) {
            give_up(*opening);
            co_return NetError{.code = NetErrc::timed_out,
                               .message = "the WebSocket was not opened in time"};
        }
    }
    const Error result = *opening->error;
    opening->error.reset();
    co_return result;
}

// Beast throws on a value above 64 kB.
bool has_long_line(std::string_view lines) {
    constexpr std::size_t kMaxLineBytes = std::size_t{60} * 1024;
    while (!lines.empty()) {
        const std::size_t size_bytes = lines.substr(0, lines.find("\r\n")).size();
        if (size_bytes > kMaxLineBytes) {
            return true;
        }
        lines.remove_prefix(std::min(size_bytes + 2, lines.size()));
    }
    return false;
}

void add_header_lines(websocket::request_type& request, std::string_view lines) {
    while (!lines.empty()) {
        const std::string_view line = lines.substr(0, lines.find("\r\n"));
        lines.remove_prefix(line.size() + 2);
        const std::size_t colon = line.find(':');
        const std::string_view name = line.substr(0, colon);
        const std::string_view value = base::trimmed_value(line.substr(colon + 1));
        request.insert({name.data(), name.size()}, {value.data(), value.size()});
    }
}

NetError refusal(const Error& error, const websocket::response_type& response,
                 const std::string& authority) {
    NetError refused{.code = NetErrc::bad_answer,
                     .message = authority + " did not open a WebSocket: "};
    if (error == websocket::error::upgrade_declined) {
        refused.message += "status " + std::to_string(response.result_int());
    } else {
        refused.message += error.message();
        if (error == asio::error::eof || error.category() == boost::system::system_category()) {
            refused.code = NetErrc::closed;
        }
    }
    return refused;
}

template <class Stream>
void start_upgrade(const SharedOpening<Stream>& opening, const WebSocketTarget& target) {
    websocket::stream_base::decorator decorator{[target](websocket::request_type& request) {
        if (!target.subprotocol.empty()) {
            request.set(http::field::sec_websocket_protocol, target.subprotocol);
        }
        add_header_lines(request, target.headers);
    }};
    opening->stream.set_option(std::move(decorator));
    opening->stream.async_handshake(opening->response, target.url.authority(), target.url.target,
                                    [opening](const Error& error) { opening->on_done(error); });
}

template <class Stream>
asio::awaitable<Opened> upgraded(SharedOpening<Stream> opening, OwningLoop loop,
                                 WebSocketTarget target, WebSocketOptions options,
                                 resilience::Deadline deadline) {
    start_upgrade(opening, target);
    auto result = co_await outcome(opening, deadline);
    if (!result) {
        co_return std::move(result).error();
    }
    if (*result) {
        give_up(*opening);
        co_return refusal(*result, opening->response, target.url.authority());
    }
    const auto chosen = opening->response[http::field::sec_websocket_protocol];
    if (std::string_view{chosen.data(), chosen.size()} != target.subprotocol) {
        give_up(*opening);
        co_return NetError{.code = NetErrc::bad_answer,
                           .message = target.url.authority() +
                                      " does not speak the subprotocol \"" + target.subprotocol +
                                      "\""};
    }
    co_return make_websocket_channel(loop, std::move(opening->stream),
                                     {.max_message_bytes = options.max_message_bytes,
                                      .write_queue = options.write_queue,
                                      .ping_every = options.ping_every,
                                      .pong_wait = options.pong_wait,
                                      .close_wait = options.close_wait});
}

asio::awaitable<Opened> opened_with_tls(asio::ip::tcp::socket socket, OwningLoop loop,
                                        WebSocketTarget target, WebSocketOptions options,
                                        resilience::Deadline deadline) {
    auto context = make_tls_context(options.certificate_file);
    if (!context) {
        co_return std::move(context).error();
    }
    // The stream needs its context only for construction: OpenSSL counts references itself.
    auto opening = std::make_shared<Opening<TlsWebSocket>>(loop, std::move(socket), **context);
    auto& tls = opening->stream.next_layer();
    if (!prepare_tls(tls.native_handle(), target.url.host)) {
        co_return NetError{.code = NetErrc::invalid_request,
                           .message = "TLS cannot ask for the host " + target.url.host};
    }
    tls.async_handshake(asio::ssl::stream_base::client,
                        [opening](const Error& error) { opening->on_done(error); });
    auto result = co_await outcome(opening, deadline);
    if (!result) {
        co_return std::move(result).error();
    }
    if (*result) {
        give_up(*opening);
        co_return tls_failure(tls.native_handle(), target.url.host, *result);
    }
    co_return co_await upgraded(std::move(opening), std::move(loop), std::move(target),
                                std::move(options), deadline);
}

asio::awaitable<Opened> opened(OwningLoop loop, WebSocketTarget target, WebSocketOptions options,
                               resilience::Deadline deadline) {
    auto socket = co_await dial_tcp(loop, target.url.host, target.url.port, deadline);
    if (!socket) {
        co_return std::move(socket).error();
    }
    if (target.url.has_tls) {
        co_return co_await opened_with_tls(*std::move(socket), std::move(loop), std::move(target),
                                           std::move(options), deadline);
    }
    auto opening = std::make_shared<Opening<TcpWebSocket>>(loop, *std::move(socket));
    co_return co_await upgraded(std::move(opening), std::move(loop), std::move(target),
                                std::move(options), deadline);
}

}  // namespace

asio::awaitable<Opened> open_websocket(OwningLoop loop, WebSocketTarget target,
                                       WebSocketOptions options, resilience::Deadline deadline) {
    if (auto fault = fault_in_header_lines(target.headers)) {
        co_return *std::move(fault);
    }
    if (has_long_line(target.headers)) {
        co_return NetError{.code = NetErrc::invalid_request,
                           .message = "a header of the WebSocket request is too long"};
    }
    if (!target.subprotocol.empty() && !base::is_token(target.subprotocol)) {
        co_return NetError{.code = NetErrc::invalid_request,
                           .message = "the subprotocol is not a name"};
    }
    // A cancelled coroutine returns an error instead of throwing.
    const bool threw_if_cancelled = co_await asio::this_coro::throw_if_cancelled();
    co_await asio::this_coro::throw_if_cancelled(false);
    auto result = co_await opened(std::move(loop), std::move(target), std::move(options), deadline);
    co_await asio::this_coro::throw_if_cancelled(threw_if_cancelled);
    co_return result;
}

}  // namespace holdfast::net
