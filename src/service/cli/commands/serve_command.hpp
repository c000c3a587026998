#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <iosfwd>
#include <string>
#include <vector>

#include "holdfast/resilience/time.hpp"
#include "logging/log_target.hpp"

namespace holdfast::runtime {
class Service;
}  // namespace holdfast::runtime

namespace holdfast::cli {

struct ServeOptions {
    std::string config_file = {};                  ///< Empty = the usual places.
    std::vector<std::string> http_addresses = {};  ///< `host:port`; port 0 = any that is free.
    bool trusts_folder = false;                    ///< Trust `./.mcp.json` as it is now.
    bool on_stdio = false;
    bool allows_insecure_http = false;
    std::size_t loops = 0;                                     ///< Zero = one for each core.
    resilience::Duration drain_for = std::chrono::seconds{2};  ///< For in-flight calls on shutdown.
    double clock_rate = 1;  ///< How many times as fast time runs; for tests.
    logging::LogChoice log = {};
    /// Called when it listens, before its loops run.
    std::function<void(runtime::Service&)> on_started = {};
    /// Called on the first loop when it begins to end, unless standard input was the reason.
    std::function<void()> on_stopping = {};
};

/// Runs the gateway until a signal arrives or its standard input ends. Returns the exit code. Logs
/// to `errors`, which must be standard error.
[[nodiscard]] int serve(const ServeOptions& options, std::ostream& errors);

}  // namespace holdfast::cli
