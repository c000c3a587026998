#include "holdfast/resilience/circuit_breaker_options.hpp"

#include "holdfast/resilience/detail/option_check.hpp"

namespace holdfast::resilience {

Result<CircuitBreakerOptions> validated(const CircuitBreakerOptions& options) {
    constexpr double kLargestGrowth = 1e6;
    const bool has_trip =
        options.failure_threshold > 0 || options.failure_rate || options.slow_calls;
    detail::OptionCheck check{"circuit"};
    check
        .expect(has_trip,
                "failure_threshold must be at least 1 unless failure_rate or slow_calls is given")
        .at_least("minimum_calls", options.minimum_calls, 1)
        .positive("window", options.window)
        .at_least("window_buckets", options.window_buckets, 1)
        .at_most("window_buckets", options.window_buckets, CircuitBreakerOptions::kMaxWindowBuckets)
        .expect(options.window >= Duration{options.window_buckets},
                "window must be at least one nanosecond per bucket")
        .positive("open_for", options.open_for)
        .within("open_growth", options.open_growth, 1.0, kLargestGrowth)
        .not_below("max_open_for", options.max_open_for, "open_for", options.open_for)
        .within("open_jitter", options.open_jitter, 0.0, 1.0)
        .at_least("probe_limit", options.probe_limit, 1)
        .at_most("probe_limit", options.probe_limit, CircuitBreakerOptions::kMaxProbes)
        .at_least("successes_to_close", options.successes_to_close, 1)
        .at_least("failures_to_reopen", options.failures_to_reopen, 1)
        .positive("probe_lease", options.probe_lease);
    if (options.failure_rate) {
        check.above("failure_rate", *options.failure_rate, 0.0, 1.0);
    }
    if (options.slow_calls) {
        check.above("slow_calls.rate", options.slow_calls->rate, 0.0, 1.0)
            .positive("slow_calls.slow_after", options.slow_calls->slow_after);
    }
    return check.result(options);
}

}  // namespace holdfast::resilience
