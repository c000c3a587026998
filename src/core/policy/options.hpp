#pragma once

#include <optional>

#include "config/server_config.hpp"
#include "holdfast/resilience/backoff.hpp"
#include "holdfast/resilience/bulkhead.hpp"
#include "holdfast/resilience/circuit_breaker_options.hpp"
#include "holdfast/resilience/pipeline.hpp"
#include "holdfast/resilience/rate_limiter.hpp"
#include "holdfast/resilience/retry_budget.hpp"
#include "policy/policy.hpp"

namespace holdfast::policy {

// Converts a policy to options of the resilience library. Values from different layers of a config
// may conflict, so they are adjusted: a delay is at most its cap, and an attempt is at most as long
// as its call. The results always pass `validated`.

[[nodiscard]] resilience::PipelineOptions pipeline_options(const Policy& policy);
[[nodiscard]] resilience::CircuitBreakerOptions circuit_options(const CircuitFigures& figures);
[[nodiscard]] resilience::BulkheadOptions bulkhead_options(const LimitRules& rules);
/// Nothing if there is no such limit.
[[nodiscard]] std::optional<resilience::RateLimiterOptions> rate_limiter_options(
    const RateRules& rules);
/// Nothing if there is no common limit of retries.
[[nodiscard]] std::optional<resilience::RetryBudgetOptions> budget_options(const RetryRules& rules);
[[nodiscard]] resilience::BackoffOptions reconnect_backoff(const config::ReconnectOptions& options);

}  // namespace holdfast::policy
