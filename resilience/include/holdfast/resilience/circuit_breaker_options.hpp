#pragma once

#include <cstdint>
#include <optional>

#include "holdfast/resilience/result.hpp"
#include "holdfast/resilience/time.hpp"

namespace holdfast::resilience {

/// Opens a circuit when the share of slow calls in the window reaches `rate`. While it is on, a
/// slow probe counts as a failed one.
struct SlowCallTrip {
    double rate = 0.8;
    Duration slow_after = std::chrono::seconds{10};

    friend bool operator==(const SlowCallTrip&, const SlowCallTrip&) = default;
};

/// What a probe counts as when its lease runs out before it settles, and also when it settles after
/// that, as a report of a timeout does.
enum class LeaseExpiry { failure, success };

struct CircuitBreakerOptions {
    /// Failures in a row that open the circuit; 0 turns this trip off.
    std::uint32_t failure_threshold = 5;
    /// Share of failed calls in the window that opens the circuit; empty turns this trip off.
    std::optional<double> failure_rate = 0.5;
    /// Off unless given.
    std::optional<SlowCallTrip> slow_calls = std::nullopt;
    /// The two rates say nothing below this many calls in the window.
    std::uint32_t minimum_calls = 10;
    Duration window = std::chrono::seconds{30};
    std::uint32_t window_buckets = 10;

    /// How long the circuit stays open the first time.
    Duration open_for = std::chrono::seconds{5};
    /// Factor for each opening that follows without a full window closed in between; 1 = constant.
    double open_growth = 2.0;
    Duration max_open_for = std::chrono::seconds{300};
    /// Share of the open time that is random: 0 = none, 0.5 = equal jitter. It only shortens.
    double open_jitter = 0.5;

    /// Probes in flight at the same time while half-open, at most `kMaxProbes`. Never more than
    /// the successes that are still missing.
    std::uint32_t probe_limit = 1;
    std::uint32_t successes_to_close = 2;
    std::uint32_t failures_to_reopen = 1;
    /// Lease of a probe that was acquired without a deadline of its own.
    Duration probe_lease = std::chrono::seconds{30};
    LeaseExpiry on_lease_expiry = LeaseExpiry::failure;

    static constexpr std::uint32_t kMaxProbes = 16;
    static constexpr std::uint32_t kMaxWindowBuckets = 1'000;

    friend bool operator==(const CircuitBreakerOptions&, const CircuitBreakerOptions&) = default;
};

/// The options as they are, or a sentence that names the one to change.
[[nodiscard]] Result<CircuitBreakerOptions> validated(const CircuitBreakerOptions& options);

}  // namespace holdfast::resilience
