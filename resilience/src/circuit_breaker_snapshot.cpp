#include <algorithm>
#include <limits>
#include <string>

#include "holdfast/resilience/circuit_breaker.hpp"

// Reads the state of a circuit and restores a stored one.

namespace holdfast::resilience {
namespace {

Result<void> checked(const CircuitSnapshot& snapshot, const CircuitBreakerOptions& options) {
    const auto refused = [](const char* what) {
        return Error{Errc::invalid_snapshot, std::string{"circuit snapshot: "} + what};
    };
    if (snapshot.state < CircuitState::closed || snapshot.state > CircuitState::half_open) {
        return refused("state must be closed, open or half_open");
    }
    if (snapshot.mode < CircuitMode::normal || snapshot.mode > CircuitMode::disabled) {
        return refused("mode must be normal, metrics_only, forced_open or disabled");
    }
    if (snapshot.state_age < Duration::zero()) {
        return refused("state_age must not be negative");
    }
    if (snapshot.open_remaining < Duration::zero()) {
        return refused("open_remaining must not be negative");
    }
    if (snapshot.window.size() > CircuitBreakerOptions::kMaxWindowBuckets) {
        return refused("window has too many slices");
    }
    std::uint64_t calls = 0;
    for (const auto& [age, counts] : snapshot.window) {
        calls += counts.calls;
        if (age < Duration::zero()) {
            return refused("the age of a window slice must not be negative");
        }
        if (counts.failures > counts.calls || counts.slow > counts.calls) {
            return refused("a window slice has more failures or slow calls than calls");
        }
    }
    if (calls > std::numeric_limits<std::uint32_t>::max()) {
        return refused("window has more calls than can be counted");
    }
    if (snapshot.state == CircuitState::half_open &&
        (snapshot.probe_successes >= options.successes_to_close ||
         snapshot.probe_failures >= options.failures_to_reopen)) {
        return refused("a half-open circuit cannot have this many probe results");
    }
    return {};
}

/// Returns whether the circuit has closed without an operation noticing it; closing clears the
/// window.
bool has_closed_unnoticed(const detail::CircuitMachine& noticed,
                          const detail::CircuitMachine& ahead) {
    return ahead.state == CircuitState::closed && ahead.generation != noticed.generation;
}

Duration age_of_state(const detail::CircuitMachine& machine, TimePoint now) {
    const bool from_the_start = machine.since == TimePoint::min();
    return from_the_start ? Duration::max() : elapsed_between(machine.since, now);
}

}  // namespace

CircuitStatus CircuitBreaker::status(TimePoint now) const {
    const detail::CircuitMachine machine = ahead(now);
    const Window::Counts counts =
        has_closed_unnoticed(machine_, machine) ? Window::Counts{} : window_.totals_at(now);
    const auto refusal = refusal_at(now);
    return {
        .state = machine.state,
        .mode = mode_,
        .generation = machine.generation,
        .consecutive_failures = machine.consecutive_failures,
        .window = {.calls = counts[kCalls], .failures = counts[kFailures], .slow = counts[kSlow]},
        .probes_in_flight = machine.leases.count(),
        .probe_successes = machine.state == CircuitState::half_open ? machine.probe_successes : 0,
        .permits_outstanding = permits_outstanding_,
        .state_age = age_of_state(machine, now),
        .can_attempt = !refusal,
        .retry_after = refusal ? refusal->retry_after : std::nullopt};
}

CircuitSnapshot CircuitBreaker::snapshot(TimePoint now) const {
    const detail::CircuitMachine machine = ahead(now);
    const bool probing = machine.state == CircuitState::half_open;
    const bool open = machine.state == CircuitState::open;
    CircuitSnapshot snapshot{
        .state = machine.state,
        .mode = mode_,
        .consecutive_failures = machine.consecutive_failures,
        .consecutive_opens = machine.consecutive_opens,
        .probe_successes = probing ? machine.probe_successes : 0,
        .probe_failures = probing ? machine.probe_failures : 0,
        .state_age = age_of_state(machine, now),
        .open_remaining = open ? elapsed_between(now, machine.open_until) : Duration::zero(),
        .window = {}};
    if (has_closed_unnoticed(machine_, machine)) {
        return snapshot;
    }
    window_.for_each(now, [&](TimePoint instant, const Window::Counts& counts) {
        if (counts[kCalls] > 0) {
            snapshot.window.push_back({.age = elapsed_between(instant, now),
                                       .counts = {.calls = counts[kCalls],
                                                  .failures = counts[kFailures],
                                                  .slow = counts[kSlow]}});
        }
    });
    return snapshot;
}

Result<void> CircuitBreaker::restore(const CircuitSnapshot& snapshot, TimePoint now) {
    if (auto fine = checked(snapshot, options_); !fine) {
        return fine;
    }
    const auto expiry = machine_.advance(options_, context_.jitter_seed, now);
    const CircuitState from = machine_.state;
    detail::CircuitMachine machine;
    machine.state = snapshot.state;
    machine.generation = machine_.generation + 1;
    machine.since = snapshot.state_age == Duration::max()
                        ? TimePoint::min()
                        : saturating_add(now, -snapshot.state_age);
    machine.open_until =
        saturating_add(now, std::min(snapshot.open_remaining, options_.max_open_for));
    machine.consecutive_failures = snapshot.consecutive_failures;
    machine.consecutive_opens = snapshot.consecutive_opens;
    machine.probe_successes = snapshot.probe_successes;
    machine.probe_failures = snapshot.probe_failures;
    machine_ = machine;
    mode_ = snapshot.mode;
    last_used_ = std::max(last_used_, now);  // otherwise a sweep would treat it as never used
    window_.clear();
    for (const auto& [age, counts] : snapshot.window) {
        window_.add_past({counts.calls, counts.failures, counts.slow}, saturating_add(now, -age),
                         now);
    }
    if (context_.observer == nullptr) {
        return {};
    }
    const bool is_open = snapshot.state == CircuitState::open;
    const CircuitTransition restored{
        .from = from,
        .to = snapshot.state,
        .cause = TransitionCause::restored,
        .at = now,
        .generation = machine_.generation,
        .consecutive_failures = machine_.consecutive_failures,
        .open_for = is_open ? elapsed_between(now, machine_.open_until) : Duration::zero()};
    if (expiry) {
        context_.observer->on_transition(context_.name, *expiry);
    }
    if (restored.from != restored.to) {
        context_.observer->on_transition(context_.name, restored);
    }
    return {};
}

}  // namespace holdfast::resilience
