#pragma once

#include <cstdint>
#include <optional>

#include "holdfast/resilience/result.hpp"
#include "holdfast/resilience/time.hpp"

namespace holdfast::resilience {

/// Opens a circuit when the share of slow calls in the window reaches `rate`. A slow probe then
/// counts as a failed one.
struct SlowCallTrip {
    double rate = 0.8;
    Duration slow_after = std::chrono::seconds{10};

    friend bool operator==(const SlowCallTrip&, const SlowCallTrip&) = default;
};

/// How a probe counts that has not settled when its lease ends, or that settles later, such as a
/// report of a timeout.
enum class LeaseExpiry { failure, success };

struct CircuitBreakerOptions {
    /// Consecutive failures that open the circuit; 0 disables this trip.
    std::uint32_t failure_threshold = 5;
    /// Share of failed calls in the window that opens the circuit; empty disables this trip.
    std::optional<double> failure_rate = 0.5;
    /// Disabled by default.
    std::optional<SlowCallTrip> slow_calls = std::nullopt;
    /// The two rates apply only from this number of calls in the window.
    std::uint32_t minimum_calls = 10;
    Duration window = std::chrono::seconds{30};
    std::uint32_t window_buckets = 10;

    /// The open time of the first opening.
    Duration open_for = std::chrono::seconds{5};
    /// Factor for each opening without a full closed window since the previous one; 1 = constant.
    double open_growth = 2.0;
    Duration max_open_for = std::chrono::seconds{300};
    /// Random share of the open time: 0 = none, 0.5 = equal jitter. It only shortens.
    double open_jitter = 0.5;

    /// Maximum number of concurrent probes while half-open, at most `kMaxProbes`. Never more than
    /// the successes that are still missing.
    std::uint32_t probe_limit = 1;
    std::uint32_t successes_to_close = 2;
    std::uint32_t failures_to_reopen = 1;
    /// Lease of a probe that was acquired without a deadline.
    Duration probe_lease = std::chrono::seconds{30};
    LeaseExpiry on_lease_expiry = LeaseExpiry::failure;

    static constexpr std::uint32_t kMaxProbes = 16;
    static constexpr std::uint32_t kMaxWindowBuckets = 1'000;

    friend bool operator==(const CircuitBreakerOptions&, const CircuitBreakerOptions&) = default;
};

/// Returns the options, or an error that names the invalid one.
[[nodiscard]] Result<CircuitBreakerOptions> validated(const CircuitBreakerOptions& options);

}  // namespace holdfast::resilience
