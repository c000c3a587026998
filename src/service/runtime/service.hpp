#pragma once

#include <boost/asio/awaitable.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "dispatch/gateway.hpp"
#include "dispatch/request_dispatcher.hpp"
#include "front/bridge_table.hpp"
#include "net/event_loops.hpp"
#include "process/guardian.hpp"
#include "runtime/admin_side.hpp"
#include "runtime/config_reading.hpp"
#include "runtime/listeners.hpp"
#include "runtime/loaded_config.hpp"
#include "runtime/logs/connection_log.hpp"
#include "runtime/logs/event_log.hpp"
#include "runtime/servers/server_set.hpp"
#include "runtime/service_log.hpp"
#include "runtime/state/file_listing_cache.hpp"
#include "runtime/telemetry_side.hpp"
#include "tool_search/tool_search.hpp"

namespace holdfast::runtime {

struct ServiceOptions {
    std::vector<std::string> http_addresses = {};  ///< `host:port`; port 0 = any that is free.
    bool on_stdio = false;
    bool allows_insecure_http = false;  ///< As `agents.insecureHttp`.
    std::size_t loops = 0;              ///< Zero = one for each core.
    double clock_rate = 1;              ///< How many times as fast time runs; for tests.
    /// Whether the lists of servers are cached on disk and shown before the servers have listed
    /// them again.
    bool remembers = true;
    bool records = false;  ///< Whether calls and events are counted, shown and stored.
    /// Reloads the config for an operator; called on the first loop, reports the result later. If
    /// set, and if the run records, it has an admin side as configured.
    std::function<void(const admin::ControlDone&)> reload = {};
    /// Grace period for calls in flight on shutdown; unset = the gateway's default.
    std::optional<resilience::Duration> drain_for = std::nullopt;
    /// How long lists wait for unknown servers; unset = the gateway's default.
    std::optional<resilience::Duration> settle_for = std::nullopt;
    bool finds_by_meaning = true;  ///< Otherwise only keyword search is used.
};

/// One run of a gateway: its loops, servers and listeners, as members in order of construction.
/// Call `start`, then `run`, which returns after `stop`.
///
/// Thread-safety: none before `run`; then `stop` and `change` on the first loop.
class Service final {
public:
    /// The guardian and the log must outlive it.
    Service(const process::Guardian& guardian, LoadedConfig loaded, ServiceOptions options,
            const logging::Log& log);
    ~Service();
    Service(const Service&) = delete;
    Service& operator=(const Service&) = delete;

    /// Sets everything up, and listens. Returns false if that fails, which is logged.
    [[nodiscard]] bool start();
    void run() { loops_.run(); }
    /// Shuts down gracefully.
    void stop();
    /// Applies another config. Unchanged parts continue.
    void change(LoadedConfig loaded);
    /// Keeps the config in use, because the one that was read has these errors.
    void reject(const ConfigMessages& messages);
    /// Reads the config again, with what is cached of its servers. It owns what it uses, so that it
    /// can run on a thread that outlives this.
    [[nodiscard]] std::function<std::shared_ptr<ConfigReading>()> config_reader() const;

    [[nodiscard]] bool is_stopping() const noexcept { return is_stopping_; }
    [[nodiscard]] const config::Config& config() const noexcept { return loaded_.config; }
    [[nodiscard]] dispatch::Gateway& gateway() noexcept { return *gateway_; }
    /// Why the gateway lacks a server; empty if it is disabled or not in the config.
    [[nodiscard]] std::string why_skipped(const std::string& server) const;
    /// Why every call of an HTTP API fails: it lacks a required credential. Empty for others.
    [[nodiscard]] std::string missing_credential(const std::string& server) const;
    [[nodiscard]] const net::OwningLoop& first_loop() const { return loops_.all().front(); }
    [[nodiscard]] std::uint16_t port() const { return listeners_->port(); }
    /// The recording; null if nothing is recorded.
    [[nodiscard]] const std::shared_ptr<telemetry::Recording>& recording() const noexcept {
        return telemetry_.recording();
    }
    [[nodiscard]] const ServiceLog& log() const noexcept { return log_; }
    /// Waits until all known tools can be found, or cannot be embedded.
    void wait_for_index(resilience::Duration limit) {
        std::ignore = search_->wait_until_ready(limit);
    }

private:
    void make_gateway();
    void add_debug_log(dispatch::GatewayOptions& options);
    /// Logs which limits of the system are too low.
    [[nodiscard]] int planned_max_descriptor() const;
    void set_json_depth() const;
    void make_admin();
    [[nodiscard]] bool listen_for_admin();
    [[nodiscard]] std::shared_ptr<tool_search::ToolSearch> make_search() const;
    [[nodiscard]] bool serve_stdio();
    /// Copies the previous entries of running servers that `loaded` skips into it.
    void carry_entries_into(LoadedConfig& loaded) const;
    void publish_problems() {
        problems_->replace({.skipped = set_.skipped(), .carried = set_.carried()});
    }

    LoadedConfig loaded_;
    const ServiceLog log_;
    const pid_t guardian_pid_;
    EventLog events_;
    const ServiceOptions options_;
    TelemetrySide telemetry_;
    ConnectionLog connections_;
    net::EventLoops loops_;
    const std::shared_ptr<FileListingCache> listing_cache_;  // null if nothing is cached
    ServerSet set_;
    const std::shared_ptr<front::BridgeTable> bridges_ = std::make_shared<front::BridgeTable>();
    std::shared_ptr<tool_search::ToolSearch>
        search_;  // its threads end before the loops are destroyed
    std::shared_ptr<dispatch::Gateway> gateway_;
    std::shared_ptr<const dispatch::RequestDispatcher> dispatcher_;
    std::optional<Listeners> listeners_;
    const std::shared_ptr<admin::EntryProblems> problems_ =
        std::make_shared<admin::EntryProblems>();
    std::optional<AdminSide> admin_;
    bool is_stopping_ = false;
};

}  // namespace holdfast::runtime
