// The circuit breaker: counting, permits, modes and notifications around detail::CircuitMachine.
//
// The path of a call: try_acquire returns a permit with the machine's generation. settle ignores
// results of an older generation, counts those of a closed circuit in the window, and passes those
// of a half-open one to the machine. The closed case is the hot path and stays short.
//
// An operation collects its changes in Notices and reports them to the observer at its very end,
// when the state is final and the observer may call back.

#include "holdfast/resilience/circuit_breaker.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "holdfast/resilience/expect.hpp"

namespace holdfast::resilience {

using detail::CircuitMachine;
using detail::ProbeLease;

struct CircuitBreaker::Notices {
    // a lease expiry, a transition to half-open, a verdict
    std::array<CircuitTransition, 3> transitions;
    std::size_t transition_count = 0;
    std::optional<Refusal> refusal;
};

CircuitBreaker::CircuitBreaker(const CircuitBreakerOptions& options, CircuitContext context)
    : context_(std::move(context)),
      options_(options),
      window_(options.window, options.window_buckets) {
    HOLDFAST_EXPECT(validated(options).has_value());
}

CircuitBreaker::~CircuitBreaker() {
    HOLDFAST_EXPECT(permits_outstanding_ == 0);
}

Result<CircuitBreaker::Permit, Refusal> CircuitBreaker::try_acquire_not_closed(TimePoint now,
                                                                               Deadline lease) {
    Notices notices;
    auto admission = admit_or_refuse(now, lease, notices);
    if (!admission) {
        notices.refusal = admission.error();
    }
    notify(notices);
    return admission;
}

Result<CircuitBreaker::Permit, Refusal> CircuitBreaker::admit_or_refuse(TimePoint now,
                                                                        Deadline lease,
                                                                        Notices& notices) {
    if (mode_ == CircuitMode::forced_open) {
        return Refusal{RefusalReason::circuit_forced_open, std::nullopt};
    }
    if (mode_ != CircuitMode::normal) {
        return grant(now, {.slot = kNoLease});
    }
    apply(machine_.advance(options_, context_.jitter_seed, now), notices);
    if (machine_.state == CircuitState::closed) {
        return grant(now, {.slot = kNoLease});
    }
    if (machine_.state == CircuitState::open) {
        if (now < machine_.open_until) {
            return Refusal{RefusalReason::circuit_open, elapsed_between(now, machine_.open_until)};
        }
        apply(machine_.half_open(now), notices);
    }
    if (machine_.free_probes(options_) == 0) {
        const TimePoint next_end = machine_.leases.earliest_end().value_or(now);
        return Refusal{RefusalReason::circuit_probing, elapsed_between(now, next_end)};
    }
    const bool has_lease = !lease.is_never() && !lease.is_expired(now);
    const TimePoint until = has_lease ? lease.when() : saturating_add(now, options_.probe_lease);
    return grant(now, machine_.leases.take(until));
}

std::optional<Refusal> CircuitBreaker::refusal_at(TimePoint now) const {
    if (mode_ == CircuitMode::forced_open) {
        return Refusal{RefusalReason::circuit_forced_open, std::nullopt};
    }
    if (mode_ != CircuitMode::normal || machine_.state == CircuitState::closed) {
        return std::nullopt;
    }
    const CircuitMachine machine = ahead(now);
    if (machine.state == CircuitState::open && now < machine.open_until) {
        return Refusal{RefusalReason::circuit_open, elapsed_between(now, machine.open_until)};
    }
    if (machine.state == CircuitState::half_open && machine.free_probes(options_) == 0) {
        const TimePoint next_end = machine.leases.earliest_end().value_or(now);
        return Refusal{RefusalReason::circuit_probing, elapsed_between(now, next_end)};
    }
    return std::nullopt;
}

void CircuitBreaker::settle_this_generation(const Ticket& ticket, Outcome outcome, TimePoint now) {
    if (ticket.lease.slot != kNoLease) {
        settle_probe(ticket, outcome, now);
    } else if (mode_ != CircuitMode::disabled) {
        record(ticket, outcome, now);
    }
}

void CircuitBreaker::settle_probe(const Ticket& ticket, Outcome outcome, TimePoint now) {
    Notices notices;
    apply(machine_.advance(options_, context_.jitter_seed, now), notices);
    // A probe whose lease ended has been counted by advance.
    if (ticket.generation == machine_.generation && machine_.leases.release(ticket.lease)) {
        const bool succeeded = outcome != Outcome::failure && !is_slow(ticket, now);
        apply(machine_.on_probe(options_, context_.jitter_seed, succeeded, now), notices);
    }
    notify(notices);
}

void CircuitBreaker::drop(const Ticket& ticket) noexcept {
    --permits_outstanding_;
    if (ticket.generation == machine_.generation && ticket.lease.slot != kNoLease) {
        machine_.leases.release(ticket.lease);
    }
}

void CircuitBreaker::record(const Ticket& ticket, Outcome outcome, TimePoint now) {
    if (outcome == Outcome::neutral) {
        return;
    }
    const bool failed = outcome == Outcome::failure;
    const bool slow = is_slow(ticket, now);
    window_.add({1U, failed ? 1U : 0U, slow ? 1U : 0U}, now);
    machine_.consecutive_failures = failed ? machine_.consecutive_failures + 1 : 0;
    if ((!failed && !slow) || mode_ != CircuitMode::normal) [[likely]] {
        return;  // a success never opens a circuit
    }
    if (const auto cause = failed ? failure_trip() : slow_call_trip()) {
        Notices notices;
        apply(machine_.open(options_, context_.jitter_seed, *cause, now), notices);
        notify(notices);
    }
}

std::optional<TransitionCause> CircuitBreaker::failure_trip() const {
    if (options_.failure_threshold > 0 &&
        machine_.consecutive_failures >= options_.failure_threshold) {
        return TransitionCause::consecutive_failures;
    }
    if (options_.failure_rate && reaches_rate(kFailures, *options_.failure_rate)) {
        return TransitionCause::failure_rate;
    }
    return slow_call_trip();
}

std::optional<TransitionCause> CircuitBreaker::slow_call_trip() const {
    if (options_.slow_calls && reaches_rate(kSlow, options_.slow_calls->rate)) {
        return TransitionCause::slow_call_rate;
    }
    return std::nullopt;
}

bool CircuitBreaker::reaches_rate(Column part, double rate) const {
    const Window::Counts& counts = window_.totals();
    // The rate is a decimal fraction as written by a user: 0.1 of 30 calls is 3 calls.
    return counts[kCalls] >= options_.minimum_calls && counts[part] + 1e-9 >= rate * counts[kCalls];
}

bool CircuitBreaker::is_slow(const Ticket& ticket, TimePoint now) const {
    return options_.slow_calls &&
           elapsed_between(ticket.acquired_at, now) >= options_.slow_calls->slow_after;
}

CircuitMachine CircuitBreaker::ahead(TimePoint now) const {
    CircuitMachine machine = machine_;
    machine.advance(options_, context_.jitter_seed, now);
    return machine;
}

void CircuitBreaker::set_mode(CircuitMode mode, TimePoint now) {
    Notices notices;
    apply(machine_.advance(options_, context_.jitter_seed, now), notices);
    if (mode != mode_) {
        mode_ = mode;
        ++machine_.generation;
        machine_.leases.clear();
    }
    notify(notices);
}

void CircuitBreaker::reset(TimePoint now) {
    Notices notices;
    apply(machine_.advance(options_, context_.jitter_seed, now), notices);
    apply(machine_.close(TransitionCause::reset, now), notices);
    machine_.consecutive_opens = 0;
    notify(notices);
}

void CircuitBreaker::reconfigure(const CircuitBreakerOptions& options, TimePoint now) {
    HOLDFAST_EXPECT(validated(options).has_value());
    Notices notices;
    apply(machine_.advance(options_, context_.jitter_seed, now), notices);
    if (options.window != options_.window || options.window_buckets != options_.window_buckets) {
        window_ = window_.resized(options.window, options.window_buckets, now);
    }
    options_ = options;
    if (machine_.state == CircuitState::open) {
        const Duration longest =
            detail::longest_open_time(options, std::max(machine_.consecutive_opens, 1U) - 1);
        machine_.open_until =
            std::min(machine_.open_until, saturating_add(machine_.since, longest));
    }
    if (machine_.state == CircuitState::half_open) {
        // If the probes so far already reach the new thresholds, no further probe would be sent.
        apply(machine_.judge_probes(options_, context_.jitter_seed, TransitionCause::reconfigured,
                                    TransitionCause::reconfigured, now),
              notices);
    }
    notify(notices);
}

void CircuitBreaker::apply(const CircuitMachine::Transition& transition, Notices& notices) {
    if (!transition) {
        return;
    }
    if (transition->to == CircuitState::closed) {
        window_.clear();  // counts from before the outage would reopen it immediately
    }
    if (transition->from != transition->to) {
        opened_total_ += transition->to == CircuitState::open ? 1 : 0;
        notices.transitions.at(notices.transition_count++) = *transition;
    }
}

void CircuitBreaker::notify(const Notices& notices) const {
    if (context_.observer == nullptr) {
        return;
    }
    for (std::size_t index = 0; index < notices.transition_count; ++index) {
        context_.observer->on_transition(context_.name, notices.transitions[index]);
    }
    if (notices.refusal) {
        context_.observer->on_refusal(context_.name, *notices.refusal);
    }
}

}  // namespace holdfast::resilience
