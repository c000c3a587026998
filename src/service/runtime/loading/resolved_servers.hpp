#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "config/config.hpp"
#include "config/fault_report.hpp"
#include "policy/policy_table.hpp"
#include "rest/rest_api.hpp"
#include "runtime/loading/credentials.hpp"

namespace holdfast::runtime {

/// What is needed to connect to a server besides its entry.
struct ResolvedServer {
    Credentials credentials = {};
    std::optional<rest::RestApi> rest = std::nullopt;  ///< Of an HTTP API.
};

/// The plans of all servers that are not disabled, by name.
struct ResolvedServers {
    std::map<std::string, ResolvedServer, std::less<>> servers = {};
    /// The headers of agents' requests that some server receives, in lower case, without
    /// duplicates.
    std::vector<std::string> agent_headers = {};
    std::vector<std::string> secrets = {};         ///< Values that must not be shown anywhere.
    std::vector<config::ConfigFault> faults = {};  ///< With any of them nothing may start.
    std::vector<config::ConfigFault> warnings = {};
    std::vector<config::SkippedServer> skipped = {};  ///< They have no plan.
};

/// Looks up the credentials of all servers and reads the descriptions of the HTTP APIs.
[[nodiscard]] ResolvedServers resolve_servers(const config::Config& config,
                                              const policy::PolicyTable& table,
                                              const CredentialStore& store);

/// The variables of this process, and files next to the config.
[[nodiscard]] CredentialStore store_beside(const std::string& config_file);

}  // namespace holdfast::runtime
