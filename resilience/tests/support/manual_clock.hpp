#pragma once

#include "holdfast/resilience/time.hpp"

namespace holdfast::resilience::testing {

/// Time that stands still until a test moves it.
class ManualClock {
public:
    [[nodiscard]] TimePoint now() const noexcept { return now_; }
    void advance(Duration step) noexcept { now_ += step; }

private:
    // Not zero, so that a forgotten time shows.
    TimePoint now_{std::chrono::hours{1'000}};
};

}  // namespace holdfast::resilience::testing
