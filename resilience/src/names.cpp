#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "holdfast/resilience/backoff.hpp"
#include "holdfast/resilience/circuit_state.hpp"
#include "holdfast/resilience/observer.hpp"
#include "holdfast/resilience/outcome.hpp"
#include "holdfast/resilience/pipeline.hpp"
#include "holdfast/resilience/retry_sequence.hpp"

// The only place that maps enumerators to the names in config, metrics and status, and back.

namespace holdfast::resilience {
namespace {

template <class Enum, std::size_t Size>
using Names = std::array<std::pair<Enum, std::string_view>, Size>;

constexpr Names<Outcome, 3> kOutcomes{{
    {Outcome::success, "success"},
    {Outcome::failure, "failure"},
    {Outcome::neutral, "neutral"},
}};

constexpr Names<RefusalReason, 8> kRefusalReasons{{
    {RefusalReason::circuit_open, "circuit_open"},
    {RefusalReason::circuit_probing, "circuit_probing"},
    {RefusalReason::circuit_forced_open, "circuit_forced_open"},
    {RefusalReason::rate_limited, "rate_limited"},
    {RefusalReason::queue_full, "queue_full"},
    {RefusalReason::queue_too_slow, "queue_too_slow"},
    {RefusalReason::queue_wait_exceeded, "queue_wait_exceeded"},
    {RefusalReason::key_limit_reached, "key_limit_reached"},
}};

constexpr Names<CircuitState, 3> kCircuitStates{{
    {CircuitState::closed, "closed"},
    {CircuitState::open, "open"},
    {CircuitState::half_open, "half_open"},
}};

constexpr Names<CircuitMode, 4> kCircuitModes{{
    {CircuitMode::normal, "normal"},
    {CircuitMode::metrics_only, "metrics_only"},
    {CircuitMode::forced_open, "forced_open"},
    {CircuitMode::disabled, "disabled"},
}};

constexpr Names<TransitionCause, 10> kTransitionCauses{{
    {TransitionCause::consecutive_failures, "consecutive_failures"},
    {TransitionCause::failure_rate, "failure_rate"},
    {TransitionCause::slow_call_rate, "slow_call_rate"},
    {TransitionCause::open_time_over, "open_time_over"},
    {TransitionCause::probes_succeeded, "probes_succeeded"},
    {TransitionCause::probe_failed, "probe_failed"},
    {TransitionCause::probe_lease_expired, "probe_lease_expired"},
    {TransitionCause::reset, "reset"},
    {TransitionCause::restored, "restored"},
    {TransitionCause::reconfigured, "reconfigured"},
}};

constexpr Names<Jitter, 4> kJitters{{
    {Jitter::none, "none"},
    {Jitter::proportional, "proportional"},
    {Jitter::full, "full"},
    {Jitter::decorrelated, "decorrelated"},
}};

constexpr Names<RetryStop, 7> kRetryStops{{
    {RetryStop::attempts_used_up, "attempts_used_up"},
    {RetryStop::deadline, "deadline"},
    {RetryStop::unsafe_repeat, "unsafe_repeat"},
    {RetryStop::not_retryable, "not_retryable"},
    {RetryStop::budget_exhausted, "budget_exhausted"},
    {RetryStop::refused, "refused"},
    {RetryStop::cancelled, "cancelled"},
}};

constexpr Names<RepeatRule, 2> kRepeatRules{{
    {RepeatRule::safe, "safe"},
    {RepeatRule::always, "always"},
}};

constexpr Names<CallEnding, 6> kCallEndings{{
    {CallEnding::answered, "answered"},
    {CallEnding::cached, "cached"},
    {CallEnding::failed, "failed"},
    {CallEnding::refused, "refused"},
    {CallEnding::timed_out, "timed_out"},
    {CallEnding::cancelled, "cancelled"},
}};

constexpr Names<CircuitCounts, 2> kCircuitCounts{{
    {CircuitCounts::call, "call"},
    {CircuitCounts::attempt, "attempt"},
}};

template <class Enum, std::size_t Size>
constexpr std::string_view name_in(const Names<Enum, Size>& names, Enum value) {
    for (const auto& [candidate, name] : names) {
        if (candidate == value) {
            return name;
        }
    }
    return "unknown";
}

template <class Enum, std::size_t Size>
Result<Enum> value_in(const Names<Enum, Size>& names, std::string_view what,
                      std::string_view text) {
    std::string accepted;
    for (const auto& [candidate, name] : names) {
        if (name == text) {
            return candidate;
        }
        accepted.append(accepted.empty() ? "" : ", ").append(name);
    }
    std::string message{what};
    message.append(" must be one of ")
        .append(accepted)
        .append("; got \"")
        .append(text)
        .append("\"");
    return Error{Errc::unknown_name, std::move(message)};
}

}  // namespace

std::string_view name_of(Outcome outcome) noexcept {
    return name_in(kOutcomes, outcome);
}
std::string_view name_of(RefusalReason reason) noexcept {
    return name_in(kRefusalReasons, reason);
}
std::string_view name_of(CircuitState state) noexcept {
    return name_in(kCircuitStates, state);
}
std::string_view name_of(CircuitMode mode) noexcept {
    return name_in(kCircuitModes, mode);
}
std::string_view name_of(TransitionCause cause) noexcept {
    return name_in(kTransitionCauses, cause);
}
std::string_view name_of(Jitter jitter) noexcept {
    return name_in(kJitters, jitter);
}
std::string_view name_of(RetryStop stop) noexcept {
    return name_in(kRetryStops, stop);
}
std::string_view name_of(RepeatRule rule) noexcept {
    return name_in(kRepeatRules, rule);
}
std::string_view name_of(CallEnding ending) noexcept {
    return name_in(kCallEndings, ending);
}
std::string_view name_of(CircuitCounts counts) noexcept {
    return name_in(kCircuitCounts, counts);
}

Result<CircuitState> circuit_state_from_name(std::string_view name) {
    return value_in(kCircuitStates, "circuit state", name);
}
Result<CircuitMode> circuit_mode_from_name(std::string_view name) {
    return value_in(kCircuitModes, "circuit mode", name);
}
Result<RepeatRule> repeat_rule_from_name(std::string_view name) {
    return value_in(kRepeatRules, "repeat rule", name);
}
Result<CircuitCounts> circuit_counts_from_name(std::string_view name) {
    return value_in(kCircuitCounts, "circuit counts", name);
}
Result<Jitter> jitter_from_name(std::string_view name) {
    return value_in(kJitters, "jitter kind", name);
}

}  // namespace holdfast::resilience
