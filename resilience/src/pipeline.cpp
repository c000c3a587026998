// The path of one call through the policies, as decisions without I/O.
//
//   start ── fresh in the cache? ── rate limit ── circuit refuses? ── queue ──┐
//                                                                             │
//     ┌── wait ◄── retry? ◄── attempt fails ◄── StartAttempt ◄── permit ◄─────┘
//     └──────────────────────────────────────────────────────────►┘
//
// The circuit is checked twice: before the queue, so that no call waits for a certain refusal, and
// for the permit after the queue, because the circuit may have opened in the meantime. A call's
// deadline covers everything, including the time in the queue. A call that times out in the queue
// says nothing about the downstream, so it has no permit yet.

#include "holdfast/resilience/pipeline.hpp"

#include <algorithm>
#include <utility>

#include "holdfast/resilience/detail/option_check.hpp"
#include "holdfast/resilience/expect.hpp"

namespace holdfast::resilience {

Result<PipelineOptions> validated(const PipelineOptions& options) {
    return detail::OptionCheck{"pipeline"}
        .positive("timeout", options.timeout)
        .positive("attempt_timeout", options.attempt_timeout)
        .nested(validated(options.retry))
        .not_negative("fresh_for", options.fresh_for)
        .not_negative("stale_for", options.stale_for)
        .result(options);
}

PipelinePolicy::PipelinePolicy(const PipelineOptions& options)
    : options_(options), retry_(options.retry) {
    HOLDFAST_EXPECT(validated(options).has_value());
}

PipelineCall::PipelineCall(const PipelinePolicy& policy, const PipelineParts& parts,
                           const CallTraits& traits) noexcept
    : policy_(&policy),
      parts_(parts),
      traits_(traits),
      sequence_(policy.retry(), traits.safe_to_repeat) {}

PipelineStep PipelineCall::start(TimePoint now) {
    HOLDFAST_EXPECT(phase_ == Phase::created);
    const PipelineOptions& options = policy_->options();
    deadline_ = traits_.deadline.tightened(now, options.timeout);
    if (traits_.cached_age && options.fresh_for > Duration::zero() &&
        *traits_.cached_age <= options.fresh_for) {
        finish();
        return verdict(CallEnding::cached);
    }
    if (deadline_.is_expired(now)) {
        return finish_timed_out();
    }
    if (parts_.limiter != nullptr) {
        if (const auto wait = parts_.limiter->try_take(now)) {
            return refuse(RefusalReason::rate_limited, wait);
        }
    }
    if (parts_.circuit != nullptr && parts_.circuit->refusal_at(now)) {
        // Acquires for real, so that the circuit notifies its observer.
        const auto refusal = acquire_permit(now);
        HOLDFAST_EXPECT(refusal.has_value());
        return finish_refused(*refusal);
    }
    if (parts_.bulkhead != nullptr) {
        auto admission = parts_.bulkhead->enter(traits_.waiter, deadline_, now);
        if (const auto* refusal = std::get_if<Refusal>(&admission)) {
            return refuse(refusal->reason, refusal->retry_after);
        }
        if (auto* place = std::get_if<Bulkhead::Place>(&admission)) {
            const TimePoint until = place->until();
            place_.emplace(std::move(*place));
            phase_ = Phase::queued;
            return WaitForSlot{until};
        }
        slot_.emplace(std::get<Bulkhead::Slot>(std::move(admission)));
    }
    return begin_attempt(now);
}

PipelineStep PipelineCall::resume(TimePoint now) {
    if (phase_ == Phase::backing_off) {
        return now < retry_at_ ? PipelineStep{WaitBeforeRetry{retry_at_}} : begin_attempt(now);
    }
    HOLDFAST_EXPECT(phase_ == Phase::queued);
    if (place_->is_granted()) {
        slot_.emplace(place_->claim());
        place_.reset();
        return begin_attempt(now);
    }
    const bool is_displaced = place_->is_displaced();
    if (!is_displaced && now < place_->until()) {
        return WaitForSlot{place_->until()};
    }
    place_.reset();
    if (deadline_.is_expired(now)) {
        return finish_timed_out();
    }
    return refuse(is_displaced ? RefusalReason::queue_full : RefusalReason::queue_wait_exceeded,
                  std::nullopt);
}

PipelineStep PipelineCall::begin_attempt(TimePoint now) {
    if (deadline_.is_expired(now)) {
        return last_end_ ? finish_failed(*last_end_, RetryStop::deadline, now) : finish_timed_out();
    }
    if (const auto refusal = acquire_permit(now)) {
        return finish_refused(*refusal);
    }
    if (hold_) {
        hold_->spend(now);
    } else if (parts_.budget != nullptr && sequence_.attempts() == 0) {
        parts_.budget->on_call(now);
    }
    sequence_.on_attempt();
    phase_ = Phase::attempt;
    return StartAttempt{sequence_.attempts(),
                        deadline_.tightened(now, policy_->options().attempt_timeout)};
}

std::optional<Refusal> PipelineCall::acquire_permit(TimePoint now) {
    if (parts_.circuit == nullptr || permit_) {
        return std::nullopt;
    }
    const PipelineOptions& options = policy_->options();
    const Deadline lease = options.counts == CircuitCounts::call
                               ? deadline_
                               : deadline_.tightened(now, options.attempt_timeout);
    auto permit = parts_.circuit->try_acquire(now, lease);
    if (!permit) {
        return permit.error();
    }
    permit_.emplace(std::move(*permit));
    return std::nullopt;
}

void PipelineCall::note_failure(const AttemptEnd& end, TimePoint now) {
    last_end_ = end;
    side_effects_possible_ |= end.failure->delivery == Delivery::sent && !traits_.safe_to_repeat;
    hold_.reset();
    if (policy_->options().counts == CircuitCounts::attempt) {
        settle(end.outcome, now);
    }
}

PipelineStep PipelineCall::schedule_retry(const AttemptEnd& end, Duration delay, TimePoint now) {
    retry_at_ = saturating_add(now, delay);
    if (circuit_outlasts(delay, now)) {
        const auto refusal = acquire_permit(now);
        HOLDFAST_EXPECT(refusal.has_value());
        return finish_refused(*refusal);
    }
    if (parts_.budget != nullptr) {
        hold_ = parts_.budget->try_hold(now);
        if (!hold_) {
            return finish_failed(end, RetryStop::budget_exhausted, now);
        }
    }
    if (parts_.observer != nullptr) {
        parts_.observer->on_retry(parts_.name, {.attempt = sequence_.attempts() + 1,
                                                .max_attempts = sequence_.max_attempts(),
                                                .delay = delay});
    }
    phase_ = Phase::backing_off;
    return WaitBeforeRetry{retry_at_};
}

/// Returns whether the circuit stays open longer than the wait, so that waiting is useless.
bool PipelineCall::circuit_outlasts(Duration delay, TimePoint now) const {
    if (parts_.circuit == nullptr || permit_) {
        return false;
    }
    const auto refusal = parts_.circuit->refusal_at(now);
    return refusal && refusal->reason != RefusalReason::circuit_probing &&
           refusal->retry_after.value_or(Duration::max()) > delay;
}

PipelineStep PipelineCall::finish_answered(std::optional<Outcome> outcome, TimePoint now) {
    settle(outcome, now);
    finish(now);
    return verdict(CallEnding::answered);
}

PipelineStep PipelineCall::finish_failed(const AttemptEnd& end, RetryStop stop, TimePoint now) {
    settle(end.outcome, now);
    finish(now);
    // An answered error is returned as such, even if it is handled late.
    const bool out_of_time =
        stop == RetryStop::deadline || end.failure->delivery != Delivery::answered;
    CallVerdict failed = verdict(deadline_.is_expired(now) && out_of_time ? CallEnding::timed_out
                                                                          : CallEnding::failed);
    failed.stop = stop;
    if (end.failure->retry_after) {
        failed.retry_after = std::max(*end.failure->retry_after, Duration::zero());
    }
    return failed;
}

PipelineStep PipelineCall::finish_refused(const Refusal& refusal) {
    finish();
    // A circuit that opens between two attempts ends the call with its last error.
    CallVerdict refused = verdict(last_end_ ? CallEnding::failed : CallEnding::refused);
    refused.refusal = refusal;
    refused.retry_after = refusal.retry_after;
    if (last_end_) {
        refused.stop = RetryStop::refused;
    }
    return refused;
}

PipelineStep PipelineCall::finish_timed_out() {
    finish();
    return verdict(CallEnding::timed_out);
}

PipelineStep PipelineCall::refuse(RefusalReason reason, std::optional<Duration> retry_after) {
    const Refusal refusal{reason, retry_after};
    if (parts_.observer != nullptr) {
        parts_.observer->on_refusal(parts_.name, refusal);
    }
    return finish_refused(refusal);
}

CallVerdict PipelineCall::cancel() {
    // How far a running attempt got is not known here, so side effects must be assumed.
    side_effects_possible_ |= phase_ == Phase::attempt && !traits_.safe_to_repeat;
    finish();
    CallVerdict cancelled = verdict(CallEnding::cancelled);
    cancelled.stop = RetryStop::cancelled;
    return cancelled;
}

CallVerdict PipelineCall::verdict(CallEnding ending) const {
    CallVerdict result{.ending = ending,
                       .attempts = sequence_.attempts(),
                       .side_effects_possible = side_effects_possible_,
                       .stop = {},
                       .refusal = {},
                       .retry_after = {},
                       .stale_age = {}};
    const bool failed = ending == CallEnding::failed || ending == CallEnding::refused ||
                        ending == CallEnding::timed_out;
    const Duration stale_for = policy_->options().stale_for;
    if (failed && stale_for > Duration::zero() && traits_.cached_age &&
        *traits_.cached_age <= stale_for) {
        result.stale_age = traits_.cached_age;
    }
    return result;
}

void PipelineCall::settle(std::optional<Outcome> outcome, TimePoint now) {
    if (permit_ && outcome) {
        permit_->settle(*outcome, now);
    }
    permit_.reset();
}

void PipelineCall::finish(std::optional<TimePoint> ended_at) noexcept {
    phase_ = Phase::over;
    permit_.reset();
    hold_.reset();
    place_.reset();
    if (slot_) {
        slot_->leave(ended_at);
    }
    slot_.reset();
}

}  // namespace holdfast::resilience
