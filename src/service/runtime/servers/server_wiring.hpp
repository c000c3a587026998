#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "config/config.hpp"
#include "downstream/dial_in.hpp"
#include "downstream/downstream.hpp"
#include "downstream/link_opener.hpp"
#include "front/bridge.hpp"
#include "holdfast/resilience/result.hpp"
#include "process/guardian.hpp"
#include "runtime/loading/resolved_servers.hpp"

namespace holdfast::runtime {

/// Why a server of the config cannot be set up, as a sentence.
struct WiringFault {
    std::string message;
};

/// Returns the endpoint for a server that connects to the gateway; null for all others. `home` is
/// the loop of its downstream.
[[nodiscard]] std::shared_ptr<downstream::DialIn> dial_in_of(const config::ServerConfig& server,
                                                             const net::OwningLoop& home);

/// Returns the path of such a server on the listeners. Requires such a server.
[[nodiscard]] std::shared_ptr<const front::Bridge> bridge_of(
    const config::ServerConfig& server, const config::Limits& limits,
    std::shared_ptr<downstream::DialIn> dial_in);

/// The dependencies of connections.
struct WiringDeps {
    const config::Limits& limits;
    const process::Guardian& guardian;            ///< Must outlive the opener.
    std::shared_ptr<downstream::DialIn> dial_in;  ///< Of this server; may be null.
    /// Receives warnings for the operator, from any thread.
    std::function<void(const std::string& sentence)> warn = {};
    downstream::JunkRule junk = downstream::JunkRule::skip;
};

/// Returns an opener for a server of the config.
[[nodiscard]] resilience::Result<std::unique_ptr<downstream::LinkOpener>, WiringFault> opener_of(
    const config::ServerConfig& server, const ResolvedServer& plan, const WiringDeps& parts);

/// Returns the options of a server, without the seed of its jitter.
[[nodiscard]] downstream::DownstreamOptions downstream_options_of(
    const config::ServerConfig& server, const ResolvedServer& plan,
    const config::ReconnectOptions& reconnect);

/// Returns how a server is reached, for display: `stdio`, `http`, `sse`, `ws`, `bridge` or `rest`.
[[nodiscard]] std::string_view transport_name(const config::ServerConfig& server);

/// Returns a text that differs between programs, their arguments and folders; empty for a server
/// that is not a program. May contain secrets.
[[nodiscard]] std::string command_identity_of(const config::ServerConfig& server);

/// Returns a text that differs between servers of different configs, commands or URLs. May contain
/// secrets.
[[nodiscard]] std::string identity_of(const config::ServerConfig& server,
                                      const std::string& config_file);

}  // namespace holdfast::runtime
