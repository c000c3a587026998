#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "dispatch/request_dispatcher.hpp"
#include "front/bridge_table.hpp"
#include "front/http_front.hpp"
#include "front/sse_sessions.hpp"
#include "net/http_server.hpp"
#include "net/loop.hpp"
#include "runtime/loaded_config.hpp"
#include "runtime/service_log.hpp"

namespace holdfast::runtime {

/// What all listeners of the gateway share.
struct ListenerDeps {
    std::vector<net::OwningLoop> loops = {};
    std::shared_ptr<const dispatch::RequestDispatcher> dispatcher = {};
    std::shared_ptr<const front::BridgeTable> bridges = {};
    const ServiceLog& log;  ///< Must outlive the listeners.
    bool allows_insecure_http = false;
    int max_descriptor = std::numeric_limits<int>::max();  ///< Of an agent's connection.
};

/// The HTTP and WebSocket listeners for agents.
///
/// Thread-safety: none; used before the loops run, and `drain` on the first of them.
class Listeners final {
public:
    explicit Listeners(ListenerDeps parts) : parts_(std::move(parts)) {}

    /// Listens at `host:port` as the config allows. Returns false if that fails. Logs both.
    [[nodiscard]] bool listen_at(const std::string& address, const LoadedConfig& loaded);
    /// Another config is in use: further requests are checked as it says.
    void change(const LoadedConfig& loaded);
    /// Accepts no new requests.
    void drain();
    void report_unwritten(const std::shared_ptr<net::UnwrittenTally>& tally) const;
    /// Where agents reach the first listener.
    [[nodiscard]] const std::string& url() const noexcept { return url_; }
    /// The port of the first listener.
    [[nodiscard]] std::uint16_t port() const { return servers_.front()->port(); }

private:
    const ListenerDeps parts_;
    std::string url_;
    struct Front {
        std::shared_ptr<front::HttpFront> front;
        bool is_loopback;
    };
    std::vector<Front> fronts_;                // of the servers, in their order
    std::shared_ptr<front::SseSessions> sse_;  // shared by all listeners; null = off
    std::vector<std::unique_ptr<net::HttpServer>> servers_;
};

}  // namespace holdfast::runtime
