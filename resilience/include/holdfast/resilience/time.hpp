#pragma once

#include <chrono>

namespace holdfast::resilience {

/// Instants are monotonic. The library never reads the clock: every function takes `now`, so a
/// program passes `std::chrono::steady_clock::now()` and a test any instant.
using TimePoint = std::chrono::steady_clock::time_point;
using Duration = TimePoint::duration;

/// Returns `instant + delay`, limited to the range instead of overflowing.
[[nodiscard]] constexpr TimePoint saturating_add(TimePoint instant, Duration delay) noexcept {
    if (delay > Duration::zero() && instant > TimePoint::max() - delay) {
        return TimePoint::max();
    }
    if (delay < Duration::zero() && instant < TimePoint::min() - delay) {
        return TimePoint::min();
    }
    return instant + delay;
}

/// Returns `later - earlier`, at least zero and without overflow.
[[nodiscard]] constexpr Duration elapsed_between(TimePoint earlier, TimePoint later) noexcept {
    if (later <= earlier) {
        return Duration::zero();
    }
    if (earlier.time_since_epoch() < Duration::zero() &&
        later.time_since_epoch() > Duration::max() + earlier.time_since_epoch()) {
        return Duration::max();
    }
    return later - earlier;
}

}  // namespace holdfast::resilience
