#pragma once

#include <iosfwd>
#include <string>

#include "cli/client/admin_client.hpp"

namespace holdfast::cli {

/// What an operator wants of a running gateway.
struct ControlOptions {
    AdminChoice gateway = {};
    std::string path = {};  ///< Of the command in the admin API, such as `/api/drain`.
};

/// Tells what came of it. Returns the exit code.
[[nodiscard]] int run_control(const ControlOptions& options, std::ostream& out,
                              std::ostream& errors);

/// Lists the circuits of a gateway.
[[nodiscard]] int run_circuits(const AdminChoice& gateway, std::ostream& out, std::ostream& errors);

}  // namespace holdfast::cli
