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

// A policy as the options of the resilience library. Layers of a config can bring figures together
// that nobody wrote side by side: a delay above its cap becomes the cap, an attempt never lasts
// longer than its call. So all of these pass `validated`.

[[nodiscard]] resilience::PipelineOptions pipeline_options(const Policy& policy);
[[nodiscard]] resilience::CircuitBreakerOptions circuit_options(const CircuitFigures& figures);
[[nodiscard]] resilience::BulkheadOptions bulkhead_options(const LimitRules& rules);
/// Nothing when there is no such limit.
[[nodiscard]] std::optional<resilience::RateLimiterOptions> rate_limiter_options(
    const RateRules& rules);
/// Nothing when retries are not limited together.
[[nodiscard]] std::optional<resilience::RetryBudgetOptions> budget_options(const RetryRules& rules);
[[nodiscard]] resilience::BackoffOptions reconnect_backoff(const config::ReconnectOptions& options);

}  // namespace holdfast::policy
