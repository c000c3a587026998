#include "policy/options.hpp"

#include <algorithm>

namespace holdfast::policy {
namespace {

using resilience::BackoffOptions;
using resilience::Jitter;

BackoffOptions backoff(Duration base, double multiplier, Duration cap, double jitter) {
    return {.base = std::min(base, cap),
            .multiplier = multiplier,
            .cap = cap,
            .jitter = jitter > 0 ? Jitter::proportional : Jitter::none,
            .jitter_ratio = jitter};
}

}  // namespace

resilience::PipelineOptions pipeline_options(const Policy& policy) {
    const RetryRules& retry = policy.retry;
    const BackoffOptions delays =
        backoff(retry.delay, retry.multiplier, retry.max_delay, retry.jitter);
    return {
        .timeout = policy.timeout,
        .attempt_timeout =
            std::min(policy.attempt_timeout.value_or(policy.timeout), policy.timeout),
        .counts = policy.circuit.counts,
        .retry = {.max_attempts = retry.is_on ? retry.attempts : 1,
                  .transient = delays,
                  .throttled = delays,
                  .retry_after_slack = retry.retry_after_slack,
                  .repeat = retry.when},
        .stale_for = policy.stale_for,
    };
}

resilience::CircuitBreakerOptions circuit_options(const CircuitFigures& figures) {
    resilience::CircuitBreakerOptions options;
    options.failure_threshold = figures.failures;
    options.failure_rate =
        figures.failure_rate > 0 ? std::optional{figures.failure_rate} : std::nullopt;
    options.minimum_calls = figures.minimum_calls;
    options.window = figures.window;
    options.open_for = figures.open;
    options.open_growth = figures.open_growth;
    options.max_open_for = std::max(figures.max_open, figures.open);
    options.open_jitter = figures.open_jitter;
    options.probe_limit = figures.probes;
    options.successes_to_close = figures.successes;
    return options;
}

resilience::BulkheadOptions bulkhead_options(const LimitRules& rules) {
    return {.max_in_flight = rules.in_flight, .max_queue = rules.queue, .max_wait = rules.wait};
}

std::optional<resilience::RateLimiterOptions> rate_limiter_options(const RateRules& rules) {
    if (!rules.is_on) {
        return std::nullopt;
    }
    return resilience::RateLimiterOptions{
        .permits = rules.permits, .per = rules.per, .burst = rules.burst};
}

std::optional<resilience::RetryBudgetOptions> budget_options(const RetryRules& rules) {
    if (!rules.is_on || !rules.budget.is_on) {
        return std::nullopt;
    }
    return resilience::RetryBudgetOptions{
        .ratio = rules.budget.ratio, .window = rules.budget.window, .floor = rules.budget.floor};
}

resilience::BackoffOptions reconnect_backoff(const config::ReconnectOptions& options) {
    return backoff(options.delay, options.multiplier, options.max_delay, options.jitter);
}

}  // namespace holdfast::policy
