#pragma once

#include <cstdint>
#include <optional>

#include "holdfast/resilience/circuit_breaker_options.hpp"
#include "holdfast/resilience/circuit_state.hpp"
#include "holdfast/resilience/detail/probe_leases.hpp"
#include "holdfast/resilience/observer.hpp"
#include "holdfast/resilience/time.hpp"

namespace holdfast::resilience::detail {

/// The three states of a circuit and the transitions between them, without the counting that trips
/// it. A plain value: advancing a copy in time shows what a call would find, so reading never
/// changes anything.
///
/// Every transition starts a new generation.
struct CircuitMachine {
    CircuitState state = CircuitState::closed;
    std::uint64_t generation = 1;
    TimePoint since = TimePoint::min();  ///< When the current state began.
    TimePoint open_until = TimePoint::min();
    std::uint32_t consecutive_failures = 0;
    std::uint32_t consecutive_opens = 0;  ///< Without a full closed window in between.
    std::uint32_t probe_successes = 0;
    std::uint32_t probe_failures = 0;
    ProbeLeases leases;

    using Transition = std::optional<CircuitTransition>;

    /// Applies the leases that expired by `now`. Makes at most one transition: a reopened circuit
    /// has no probes left, and only an admission makes an open circuit half-open.
    Transition advance(const CircuitBreakerOptions& options, std::uint64_t seed, TimePoint now);

    /// Requires the closed state, or half-open for a reopening.
    Transition open(const CircuitBreakerOptions& options, std::uint64_t seed, TransitionCause cause,
                    TimePoint at);
    Transition half_open(TimePoint at);
    Transition close(TransitionCause cause, TimePoint at);

    /// Applies the outcome of a probe. Requires that its lease has been removed.
    Transition on_probe(const CircuitBreakerOptions& options, std::uint64_t seed, bool succeeded,
                        TimePoint at);

    /// Closes or reopens a half-open circuit whose counts have reached the thresholds.
    Transition judge_probes(const CircuitBreakerOptions& options, std::uint64_t seed,
                            TransitionCause failure_cause, TransitionCause success_cause,
                            TimePoint at);

    /// The number of probes that may still be sent now.
    [[nodiscard]] std::uint32_t free_probes(const CircuitBreakerOptions& options) const noexcept;

private:
    CircuitTransition enter(CircuitState next, TransitionCause cause, TimePoint at);
};

/// Returns the open time of consecutive opening number `earlier_opens + 1`.
[[nodiscard]] Duration open_time(const CircuitBreakerOptions& options, std::uint32_t earlier_opens,
                                 std::uint64_t random_bits);

/// The same without jitter.
[[nodiscard]] Duration longest_open_time(const CircuitBreakerOptions& options,
                                         std::uint32_t earlier_opens);

}  // namespace holdfast::resilience::detail
