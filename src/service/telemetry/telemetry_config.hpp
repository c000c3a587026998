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
    std::string path = {};  ///< Of the file; empty = in the user's data folder.
    double sample = 0.01;   ///< Share of the successful calls.
    resilience::Duration keep = std::chrono::hours{14 * 24};
    std::size_t max_size_bytes = 200 * config::kMegabyte;
    bool keeps_query_text = false;

    friend bool operator==(const TelemetryConfig&, const TelemetryConfig&) = default;
};

/// Reads the section; null means a config without it. Faults go to the report, and the default
/// applies instead.
[[nodiscard]] TelemetryConfig read_telemetry_config(const config::Node* section,
                                                    config::FaultReport& report);

/// The JSON Schema of the section.
[[nodiscard]] config::Node telemetry_schema();

}  // namespace holdfast::telemetry
