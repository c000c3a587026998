#pragma once

#include <cstdint>
#include <string>

namespace holdfast::base {

/// Returns a time in milliseconds since the epoch as ISO 8601, UTC: `2026-01-02T03:04:05.678Z`.
[[nodiscard]] std::string iso_time(std::int64_t since_epoch_ms);

}  // namespace holdfast::base
