#pragma once

#include <cstdint>
#include <string>

namespace holdfast::admin {

/// An instant since the epoch as ISO 8601 in UTC: `2026-01-02T03:04:05.678Z`.
[[nodiscard]] std::string iso_time(std::int64_t ms_since_epoch);

}  // namespace holdfast::admin
