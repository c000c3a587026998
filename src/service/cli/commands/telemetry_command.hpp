#pragma once

#include <chrono>
#include <iosfwd>
#include <string>

#include "holdfast/resilience/time.hpp"

namespace holdfast::cli {

struct TelemetryOptions {
    std::string file = {};         ///< Empty = that of the config, or else the user's.
    std::string config_file = {};  ///< Empty = none is read.
    resilience::Duration since = std::chrono::hours{24};  ///< How far to look back.
    std::string server = {};                              ///< Empty = all.
    bool as_json = false;
    std::string format = {};  ///< `jsonl` or `csv`: prints rows. Empty = a summary.
    std::string table = "calls";
};

/// Tells from the stored telemetry which servers fail most, when and why, or prints what is stored.
/// A gateway may be writing to it. Returns the exit code.
[[nodiscard]] int run_telemetry(const TelemetryOptions& options, std::ostream& out,
                                std::ostream& errors);

}  // namespace holdfast::cli
