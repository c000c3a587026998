#pragma once

#include <iosfwd>
#include <string>

#include "logging/log_target.hpp"

namespace holdfast::cli {

struct DemoOptions {
    std::string http_address = "127.0.0.1:7332";
    std::string admin_address = "127.0.0.1:7333";
    logging::LogChoice log = {};
};

/// The config of the demo: the two servers that are built into `program`, and where the page is.
[[nodiscard]] std::string demo_config(const std::string& program, const std::string& admin);

/// Runs a gateway in front of the demo's servers, and an agent that calls them, until a signal ends
/// it. Returns the exit code. Logs to `errors`, which must be standard error.
[[nodiscard]] int run_demo(const DemoOptions& options, std::ostream& errors);

}  // namespace holdfast::cli
