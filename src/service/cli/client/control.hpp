#pragma once

#include <iosfwd>
#include <string>
#include <string_view>

#include "cli/client/admin_client.hpp"

namespace holdfast::cli {

/// Sends a command to a running gateway and prints its reply. `path` is that of the admin API, such
/// as `/api/drain`. Returns the exit code.
[[nodiscard]] int run_control(const AdminChoice& gateway, const std::string& path,
                              std::ostream& out, std::ostream& errors);

/// Asks a running gateway to restart or resume a server (`verb`), waits until the server is ready
/// or has failed, at most for `wait`, and prints the outcome. Returns the exit code.
[[nodiscard]] int run_server_start(const AdminChoice& gateway, const std::string& server,
                                   std::string_view verb, resilience::Duration wait,
                                   std::ostream& out, std::ostream& errors);

}  // namespace holdfast::cli
