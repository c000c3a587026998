#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "dispatch/gateway.hpp"
#include "downstream/start_gate.hpp"
#include "front/bridge_table.hpp"
#include "holdfast/resilience/observer.hpp"
#include "holdfast/resilience/result.hpp"
#include "net/loop.hpp"
#include "platform/crypto.hpp"
#include "process/guardian.hpp"
#include "runtime/loaded_config.hpp"
#include "runtime/servers/server_guards.hpp"
#include "runtime/servers/server_setup.hpp"
#include "runtime/service_log.hpp"

namespace holdfast::runtime {

/// The dependencies of servers.
struct ServerSetDeps {
    const process::Guardian& guardian;                       ///< Must outlive the servers.
    std::shared_ptr<downstream::StartGate> start_gate = {};  ///< Shared by all servers.
    std::vector<net::OwningLoop> loops = {};
    resilience::Observer* observer = nullptr;  ///< Must outlive the servers.
    const ServiceLog& log;                     ///< Must outlive the servers.
    MakeSeed make_seed = platform::make_seed;  ///< For the jitter of each server.
};

/// Sets up the servers of a config. Servers with an unchanged setup are kept, with their
/// connections, sessions and circuits.
///
/// Thread-safety: none; used before the loops run, and then on the first of them.
class ServerSet final {
public:
    explicit ServerSet(ServerSetDeps parts)
        : parts_(std::move(parts)), guards_(parts_.observer, parts_.make_seed) {}

    /// Returns the servers for a gateway. Servers that cannot be set up are skipped with a log
    /// line. A running server whose new entry is skipped keeps its previous entry.
    [[nodiscard]] std::vector<surface::Server> servers_of(
        const LoadedConfig& loaded, const std::weak_ptr<dispatch::Gateway>& gateway);
    /// Why servers of the last config are skipped, by name.
    [[nodiscard]] const std::map<std::string, std::string>& skipped() const noexcept {
        return skipped_;
    }
    /// Why servers keep their previous entries, by name.
    [[nodiscard]] const std::map<std::string, std::string>& carried() const noexcept {
        return carried_;
    }
    /// The bridges of the last config.
    [[nodiscard]] front::BridgeTable::Bridges bridges() const;

private:
    struct Made {
        ServerSetup setup = {};
        surface::Server server = {};
        std::shared_ptr<const front::Bridge> bridge = {};  ///< Null = we connect to it.
    };
    /// The server, or why it cannot be set up.
    using MadeOrReason = resilience::Result<Made, std::string>;
    using MadeByName = std::map<std::string, Made, std::less<>>;

    [[nodiscard]] bool is_taken(const std::string& path) const;
    [[nodiscard]] MadeOrReason made(const config::ServerConfig& server, const LoadedConfig& loaded,
                                    const std::weak_ptr<dispatch::Gateway>& gateway);
    [[nodiscard]] downstream::DownstreamOptions options_of(const config::ServerConfig& server,
                                                           const LoadedConfig& loaded) const;
    /// Keeps the previous entry of a running server; skips any other.
    void carry_or_skip(const std::string& server, const std::string& why,
                       std::vector<surface::Server>& servers);
    void guard(Made& made, const LoadedConfig& loaded, bool is_new);

    const ServerSetDeps parts_;
    ServerGuards guards_;
    std::size_t next_home_ = 0;
    bool shares_circuits_ = false;
    MadeByName made_;
    std::map<std::string, std::string> skipped_;
    std::map<std::string, std::string> carried_;
    MadeByName before_;  // of the previous config, while a new one is processed
};

}  // namespace holdfast::runtime
