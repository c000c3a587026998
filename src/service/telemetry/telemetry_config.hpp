#pragma once

#include <chrono>
#include <cstddef>
#include <string>

#include "config/fault_report.hpp"
#include "config/limits.hpp"
#include "config/node.hpp"
#include "holdfast/resilience/time.hpp"

namespace holdfast::telemetry {

/// The section `telemetry`.
struct TelemetryConfig {
    bool stores = true;
    std::string path = {};  ///< Of the file; empty = in the data folder of the user.
    double sample = 0.01;   ///< Of the calls that did not fail.
    resilience::Duration keep = std::chrono::hours{14 * 24};
    std::size_t max_size_bytes = 200 * config::kMegabyte;
    bool keeps_query_text = false;

    friend bool operator==(const TelemetryConfig&, const TelemetryConfig&) = default;
};

/// Reads the section; null stands for a config without it. What is wrong goes to the report, and
/// leaves the default in its place.
[[nodiscard]] TelemetryConfig read_telemetry_config(const config::Node* section,
                                                    config::FaultReport& report);

}  // namespace holdfast::telemetry
