#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <random>
#include <utility>

#include "holdfast/resilience/shared_pipeline.hpp"
#include "support/seeds.hpp"

namespace holdfast::resilience::testing {

using namespace std::chrono_literals;

[[nodiscard]] inline Duration random_duration(std::mt19937_64& random, Duration low,
                                              Duration high) {
    return Duration{random_between(random, low.count(), high.count())};
}

/// Whole percents, so that a naive computation with integers is exact.
[[nodiscard]] inline double random_percent(std::mt19937_64& random, int low, int high) {
    return random_between(random, low, high) / 100.0;
}

[[nodiscard]] inline CircuitBreakerOptions random_circuit_options(std::mt19937_64& random) {
    CircuitBreakerOptions options;
    options.failure_threshold = random_between(random, 0U, 4U);
    options.failure_rate = std::nullopt;
    if (options.failure_threshold == 0 || chance(random, 0.4)) {
        options.failure_rate = random_percent(random, 20, 100);
    }
    if (chance(random, 0.3)) {
        options.slow_calls =
            SlowCallTrip{.rate = random_percent(random, 50, 100), .slow_after = 2s};
    }
    options.minimum_calls = random_between(random, 1U, 8U);
    options.window_buckets = random_between(random, 1U, 8U);
    options.window = random_duration(random, 100ms, 3s) * options.window_buckets;
    options.open_for = random_duration(random, 100ms, 3s);
    options.open_growth = random_between(random, 2, 4) * 0.5;
    options.max_open_for = options.open_for * random_between(random, 1, 5);
    options.open_jitter = random_percent(random, 0, 100);
    options.probe_limit = random_between(random, 1U, 4U);
    options.successes_to_close = random_between(random, 1U, 4U);
    options.failures_to_reopen = random_between(random, 1U, 3U);
    options.probe_lease = random_duration(random, 1s, 10s);
    options.on_lease_expiry = chance(random, 0.8) ? LeaseExpiry::failure : LeaseExpiry::success;
    return options;
}

/// New figures with the old windows: the models of the windows' owners test what a changed window
/// keeps.
[[nodiscard]] inline CircuitBreakerOptions reconfigured(CircuitBreakerOptions options,
                                                        const CircuitBreakerOptions& old) {
    options.window = old.window;
    options.window_buckets = old.window_buckets;
    return options;
}
[[nodiscard]] inline RetryBudgetOptions reconfigured(RetryBudgetOptions options,
                                                     const RetryBudgetOptions& old) {
    options.window = old.window;
    options.window_buckets = old.window_buckets;
    return options;
}

[[nodiscard]] inline BulkheadOptions random_bulkhead_options(std::mt19937_64& random) {
    return {.max_in_flight = random_between(random, 1U, 6U),
            .max_queue = random_between(random, 0U, 6U),
            .max_wait = chance(random, 0.5) ? std::optional{random_duration(random, 0s, 3s)}
                                            : std::nullopt};
}

[[nodiscard]] inline RetryBudgetOptions random_budget_options(std::mt19937_64& random) {
    RetryBudgetOptions options;
    options.ratio = random_percent(random, 0, 60);
    options.floor = random_between(random, 1U, 4U);
    options.window_buckets = random_between(random, 1U, 8U);
    options.window = random_duration(random, 100ms, 2s) * options.window_buckets;
    return options;
}

[[nodiscard]] inline RateLimiterOptions random_limiter_options(std::mt19937_64& random) {
    return {.permits = random_between(random, 10U, 50U),
            .per = 1s,
            .burst = random_between(random, 1U, 20U)};
}

[[nodiscard]] inline CircuitMode random_mode(std::mt19937_64& random) {
    constexpr CircuitMode kModes[] = {CircuitMode::normal, CircuitMode::normal,
                                      CircuitMode::metrics_only, CircuitMode::forced_open,
                                      CircuitMode::disabled};
    return kModes[random_between(random, 0, 4)];
}

[[nodiscard]] inline PipelineSetup random_setup(std::mt19937_64& random) {
    PipelineSetup setup;
    setup.name = "files";
    setup.limiter = random_limiter_options(random);
    setup.circuit = random_circuit_options(random);
    setup.bulkhead = random_bulkhead_options(random);
    setup.budget = random_budget_options(random);
    setup.jitter_seed = random();
    return setup;
}

[[nodiscard]] inline BackoffOptions random_backoff_options(std::mt19937_64& random) {
    constexpr Jitter kJitters[] = {Jitter::none, Jitter::proportional, Jitter::full,
                                   Jitter::decorrelated};
    BackoffOptions options;
    options.base = random_duration(random, 1ms, 500ms);
    options.multiplier = 1.0 + random_percent(random, 0, 200);
    options.cap = options.base * random_between(random, 1, 10);
    options.jitter = kJitters[random_between(random, 0, 3)];
    options.jitter_ratio = random_percent(random, 0, 100);
    return options;
}

[[nodiscard]] inline PipelineOptions random_pipeline_options(std::mt19937_64& random) {
    PipelineOptions options;
    options.timeout = random_duration(random, 200ms, 10s);
    options.attempt_timeout = random_duration(random, 100ms, 5s);
    options.counts = chance(random, 0.5) ? CircuitCounts::call : CircuitCounts::attempt;
    options.retry.max_attempts = random_between(random, 1U, 5U);
    options.retry.transient = random_backoff_options(random);
    options.retry.throttled = random_backoff_options(random);
    options.retry.retry_after_slack = random_duration(random, 0s, 1s);
    options.retry.repeat = chance(random, 0.3) ? RepeatRule::always : RepeatRule::safe;
    options.fresh_for = chance(random, 0.3) ? 1s : 0s;
    options.stale_for = chance(random, 0.5) ? 5s : 0s;
    return options;
}

/// `any`: possibly with a deadline, which may have passed, and with a cached value.
[[nodiscard]] inline CallTraits random_traits(std::mt19937_64& random, TimePoint now, bool any) {
    CallTraits traits;
    traits.safe_to_repeat = chance(random, 0.6);
    if (any && chance(random, 0.3)) {
        traits.deadline = Deadline::after(now, random_duration(random, -50ms, 5s));
    }
    if (any && chance(random, 0.3)) {
        traits.cached_age = random_duration(random, 0s, 8s);
    }
    return traits;
}

[[nodiscard]] inline AttemptEnd random_failure(std::mt19937_64& random,
                                               std::optional<Outcome> outcome) {
    constexpr FailureKind kKinds[] = {FailureKind::transient, FailureKind::transient,
                                      FailureKind::throttled, FailureKind::permanent};
    constexpr Delivery kDeliveries[] = {Delivery::not_sent, Delivery::sent, Delivery::answered};
    AttemptFailure failure;
    failure.kind = kKinds[random_between(random, 0, 3)];
    failure.delivery = kDeliveries[random_between(random, 0, 2)];
    if (chance(random, 0.2)) {
        failure.retry_after = random_duration(random, 0s, 3s);
    }
    return {.outcome = outcome, .failure = failure};
}

/// How a shell reports an attempt that it ended at its deadline.
[[nodiscard]] inline AttemptEnd timed_out_attempt() {
    return {.outcome = Outcome::failure, .failure = AttemptFailure{}};
}

/// Returns the duration of an attempt, and how it ends unless it is cut off.
[[nodiscard]] inline std::pair<Duration, AttemptEnd> random_attempt(std::mt19937_64& random,
                                                                    bool mostly_fails) {
    const int dice = random_between(random, 0, 9);
    const Duration takes = dice < 6   ? random_duration(random, 0s, 50ms)
                           : dice < 9 ? random_duration(random, 50ms, 4s)
                                      : Duration{1h};
    if (chance(random, mostly_fails ? 0.8 : 0.2)) {
        constexpr std::optional<Outcome> kOutcomes[] = {Outcome::failure, Outcome::failure,
                                                        Outcome::neutral, std::nullopt};
        return {takes, random_failure(random, kOutcomes[random_between(random, 0, 3)])};
    }
    return {takes, {.outcome = chance(random, 0.9) ? Outcome::success : Outcome::neutral}};
}

}  // namespace holdfast::resilience::testing
