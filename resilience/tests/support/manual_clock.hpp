#pragma once

#include "holdfast/resilience/time.hpp"

namespace holdfast::resilience::testing {

/// A clock that only a test advances.
class ManualClock {
public:
    [[nodiscard]] TimePoint now() const noexcept { return now_; }
    void advance(Duration step) noexcept { now_ += step; }

private:
    // Not zero, so that a forgotten time is noticed.
    TimePoint now_{std::chrono::hours{1'000}};
};

}  // namespace holdfast::resilience::testing
