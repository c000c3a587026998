#pragma once

#include <cstdint>

#include "holdfast/resilience/time.hpp"

namespace holdfast::resilience::detail {

/// `base * factor`, rounded to the nearest tick and held within [0, cap]; no factor overflows it.
[[nodiscard]] Duration scaled_duration(Duration base, double factor, Duration cap) noexcept;

/// `base * factor^steps`, held within [0, cap] for any number of steps.
[[nodiscard]] Duration grown_duration(Duration base, double factor, std::uint32_t steps,
                                      Duration cap) noexcept;

}  // namespace holdfast::resilience::detail
