#pragma once

#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "holdfast/resilience/deadline.hpp"
#include "holdfast/resilience/time.hpp"
#include "net/http_message.hpp"
#include "net/http_url.hpp"
#include "net/loop.hpp"
#include "net/net_error.hpp"

namespace holdfast::net {

struct HttpClientOptions {
    std::size_t max_connections = 64;  ///< To one origin, over all loops; further requests wait.
    /// Requests that wait for a connection; `overloaded` above this.
    std::size_t max_waiting = 1024;
    std::size_t max_idle_per_loop = 32;
    std::size_t max_idle = 256;  ///< Idle connections, over all loops.
    std::size_t max_head_bytes = std::size_t{64} * 1024;
    resilience::Duration connect_wait = std::chrono::seconds{10};
    /// Idle connections are closed after this time.
    resilience::Duration idle_wait = std::chrono::seconds{60};
    /// A Unix socket to connect to instead of the host of the URL; empty = none.
    std::string socket_path = {};
    std::string certificate_file = {};  ///< Further trusted certificates (PEM); empty = none.
};

/// A request. Head and body are sent in one write. The views must stay valid until the answer.
struct HttpClientRequest {
    std::string_view method = "POST";  ///< Not `HEAD`.
    std::string_view target = {};      ///< Empty = that of the client's URL.
    /// Complete lines, each with its CRLF; without `Host`, the length and the connection.
    std::string headers = {};
    std::string body = {};
};

/// Why there is no answer.
struct HttpClientError {
    NetError error;
    /// Whether the server may have received the request: false only if nothing of it was written.
    bool may_have_arrived = false;
};

/// An answer whose head has been read. The connection returns to its pool when the body has been
/// read to its end; destroying the answer earlier closes the connection.
///
/// Thread-safety: none; belongs to the loop that sent the request.
class HttpClientResponse {
public:
    HttpClientResponse() = default;
    HttpClientResponse(const HttpClientResponse&) = delete;
    HttpClientResponse& operator=(const HttpClientResponse&) = delete;
    virtual ~HttpClientResponse() = default;

    [[nodiscard]] virtual int status() const = 0;
    [[nodiscard]] virtual const HttpHeaders& headers() const = 0;
    /// Reads the rest of the body, with `HttpRequest::kBodyPadding` bytes of capacity after it.
    /// `too_large` above the limit.
    [[nodiscard]] virtual boost::asio::awaitable<NetResult<std::string>> read_all(
        std::size_t max_bytes, resilience::Deadline deadline) = 0;
    /// Returns what `read_all` would return if that needs no wait. Returns nothing otherwise, and
    /// `read_all` with the same limit continues.
    [[nodiscard]] virtual std::optional<NetResult<std::string>> body_at_hand(
        std::size_t /*max_bytes*/) {
        return std::nullopt;
    }
    /// Reads the next decoded bytes of the body; empty at its end. Valid until the next call.
    [[nodiscard]] virtual boost::asio::awaitable<NetResult<std::string_view>> read_some(
        resilience::Deadline deadline) = 0;
};

using HttpClientAnswer = resilience::Result<std::unique_ptr<HttpClientResponse>, HttpClientError>;

/// Receives the answer to a request that `HttpClient::try_start` has sent.
class HttpAnswerListener {
public:
    HttpAnswerListener() = default;
    HttpAnswerListener(const HttpAnswerListener&) = delete;
    HttpAnswerListener& operator=(const HttpAnswerListener&) = delete;
    virtual ~HttpAnswerListener() = default;

    /// Called once, on the loop of the request, never within `try_start`.
    virtual void on_answer(HttpClientAnswer answer) = 0;
};

/// A request that was sent and has no answer yet.
///
/// Thread-safety: none; belongs to the loop of the request.
class HttpExchangeInFlight {
public:
    HttpExchangeInFlight() = default;
    HttpExchangeInFlight(const HttpExchangeInFlight&) = delete;
    HttpExchangeInFlight& operator=(const HttpExchangeInFlight&) = delete;
    virtual ~HttpExchangeInFlight() = default;

    /// Closes the connection. `on_answer` follows with `cancelled`, perhaps within this call.
    virtual void cancel() = 0;
};

/// Sends requests to one origin over persistent connections, with a pool for each loop. Does not
/// follow redirects. Cancel a request by cancelling the waiting coroutine.
///
/// Destroying the client lets requests in flight finish, and closes idle connections.
///
/// Thread-safety: `send` from any loop; the loops outlive the client and its requests.
class HttpClient {
public:
    HttpClient() = default;
    HttpClient(const HttpClient&) = delete;
    HttpClient& operator=(const HttpClient&) = delete;
    virtual ~HttpClient() = default;

    /// Runs on `loop`, which must be the caller's; await it immediately. An answer with any status
    /// is a success.
    [[nodiscard]] virtual boost::asio::awaitable<HttpClientAnswer> send(
        OwningLoop loop, HttpClientRequest request, resilience::Deadline deadline) = 0;
    /// Sends the request if a connection is idle, and reports the head of the answer to the
    /// listener: the path of most requests, without a coroutine. There is no deadline; the caller
    /// cancels. The result is valid until the answer. Returns null, and leaves the request as it
    /// is, if it takes a wait to send it, or if it cannot be sent: `send` finds out which.
    [[nodiscard]] virtual HttpExchangeInFlight* try_start(
        const OwningLoop& /*loop*/, HttpClientRequest& /*request*/,
        const std::shared_ptr<HttpAnswerListener>& /*listener*/) {
        return nullptr;
    }
};

/// Makes a client for the origin of the URL. Fails if a certificate file is unusable.
[[nodiscard]] NetResult<std::shared_ptr<HttpClient>> make_http_client(
    const HttpUrl& origin, const HttpClientOptions& options);

}  // namespace holdfast::net
