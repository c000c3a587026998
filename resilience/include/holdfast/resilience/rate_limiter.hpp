#pragma once

#include <cstdint>
#include <optional>

#include "holdfast/resilience/result.hpp"
#include "holdfast/resilience/time.hpp"

namespace holdfast::resilience {

/// Allows `permits` in every `per`, of which `burst` may be taken at the same time.
struct RateLimiterOptions {
    std::uint32_t permits = 10;
    Duration per = std::chrono::seconds{1};
    std::uint32_t burst = 10;

    friend bool operator==(const RateLimiterOptions&, const RateLimiterOptions&) = default;
};

/// Returns the options, or an error that names the invalid one.
[[nodiscard]] Result<RateLimiterOptions> validated(const RateLimiterOptions& options);

/// Spreads calls over time by the generic cell rate algorithm: one instant of state, no counting,
/// and the exact wait for every refusal.
///
/// Thread-safety: none; use one lock for it and its neighbouring policies.
class RateLimiter final {
public:
    /// Requires options that pass `validated`.
    explicit RateLimiter(const RateLimiterOptions& options = {});

    /// Takes a permit. Returns nothing if it was taken, otherwise the time until one is available.
    /// A refused try costs nothing.
    [[nodiscard]] std::optional<Duration> try_take(TimePoint now);

    /// Returns what `try_take` would return at `now`. Changes nothing.
    [[nodiscard]] std::optional<Duration> wait_at(TimePoint now) const;

    /// Changes the options. Used permits stay used, in the unit of the new options. Requires
    /// options that pass `validated`.
    void reconfigure(const RateLimiterOptions& options, TimePoint now);

    [[nodiscard]] const RateLimiterOptions& options() const noexcept { return options_; }

private:
    RateLimiterOptions options_;
    Duration interval_;                  // between two permits at the steady rate
    Duration tolerance_;                 // how far ahead of that a burst may run
    TimePoint next_ = TimePoint::min();  // when the next permit is due at the steady rate
};

}  // namespace holdfast::resilience
