#pragma once

#include <cstdint>
#include <string_view>

#include "holdfast/resilience/circuit_state.hpp"
#include "holdfast/resilience/outcome.hpp"
#include "holdfast/resilience/time.hpp"

namespace holdfast::resilience {

/// Why a circuit changed its state.
enum class TransitionCause {
    consecutive_failures,
    failure_rate,
    slow_call_rate,
    open_time_over,
    probes_succeeded,
    probe_failed,
    probe_lease_expired,
    reset,
    restored,
    reconfigured,
};

struct CircuitTransition {
    CircuitState from = CircuitState::closed;
    CircuitState to = CircuitState::closed;
    TransitionCause cause = TransitionCause::reset;
    /// When it took effect. The next operation notices an expired probe lease and uses the end of
    /// the lease as the time.
    TimePoint at = {};
    /// Increases with every change. Notifications of a shared circuit may arrive out of order: of
    /// two changes the one with the higher generation is the later.
    std::uint64_t generation = 0;
    std::uint32_t consecutive_failures = 0;  ///< That caused it; the stored number if restored.
    Duration open_for = Duration::zero();    ///< How long the circuit stays open, if `to` is open.

    friend bool operator==(const CircuitTransition&, const CircuitTransition&) = default;
};

struct ScheduledRetry {
    std::uint32_t attempt = 0;  ///< The next attempt; the first retry is attempt 2.
    std::uint32_t max_attempts = 0;
    Duration delay = Duration::zero();
};

/// Receives notifications of a policy. Calls come after the state is final and without a lock of
/// the library, so an observer may call back into the policy. `name` is that of the circuit or, for
/// retries, of the pipeline; it is valid during the call only. An observer must not throw.
///
/// Thread-safety: an observer of a shared policy is called on the thread that used the policy,
/// possibly on several threads at the same time.
class Observer {
public:
    Observer() = default;
    Observer(const Observer&) = delete;
    Observer& operator=(const Observer&) = delete;
    virtual ~Observer() = default;

    virtual void on_transition(std::string_view name, const CircuitTransition& transition);
    virtual void on_refusal(std::string_view name, const Refusal& refusal);
    virtual void on_retry(std::string_view name, const ScheduledRetry& retry);
};

[[nodiscard]] std::string_view name_of(TransitionCause cause) noexcept;

}  // namespace holdfast::resilience
