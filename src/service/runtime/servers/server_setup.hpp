#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "config/config.hpp"
#include "holdfast/resilience/time.hpp"
#include "policy/policy.hpp"
#include "runtime/loading/resolved_servers.hpp"

namespace holdfast::runtime {

/// Everything that the connection to a server depends on: if it is equal in a new config, the
/// server continues unchanged. The policy of its calls is not part of it. Contains secrets.
struct ServerSetup {
    config::ServerTarget target = {};
    std::optional<config::SessionScope> session = std::nullopt;
    config::EraChoice era = config::EraChoice::automatic;
    std::string preset = {};
    Credentials credentials = {};
    std::optional<rest::RestApi> rest = std::nullopt;  ///< May come from a document of its own.
    config::ReconnectOptions reconnect = {};
    resilience::Duration start_timeout = {};
    std::size_t max_message_bytes = 0;
    std::size_t max_stderr_bytes = 0;
    policy::JunkRule junk = policy::JunkRule::skip;

    friend bool operator==(const ServerSetup&, const ServerSetup&) = default;
};

/// Returns how long the start of a server may take.
[[nodiscard]] resilience::Duration start_timeout_of(const config::ServerConfig& server,
                                                    const config::ServerDefaults& defaults);

/// `config` is that of the server.
[[nodiscard]] ServerSetup setup_of(const config::ServerConfig& server, const ResolvedServer& plan,
                                   const config::ReconnectOptions& reconnect,
                                   const config::Config& config, policy::JunkRule junk);

}  // namespace holdfast::runtime
