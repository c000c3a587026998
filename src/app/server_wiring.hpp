#pragma once

#include <memory>
#include <string>

#include "app/server_plans.hpp"
#include "config/config.hpp"
#include "downstream/downstream.hpp"
#include "downstream/link_opener.hpp"
#include "holdfast/resilience/result.hpp"
#include "net/guardian.hpp"

namespace holdfast::app {

/// Why a server of the config cannot be set up, as a sentence.
struct WiringFault {
    std::string message;
};

/// What is needed to connect to a server of the config. The guardian must outlive it.
[[nodiscard]] resilience::Result<std::unique_ptr<downstream::LinkOpener>, WiringFault> opener_of(
    const config::ServerConfig& server, const ServerPlan& plan, const config::Limits& limits,
    const net::Guardian& guardian);

[[nodiscard]] downstream::DownstreamOptions downstream_options_of(
    const config::ServerConfig& server, const ServerPlan& plan,
    const config::ReconnectOptions& reconnect);

/// A text that differs for servers that are not the same: of another config, or with another
/// command or URL. May hold secrets.
[[nodiscard]] std::string identity_of(const config::ServerConfig& server,
                                      const std::string& config_file);

}  // namespace holdfast::app
