#pragma once

#include <cstdint>
#include <optional>

#include "holdfast/resilience/result.hpp"
#include "holdfast/resilience/time.hpp"

namespace holdfast::resilience {

/// `permits` in every `per`, of which `burst` may come at once.
struct RateLimiterOptions {
    std::uint32_t permits = 10;
    Duration per = std::chrono::seconds{1};
    std::uint32_t burst = 10;

    friend bool operator==(const RateLimiterOptions&, const RateLimiterOptions&) = default;
};

/// The options as they are, or a sentence that names the one to change.
[[nodiscard]] Result<RateLimiterOptions> validated(const RateLimiterOptions& options);

/// Spreads calls over time by the generic cell rate algorithm: one instant of state, no counting,
/// and the exact wait on every refusal.
///
/// Thread-safety: none; guard it with the lock of the policies beside it.
class RateLimiter final {
public:
    /// Requires options that pass `validated`.
    explicit RateLimiter(const RateLimiterOptions& options = {});

    /// Empty = taken; else how long to wait until one could be taken. A refused try costs nothing.
    [[nodiscard]] std::optional<Duration> try_take(TimePoint now);

    /// What `try_take` would say at `now`. Changes nothing.
    [[nodiscard]] std::optional<Duration> wait_at(TimePoint now) const;

    /// Takes new figures. What has been used stays used, measured in the new figures. Requires
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
