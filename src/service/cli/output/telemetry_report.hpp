#pragma once

#include <cstdint>
#include <string>

#include "cli/output/line_cut.hpp"
#include "telemetry/store_reader.hpp"

// What the store knows, as `holdfast telemetry` prints it.

namespace holdfast::cli {

/// For people; without characters that could do something to a terminal.
[[nodiscard]] std::string text_of(const telemetry::StoreReport& report, std::int64_t since_ms,
                                  LineCut cut);
/// One JSON object in a line.
[[nodiscard]] std::string json_of(const telemetry::StoreReport& report, std::int64_t since_ms);

}  // namespace holdfast::cli
