#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "config/config.hpp"
#include "policy/policy.hpp"
#include "runtime/loading/resolved_servers.hpp"

namespace holdfast::runtime {

/// All that the connection to a server is made from: when it is the same in a new config, the
/// server goes on as it is. How its calls are treated is not part of it. Holds secrets.
struct ServerSetup {
    config::ServerTarget target = {};
    std::optional<config::SessionScope> session = std::nullopt;
    std::string preset = {};
    Credentials credentials = {};
    std::optional<rest::RestApi> rest = std::nullopt;  ///< May come from a document of its own.
    config::ReconnectOptions reconnect = {};
    std::size_t max_message_bytes = 0;
    std::size_t max_stderr_bytes = 0;
    policy::JunkRule junk = policy::JunkRule::skip;

    friend bool operator==(const ServerSetup&, const ServerSetup&) = default;
};

[[nodiscard]] ServerSetup setup_of(const config::ServerConfig& server, const ResolvedServer& plan,
                                   const config::ReconnectOptions& reconnect,
                                   const config::Limits& limits, policy::JunkRule junk);

}  // namespace holdfast::runtime
