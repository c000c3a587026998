#include "holdfast/resilience/retry_sequence.hpp"

#include <algorithm>

#include "holdfast/resilience/detail/option_check.hpp"
#include "holdfast/resilience/expect.hpp"

namespace holdfast::resilience {

Result<RetryOptions> validated(const RetryOptions& options) {
    return detail::OptionCheck{"retry"}
        .at_least("max_attempts", options.max_attempts, 1)
        .nested(validated(options.transient, "retry.transient"))
        .nested(validated(options.throttled, "retry.throttled"))
        .not_negative("retry_after_slack", options.retry_after_slack)
        .not_negative("minimum_attempt", options.minimum_attempt)
        .result(options);
}

RetryPolicy::RetryPolicy(const RetryOptions& options)
    : options_(options), transient_(options.transient), throttled_(options.throttled) {
    HOLDFAST_EXPECT(validated(options).has_value());
}

void RetrySequence::on_attempt() {
    HOLDFAST_EXPECT(attempts_ < max_attempts());
    ++attempts_;
}

std::optional<RetryStop> RetrySequence::stop_before_delay(const AttemptFailure& failure,
                                                          Deadline deadline, TimePoint now) const {
    HOLDFAST_EXPECT(attempts_ > 0);
    if (failure.kind == FailureKind::permanent) {
        return RetryStop::not_retryable;
    }
    if (attempts_ >= max_attempts()) {
        return RetryStop::attempts_used_up;
    }
    const bool may_repeat = safe_to_repeat_ || failure.delivery == Delivery::not_sent ||
                            policy_->options().repeat == RepeatRule::always;
    if (!may_repeat) {
        return RetryStop::unsafe_repeat;
    }
    if (deadline.is_expired(now)) {
        return RetryStop::deadline;
    }
    return std::nullopt;
}

Result<Duration, RetryStop> RetrySequence::delay_or_stop(Duration computed,
                                                         const AttemptFailure& failure,
                                                         Deadline deadline, TimePoint now) {
    previous_delay_ = computed;
    Duration delay = computed;
    if (failure.retry_after) {
        const Duration slack = policy_->options().retry_after_slack;
        const Duration latest =
            computed > Duration::max() - slack ? Duration::max() : computed + slack;
        delay = std::clamp(*failure.retry_after, computed, latest);
    }
    const TimePoint next_start = saturating_add(now, delay);
    const TimePoint earliest_end = saturating_add(next_start, policy_->options().minimum_attempt);
    // A retry that cannot finish in time only adds load.
    if (deadline.is_expired(next_start) || earliest_end > deadline.when()) {
        return RetryStop::deadline;
    }
    return delay;
}

}  // namespace holdfast::resilience
