#pragma once

#include <cstdint>
#include <sstream>
#include <string>
#include <tuple>
#include <utility>

#include "holdfast/resilience/circuit_breaker.hpp"

namespace holdfast::resilience::testing {

/// Simple figures: three consecutive failures open the circuit for ten seconds.
[[nodiscard]] inline CircuitBreakerOptions plain_options() {
    CircuitBreakerOptions options;
    options.failure_threshold = 3;
    options.failure_rate = std::nullopt;
    options.open_for = std::chrono::seconds{10};
    options.open_growth = 1.0;
    options.open_jitter = 0.0;
    return options;
}

/// Requires that the circuit admits.
[[nodiscard]] inline CircuitBreaker::Permit admitted(CircuitBreaker& breaker, TimePoint now,
                                                     Deadline lease = Deadline::never()) {
    return std::move(breaker.try_acquire(now, lease)).value();
}

/// Makes one call that is answered immediately. Requires that the circuit admits.
inline void call(CircuitBreaker& breaker, Outcome outcome, TimePoint now) {
    admitted(breaker, now).settle(outcome, now);
}

inline void call_times(CircuitBreaker& breaker, std::uint32_t count, Outcome outcome,
                       TimePoint now) {
    for (std::uint32_t index = 0; index < count; ++index) {
        call(breaker, outcome, now);
    }
}

/// Fails calls until the circuit is open. Requires a closed circuit with a failure threshold.
inline void trip(CircuitBreaker& breaker, TimePoint now) {
    while (breaker.state(now) == CircuitState::closed) {
        call(breaker, Outcome::failure, now);
    }
}

/// Returns whether a call at `now` would be refused, by making one and dropping it.
[[nodiscard]] inline std::optional<Refusal> refusal_of_call(CircuitBreaker& breaker,
                                                            TimePoint now) {
    const auto admission = breaker.try_acquire(now);
    return admission ? std::nullopt : std::optional{admission.error()};
}

[[nodiscard]] inline auto fields_of(const CircuitStatus& status) {
    return std::tuple{status.state,           status.mode,
                      status.generation,      status.consecutive_failures,
                      status.window.calls,    status.window.failures,
                      status.window.slow,     status.probes_in_flight,
                      status.probe_successes, status.permits_outstanding,
                      status.state_age,       status.can_attempt,
                      status.retry_after};
}

/// Returns one line with every field, so that a failing test shows the difference.
[[nodiscard]] inline std::string text_of(const CircuitStatus& status) {
    std::ostringstream text;
    text << name_of(status.state) << ' ' << name_of(status.mode)
         << " generation=" << status.generation << " in_a_row=" << status.consecutive_failures
         << " calls=" << status.window.calls << " failures=" << status.window.failures
         << " slow=" << status.window.slow << " probes=" << status.probes_in_flight
         << " probe_successes=" << status.probe_successes
         << " permits=" << status.permits_outstanding << " age=" << status.state_age.count()
         << " can_attempt=" << status.can_attempt << " retry_after="
         << (status.retry_after ? std::to_string(status.retry_after->count()) : "none");
    return text.str();
}

[[nodiscard]] inline std::string text_of(const CircuitSnapshot& snapshot) {
    std::ostringstream text;
    text << name_of(snapshot.state) << ' ' << name_of(snapshot.mode)
         << " in_a_row=" << snapshot.consecutive_failures << " opens=" << snapshot.consecutive_opens
         << " probe_successes=" << snapshot.probe_successes
         << " probe_failures=" << snapshot.probe_failures << " age=" << snapshot.state_age.count()
         << " open_remaining=" << snapshot.open_remaining.count();
    for (const auto& [age, counts] : snapshot.window) {
        text << " [" << age.count() << ": " << counts.calls << ' ' << counts.failures << ' '
             << counts.slow << ']';
    }
    return text.str();
}

}  // namespace holdfast::resilience::testing
