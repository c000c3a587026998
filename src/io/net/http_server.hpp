#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "holdfast/resilience/time.hpp"
#include "net/http_exchange.hpp"
#include "net/loop.hpp"
#include "net/net_error.hpp"
#include "net/unwritten_tally.hpp"

namespace holdfast::net {

struct HttpServerOptions {
    std::string address = "127.0.0.1";
    std::uint16_t port = 0;  ///< 0 = any free port.
    /// A Unix socket for this user only, instead of address and port; empty = none. The caller
    /// creates its folder; the server removes the file at the end.
    std::string socket_path = {};
    std::size_t max_header_bytes = std::size_t{32} * 1024;         ///< 431 above it.
    std::size_t max_body_bytes = std::size_t{8} * 1024 * 1024;     ///< 413 above it.
    std::size_t max_message_bytes = std::size_t{8} * 1024 * 1024;  ///< Of a WebSocket.
    std::size_t max_connections = 10'000;                          ///< 503 and close above it.
    /// Of one address beyond loopback: 503 and close above it; 0 = a quarter of all.
    std::size_t max_connections_per_peer = 0;
    bool counts_loopback = false;  ///< Whether that also holds for addresses of this machine.
    /// Connections with a larger descriptor get 503: the rest is for other uses.
    int max_descriptor = std::numeric_limits<int>::max();
    /// A stream above this drops droppable events; at four times this size the client is cut off.
    std::size_t max_stream_bytes = std::size_t{4} * 1024 * 1024;
    resilience::Duration first_wait = std::chrono::seconds{15};  ///< For the very first byte.
    resilience::Duration head_wait = std::chrono::seconds{15};   ///< From its first byte; 408.
    resilience::Duration body_wait = std::chrono::seconds{60};   ///< Without progress; 408.
    /// A body makes progress when this much more of it, or all of it, has arrived.
    std::size_t body_progress_bytes = std::size_t{64} * 1024;
    resilience::Duration idle_wait = std::chrono::minutes{10};  ///< Between two requests.
    /// The same while the server drains: a request that is on its way is still answered.
    resilience::Duration drain_idle_wait = std::chrono::seconds{1};
    resilience::Duration write_wait = std::chrono::minutes{2};  ///< Without progress.
    /// How long a client may take to read a last answer before its connection is closed.
    resilience::Duration linger_wait = std::chrono::seconds{2};
};

/// Accepts HTTP/1.1 connections and distributes them to the loops in turn. A connection stays on
/// its loop for life.
///
/// Thread-safety: created and destroyed while the loops do not run, or on the first loop;
/// everything else from any thread.
class HttpServer final {
public:
    /// Starts to listen. Fails with a sentence that names the address.
    [[nodiscard]] static NetResult<std::unique_ptr<HttpServer>> listen(
        std::vector<OwningLoop> loops, const HttpServerOptions& options,
        std::shared_ptr<HttpHandler> handler);

    HttpServer(const HttpServer&) = delete;
    HttpServer& operator=(const HttpServer&) = delete;
    /// Closes the listening socket and all connections.
    ~HttpServer();

    [[nodiscard]] std::uint16_t port() const noexcept;
    [[nodiscard]] std::size_t connection_count() const;
    /// Accepts no new connections; closes idle ones after a short time without a request, and
    /// others after their answer.
    void drain();
    /// Reports how many connections must still get something before the process may end.
    void report_unwritten(const std::shared_ptr<UnwrittenTally>& tally) const;

private:
    struct Hidden;
    explicit HttpServer(std::shared_ptr<Hidden> hidden);

    // Shared with the connections, which may outlive this object.
    std::shared_ptr<Hidden> hidden_;
};

}  // namespace holdfast::net
