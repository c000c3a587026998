#pragma once

#include <cstdint>

#include "holdfast/resilience/time.hpp"

namespace holdfast::resilience::detail {

/// Returns `base * factor`, rounded to the nearest tick and limited to [0, cap]; never overflows.
[[nodiscard]] Duration scaled_duration(Duration base, double factor, Duration cap) noexcept;

/// Returns `base * factor^steps`, limited to [0, cap] for any number of steps.
[[nodiscard]] Duration grown_duration(Duration base, double factor, std::uint32_t steps,
                                      Duration cap) noexcept;

}  // namespace holdfast::resilience::detail
