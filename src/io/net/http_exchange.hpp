#pragma once

#include <boost/asio/awaitable.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "net/http_message.hpp"
#include "net/loop.hpp"
#include "net/message_channel.hpp"

namespace holdfast::net {

/// What happens to an event of a stream whose reader is too slow.
enum class Importance : std::uint8_t {
    droppable,  ///< Left out while too much waits: another one will follow.
    must_arrive,
};

/// How a request for a WebSocket is granted.
struct WebSocketTerms {
    std::string subprotocol = {};  ///< Empty = none is named.
    /// Where the channel is to live; without an executor on the loop of the connection.
    OwningLoop loop = {};
    std::size_t max_message_bytes = 0;  ///< 0 = as the options of the server say.
};

/// One request of an HTTP client, and the way back for its answer. Whoever holds it answers exactly
/// once: by `reply`, by a stream, or by taking the connection over as a WebSocket. If the last
/// holder drops it without an answer, the client gets status 500.
///
/// Thread-safety: none; belongs to `loop()`, the loop of its connection.
class HttpExchange {
public:
    HttpExchange() = default;
    HttpExchange(const HttpExchange&) = delete;
    HttpExchange& operator=(const HttpExchange&) = delete;
    virtual ~HttpExchange() = default;

    /// Valid for as long as the exchange is held.
    [[nodiscard]] virtual const HttpRequest& request() const = 0;
    /// The body of the request, with its padding; nothing the second time.
    [[nodiscard]] virtual std::string take_body() = 0;
    [[nodiscard]] virtual const OwningLoop& loop() const = 0;

    virtual void reply(HttpReply reply) = 0;

    /// Begins an event stream: status 200, `text/event-stream`, no buffering on the way. `headers`
    /// are further lines.
    virtual void start_stream(std::string_view headers) = 0;
    /// Sends bytes of the stream, at once. False if it was left out: the client has gone, or the
    /// event is droppable and too much waits.
    virtual bool send(std::string bytes, Importance importance) = 0;
    virtual void finish_stream() = 0;
    [[nodiscard]] virtual bool is_streaming() const = 0;

    /// Whether the client has gone: it closed its connection, or the sending side of it, or was cut
    /// off. `on_gone` is told once if that happens before the answer is complete, on the loop,
    /// never from within a call to this object. What is answered afterwards is dropped.
    [[nodiscard]] virtual bool is_gone() const = 0;
    virtual void on_gone(std::function<void()> listener) = 0;

    [[nodiscard]] virtual bool wants_websocket() const = 0;
    /// Answers the request by becoming a WebSocket. The exchange is over with this call. What is
    /// returned must be run on the loop where the channel is to live.
    [[nodiscard]] virtual boost::asio::awaitable<NetResult<std::unique_ptr<MessageChannel>>>
    accept_websocket(WebSocketTerms terms) = 0;
};

/// Who answers the requests of an HTTP server.
///
/// Thread-safety: called on the loop of each connection, so from several threads at once.
class HttpHandler {
public:
    HttpHandler() = default;
    HttpHandler(const HttpHandler&) = delete;
    HttpHandler& operator=(const HttpHandler&) = delete;
    virtual ~HttpHandler() = default;

    /// Asked when the head has been read and the body has not: an answer refuses the request, and
    /// nothing more of it is read. `request.body` is empty.
    [[nodiscard]] virtual std::optional<HttpReply> refused(const HttpRequest& request) = 0;

    virtual void on_request(std::shared_ptr<HttpExchange> exchange) = 0;

    /// Header lines that go with every answer to a request, whoever gives it: the handler, or the
    /// server itself when a body is too large or nobody answers. Asked once for each answer, on the
    /// loop of the connection. Of a head that is malformed the request has what could be read.
    [[nodiscard]] virtual std::string reply_headers(const HttpRequest& /*request*/) { return {}; }
};

}  // namespace holdfast::net
