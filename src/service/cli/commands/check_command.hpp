#pragma once

#include <chrono>
#include <iosfwd>
#include <string>

#include "holdfast/resilience/time.hpp"

namespace holdfast::cli {

struct CheckOptions {
    std::string config_file = {};  ///< Empty = the usual places.
    bool as_json = false;
    resilience::Duration wait = std::chrono::seconds{10};  ///< For servers to get ready.
};

/// Reads a config, starts its servers, tells what they offer and what is wrong, and ends them.
/// Returns the exit code: success only if all is fine.
[[nodiscard]] int run_check(const CheckOptions& options, std::ostream& out, std::ostream& errors);

}  // namespace holdfast::cli
