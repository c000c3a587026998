#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/local_access.hpp"
#include "config/config.hpp"
#include "holdfast/resilience/time.hpp"
#include "mcp/revision.hpp"
#include "policy/policy_table.hpp"
#include "runtime/config_messages.hpp"
#include "runtime/loading/admin_config.hpp"
#include "runtime/loading/resolved_servers.hpp"
#include "runtime/loading/search_config.hpp"
#include "telemetry/telemetry_config.hpp"

namespace holdfast::runtime {

/// The era of a server that an earlier run has cached, and how long ago it was found out.
struct KnownEra {
    mcp::Era era = mcp::Era::legacy;
    resilience::Duration age = {};
};
using KnownEras = std::map<std::string, KnownEra, std::less<>>;  ///< By server.
/// Servers whose command has been started successfully before.
using KnownStarts = std::set<std::string, std::less<>>;

/// A config with everything derived from it.
struct LoadedConfig {
    config::Config config;      ///< Includes the secrets of presets and credentials.
    policy::PolicyTable table;  ///< What its policies and presets say.
    ResolvedServers plans;      ///< Without faults.
    SearchConfig search;        ///< How tools are shown and found.
    telemetry::TelemetryConfig telemetry = {};
    AdminConfig admin = {};
    base::LocalAccess local = {};  ///< Who may connect without a token.
    /// Entries of the previous config that stay in use, because the new ones are skipped.
    std::vector<config::ServerConfig> carried = {};
    KnownEras known_eras = {};      ///< Read along with the config, since that waits for the disk.
    KnownStarts known_starts = {};  ///< The same.
};

/// Reads the config as `load_config` does, its policies, and what its servers need. Nothing if it
/// cannot be used. Adds why, and what looks wrong, to the messages.
[[nodiscard]] std::optional<LoadedConfig> load_everything(const std::string& file,
                                                          ConfigMessages& messages,
                                                          bool needs_trust = false);

}  // namespace holdfast::runtime
