#pragma once

#include <iosfwd>
#include <string>

#include "cli/client/admin_client.hpp"

namespace holdfast::cli {

/// Sends a command to a running gateway and prints its reply. `path` is that of the admin API, such
/// as `/api/drain`. Returns the exit code.
[[nodiscard]] int run_control(const AdminChoice& gateway, const std::string& path,
                              std::ostream& out, std::ostream& errors);

}  // namespace holdfast::cli
