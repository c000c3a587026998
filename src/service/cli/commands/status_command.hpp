#pragma once

#include <chrono>
#include <iosfwd>

#include "cli/client/admin_client.hpp"

namespace holdfast::cli {

struct StatusOptions {
    AdminChoice gateway = {};
    bool as_json = false;
    bool watches = false;  ///< Shows it again and again, until it is interrupted.
    bool has_colours = false;
    std::chrono::milliseconds every{1'000};
};

/// Shows the health of a gateway and its servers. Returns the exit code: `kExitFailure` when a
/// server is in error or a circuit refuses calls.
[[nodiscard]] int run_status(const StatusOptions& options, std::ostream& out, std::ostream& errors);

}  // namespace holdfast::cli
