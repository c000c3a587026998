#pragma once

#include <map>
#include <string>

#include "config/fault_report.hpp"
#include "config/server_config.hpp"
#include "policy/reading/table_parts.hpp"

namespace holdfast::policy {

/// Reads `circuits` of a server's entry: figures for the circuits of its presets and for the
/// circuit named after the server. Adds them to `parts.circuit_changes`. Warns about other names.
void read_server_circuits(config::FaultReport& report, const config::ServerConfig& server,
                          TableParts& parts);

/// Warns about each circuit of the file that none of the file's rules uses.
void warn_of_unused_circuits(config::FaultReport& report, const config::Node& section,
                             const TableParts& parts);

}  // namespace holdfast::policy
