#pragma once

#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <cstddef>
#include <memory>
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
    std::size_t max_connections = 64;  ///< To one origin, over all loops; more have to wait.
    std::size_t max_waiting = 1024;  ///< Requests that wait for a connection; `overloaded` beyond.
    std::size_t max_idle_per_loop = 32;
    std::size_t max_idle = 256;  ///< Kept open without a request, over all loops.
    std::size_t max_head_bytes = std::size_t{64} * 1024;
    resilience::Duration connect_wait = std::chrono::seconds{10};
    resilience::Duration idle_wait = std::chrono::seconds{60};  ///< Then a connection is closed.
    /// A Unix socket to connect to in place of the host of the URL; empty = none.
    std::string socket_path = {};
    std::string certificate_file = {};  ///< Further trusted certificates (PEM); empty = none.
};

/// What is sent. The head and the body go out in one write. The views must live until the answer.
struct HttpClientRequest {
    std::string_view method = "POST";  ///< Not `HEAD`.
    std::string_view target = {};      ///< Empty = that of the URL of the client.
    /// Complete lines, each with its CRLF; without `Host`, the length and the connection.
    std::string headers = {};
    std::string body = {};
};

/// Why there is no answer.
struct HttpClientError {
    NetError error;
    /// Whether the server may have got the request: false only when nothing of it was written.
    bool may_have_arrived = false;
};

/// An answer whose head has been read. The connection goes back to its pool when the body has been
/// read to its end, and is closed when this is destroyed before.
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
    /// The rest of the body, with `HttpRequest::kBodyPadding` bytes of capacity behind it.
    /// `too_large` over the limit.
    [[nodiscard]] virtual boost::asio::awaitable<NetResult<std::string>> read_all(
        std::size_t max_bytes, resilience::Deadline deadline) = 0;
    /// Some bytes of the body as they come, decoded; empty at its end. Valid until the next call.
    [[nodiscard]] virtual boost::asio::awaitable<NetResult<std::string_view>> read_some(
        resilience::Deadline deadline) = 0;
};

/// Sends requests to one origin over connections that are kept open, a pool for each loop.
/// Redirects are not followed. A request is cancelled by cancelling the coroutine that waits.
///
/// Destroying it lets the requests under way finish, and closes what is idle.
///
/// Thread-safety: `send` from any loop; the loops outlive the client and its requests.
class HttpClient {
public:
    HttpClient() = default;
    HttpClient(const HttpClient&) = delete;
    HttpClient& operator=(const HttpClient&) = delete;
    virtual ~HttpClient() = default;

    /// Runs on `loop`, which is the caller's, and is to be awaited at once. An answer of any status
    /// is a success.
    [[nodiscard]] virtual boost::asio::awaitable<
        resilience::Result<std::unique_ptr<HttpClientResponse>, HttpClientError>>
    send(OwningLoop loop, HttpClientRequest request, resilience::Deadline deadline) = 0;
};

/// For the origin of the URL. Fails if a certificate file cannot be used.
[[nodiscard]] NetResult<std::shared_ptr<HttpClient>> make_http_client(
    const HttpUrl& origin, const HttpClientOptions& options);

}  // namespace holdfast::net
