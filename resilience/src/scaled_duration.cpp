#include "holdfast/resilience/detail/scaled_duration.hpp"

#include <algorithm>
#include <cmath>

namespace holdfast::resilience::detail {

Duration scaled_duration(Duration base, double factor, Duration cap) noexcept {
    const double ticks = static_cast<double>(base.count()) * factor;
    if (!(ticks > 0.0)) {
        return Duration::zero();
    }
    // Compares as doubles, because the conversion is undefined outside the range.
    if (ticks >= static_cast<double>(cap.count())) {
        return cap;
    }
    return Duration{static_cast<Duration::rep>(std::llround(ticks))};
}

Duration grown_duration(Duration base, double factor, std::uint32_t steps, Duration cap) noexcept {
    if (steps == 0) {
        return std::clamp(base, Duration::zero(), cap);
    }
    return scaled_duration(base, std::pow(factor, static_cast<double>(steps)), cap);
}

}  // namespace holdfast::resilience::detail
