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
#include "net/write_queue_options.hpp"

namespace holdfast::net {

/// What happens to an event of a stream whose reader is too slow.
enum class Importance : std::uint8_t {
    droppable,  ///< Dropped while too much is queued: another one will follow.
    must_arrive,
};

/// How a WebSocket request is accepted.
struct WebSocketTerms {
    std::string subprotocol = {};  ///< Empty = none.
    /// The loop of the channel; without an executor, the loop of the connection.
    OwningLoop loop = {};
    std::size_t max_message_bytes = 0;  ///< 0 = the limit of the server.
    WriteQueueOptions write_queue = {};
};

/// One request of an HTTP client, and the path for its answer. The holder answers exactly once:
/// with `reply`, with a stream, or by turning the connection into a WebSocket. If the last holder
/// drops it without an answer, the client gets status 500.
///
/// Thread-safety: none; belongs to `loop()`, the loop of its connection.
class HttpExchange {
public:
    HttpExchange() = default;
    HttpExchange(const HttpExchange&) = delete;
    HttpExchange& operator=(const HttpExchange&) = delete;
    virtual ~HttpExchange() = default;

    /// Valid as long as the exchange is held.
    [[nodiscard]] virtual const HttpRequest& request() const = 0;
    /// Returns the body of the request with its padding; empty the second time.
    [[nodiscard]] virtual std::string take_body() = 0;
    [[nodiscard]] virtual const OwningLoop& loop() const = 0;

    virtual void reply(HttpReply reply) = 0;

    /// Begins an event stream: status 200, `text/event-stream`, no buffering by proxies. `headers`
    /// are further lines.
    virtual void start_stream(std::string_view headers) = 0;
    /// Sends bytes of the stream immediately. Returns false if they were dropped: the client has
    /// gone, or the event is droppable and too much is queued.
    virtual bool send(std::string bytes, Importance importance) = 0;
    virtual void finish_stream() = 0;
    [[nodiscard]] virtual bool is_streaming() const = 0;

    /// Returns whether the client has gone: it closed its connection or its sending side, or was
    /// cut off. The listener of `on_gone` is called once if that happens before the answer is
    /// complete, on the loop, never from within a call to this object. Later answers are dropped.
    [[nodiscard]] virtual bool is_gone() const = 0;
    virtual void on_gone(std::function<void()> listener) = 0;

    [[nodiscard]] virtual bool wants_websocket() const = 0;
    /// Answers the request by becoming a WebSocket. This call ends the exchange. The returned
    /// coroutine must run on the loop of the channel.
    [[nodiscard]] virtual boost::asio::awaitable<NetResult<std::unique_ptr<MessageChannel>>>
    accept_websocket(WebSocketTerms terms) = 0;
};

/// Answers the requests of an HTTP server.
///
/// Thread-safety: called on the loop of each connection, so from several threads at the same time.
class HttpHandler {
public:
    HttpHandler() = default;
    HttpHandler(const HttpHandler&) = delete;
    HttpHandler& operator=(const HttpHandler&) = delete;
    virtual ~HttpHandler() = default;

    /// Called when the head has been read and the body has not: a returned answer refuses the
    /// request, and nothing more of it is read. `request.body` is empty.
    [[nodiscard]] virtual std::optional<HttpReply> refused(const HttpRequest& request) = 0;

    virtual void on_request(std::shared_ptr<HttpExchange> exchange) = 0;

    /// Returns header lines for every answer to a request, whether by the handler or by the server
    /// itself, for example for a body that is too large. Called once for each answer, on the loop
    /// of the connection. For a malformed head the request has what could be read.
    [[nodiscard]] virtual std::string reply_headers(const HttpRequest& /*request*/) { return {}; }
};

}  // namespace holdfast::net
