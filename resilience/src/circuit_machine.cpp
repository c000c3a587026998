#include "holdfast/resilience/detail/circuit_machine.hpp"

#include <algorithm>
#include <limits>

#include "holdfast/resilience/detail/random.hpp"
#include "holdfast/resilience/detail/scaled_duration.hpp"
#include "holdfast/resilience/expect.hpp"

namespace holdfast::resilience::detail {

CircuitMachine::Transition CircuitMachine::advance(const CircuitBreakerOptions& options,
                                                   std::uint64_t seed, TimePoint now) {
    while (state == CircuitState::half_open) {
        const auto expired_at = leases.expire_one(now);
        if (!expired_at) {
            return std::nullopt;
        }
        const bool as_success = options.on_lease_expiry == LeaseExpiry::success;
        ++(as_success ? probe_successes : probe_failures);
        if (auto transition = judge_probes(options, seed, TransitionCause::probe_lease_expired,
                                           TransitionCause::probe_lease_expired, *expired_at)) {
            return transition;
        }
    }
    return std::nullopt;
}

CircuitMachine::Transition CircuitMachine::open(const CircuitBreakerOptions& options,
                                                std::uint64_t seed, TransitionCause cause,
                                                TimePoint at) {
    HOLDFAST_EXPECT(state != CircuitState::open);
    if (state == CircuitState::closed && elapsed_between(since, at) >= options.window) {
        consecutive_opens = 0;
    }
    const Duration open_for = open_time(options, consecutive_opens, mixed(seed, generation));
    if (consecutive_opens < std::numeric_limits<std::uint32_t>::max()) {
        ++consecutive_opens;
    }
    open_until = saturating_add(at, open_for);
    CircuitTransition transition = enter(CircuitState::open, cause, at);
    transition.open_for = open_for;
    return transition;
}

CircuitMachine::Transition CircuitMachine::half_open(TimePoint at) {
    HOLDFAST_EXPECT(state == CircuitState::open);
    probe_successes = 0;
    probe_failures = 0;
    return enter(CircuitState::half_open, TransitionCause::open_time_over, at);
}

CircuitMachine::Transition CircuitMachine::close(TransitionCause cause, TimePoint at) {
    const CircuitTransition transition = enter(CircuitState::closed, cause, at);
    consecutive_failures = 0;
    return transition;
}

CircuitMachine::Transition CircuitMachine::on_probe(const CircuitBreakerOptions& options,
                                                    std::uint64_t seed, bool succeeded,
                                                    TimePoint at) {
    HOLDFAST_EXPECT(state == CircuitState::half_open);
    ++(succeeded ? probe_successes : probe_failures);
    return judge_probes(options, seed, TransitionCause::probe_failed,
                        TransitionCause::probes_succeeded, at);
}

CircuitMachine::Transition CircuitMachine::judge_probes(const CircuitBreakerOptions& options,
                                                        std::uint64_t seed,
                                                        TransitionCause failure_cause,
                                                        TransitionCause success_cause,
                                                        TimePoint at) {
    if (probe_failures >= options.failures_to_reopen) {
        return open(options, seed, failure_cause, at);
    }
    if (probe_successes >= options.successes_to_close) {
        return close(success_cause, at);
    }
    return std::nullopt;
}

std::uint32_t CircuitMachine::free_probes(const CircuitBreakerOptions& options) const noexcept {
    const std::uint32_t missing = options.successes_to_close - probe_successes;
    const std::uint32_t allowed = std::min(options.probe_limit, missing);
    const std::uint32_t in_flight = leases.count();
    return allowed > in_flight ? allowed - in_flight : 0;
}

CircuitTransition CircuitMachine::enter(CircuitState next, TransitionCause cause, TimePoint at) {
    const CircuitTransition transition{.from = state,
                                       .to = next,
                                       .cause = cause,
                                       .at = at,
                                       .generation = generation + 1,
                                       .consecutive_failures = consecutive_failures,
                                       .open_for = Duration::zero()};
    state = next;
    since = at;
    ++generation;
    leases.clear();
    return transition;
}

Duration open_time(const CircuitBreakerOptions& options, std::uint32_t earlier_opens,
                   std::uint64_t random_bits) {
    const Duration grown = longest_open_time(options, earlier_opens);
    const double kept = 1.0 - options.open_jitter * unit_interval(random_bits);
    return scaled_duration(grown, kept, options.max_open_for);
}

Duration longest_open_time(const CircuitBreakerOptions& options, std::uint32_t earlier_opens) {
    return grown_duration(options.open_for, options.open_growth, earlier_opens,
                          options.max_open_for);
}

}  // namespace holdfast::resilience::detail
