#pragma once

#include <string>

#include "app/server_plans.hpp"
#include "config/config.hpp"
#include "policy/policy.hpp"

namespace holdfast::app {

/// All that the connection to a server is made from, as a text: when it is the same in a new
/// config, the server goes on as it is. How its calls are treated is not part of it. Holds secrets.
[[nodiscard]] std::string setup_text(const config::ServerConfig& server, const ServerPlan& plan,
                                     const config::ReconnectOptions& reconnect,
                                     const config::Limits& limits, policy::JunkRule junk);

}  // namespace holdfast::app
