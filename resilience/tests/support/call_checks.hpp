#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <deque>
#include <optional>
#include <set>
#include <vector>

#include "support/scheduled_callers.hpp"

namespace holdfast::resilience::testing {

/// Checks the attempts of each call and the retries of all against lists of what was sent.
class BudgetCheck final : public Watcher {
public:
    void on_look(const ScheduledCallers& world) override {
        const std::uint64_t limit = limit_of(world);
        const std::uint64_t used = used_of(world);
        ASSERT_EQ(world.world.budget->available(world.now()), limit > used ? limit - used : 0);
    }

    void on_attempt(const ScheduledCallers& world, const CallSeen& call,
                    const StartAttempt& attempt) override {
        ASSERT_EQ(attempt.number, call.attempts);
        ASSERT_LE(attempt.number, call.policy->options().retry.max_attempts);
        (attempt.number == 1 ? calls_ : retries_).push_back(world.now());
        ++(attempt.number == 1 ? calls_sent : retries_sent);
    }

    void on_retry_wait(const ScheduledCallers& world, const CallSeen& /*call*/,
                       const WaitBeforeRetry& /*wait*/) override {
        ASSERT_LE(used_of(world), limit_of(world)) << "a hold beyond the budget";
    }

    void on_end(const ScheduledCallers& world, const CallSeen& /*call*/,
                const std::optional<CallVerdict>& verdict) override {
        if (verdict && verdict->stop == RetryStop::budget_exhausted) {
            ASSERT_GE(used_of(world), limit_of(world)) << "refused within the budget";
            ++refused;
        }
    }

    std::uint64_t calls_sent = 0;
    std::uint64_t retries_sent = 0;
    std::uint64_t refused = 0;

private:
    std::uint64_t in_window(std::vector<TimePoint>& sent, const ScheduledCallers& world) {
        const RetryBudgetOptions& options = world.world.budget->options();
        const Duration width = options.window / options.window_buckets;
        std::erase_if(sent, [&](TimePoint at) {
            return world.now().time_since_epoch() / width - at.time_since_epoch() / width >=
                   options.window_buckets;
        });
        return sent.size();
    }

    std::uint64_t limit_of(const ScheduledCallers& world) {
        const RetryBudgetOptions& options = world.world.budget->options();
        const auto percent = static_cast<std::uint64_t>(std::llround(options.ratio * 100));
        return std::max<std::uint64_t>(options.floor, percent * in_window(calls_, world) / 100);
    }

    std::uint64_t used_of(const ScheduledCallers& world) {
        const std::uint64_t waiting = world.count_calls(
            [](const CallSeen& call) { return call.phase == CallSeen::Phase::waiting; });
        const std::uint64_t running = world.count_calls([](const CallSeen& call) {
            return call.phase == CallSeen::Phase::attempting && call.attempts > 1;
        });
        return waiting + std::max(running, in_window(retries_, world));
    }

    std::vector<TimePoint> calls_;
    std::vector<TimePoint> retries_;
};

class DeadlineCheck final : public Watcher {
public:
    void on_attempt(const ScheduledCallers& world, const CallSeen& call,
                    const StartAttempt& attempt) override {
        const Duration limit = call.policy->options().attempt_timeout;
        ASSERT_LT(world.now(), call.deadline.when());
        ASSERT_EQ(attempt.deadline.when(), std::min(call.deadline.when(), world.now() + limit));
    }

    void on_retry_wait(const ScheduledCallers& /*world*/, const CallSeen& call,
                       const WaitBeforeRetry& wait) override {
        ASSERT_LT(wait.until, call.deadline.when());
    }

    void on_end(const ScheduledCallers& world, const CallSeen& call,
                const std::optional<CallVerdict>& verdict) override {
        const TimePoint latest = std::max(call.deadline.when(), call.started_at);
        ASSERT_LE(world.now(), latest + ScheduledCallers::kQuantum);
        timeouts += verdict && verdict->ending == CallEnding::timed_out ? 1 : 0;
    }

    std::uint64_t timeouts = 0;
};

class DelayCheck final : public Watcher {
public:
    void on_retry_wait(const ScheduledCallers& world, const CallSeen& call,
                       const WaitBeforeRetry& wait) override {
        const RetryOptions& retry = call.policy->options().retry;
        const AttemptFailure& failure = *call.last_end->failure;
        const Duration cap =
            (failure.kind == FailureKind::throttled ? retry.throttled : retry.transient).cap;
        const Duration slack = failure.retry_after ? retry.retry_after_slack : Duration::zero();
        const Duration delay = wait.until - world.now();
        ASSERT_GE(delay, Duration::zero());
        ASSERT_LE(delay, cap + slack);
        ASSERT_EQ(world.world.observer.retries.back().second.delay, delay);
        ++delays;
    }

    std::uint64_t delays = 0;
};

/// Checks the queue as a list of waiters, and the slots as the calls that must have one.
class QueueCheck final : public Watcher {
public:
    void on_queue(const ScheduledCallers& /*world*/, const CallSeen& call) override {
        waiting_.push_back(call.traits.waiter);
        ++queued_calls;
    }

    void on_wake(const ScheduledCallers& world, WaiterId waiter) override {
        ASSERT_FALSE(waiting_.empty()) << "woken, but did not wait";
        const Bulkhead& bulkhead = *world.world.bulkhead;
        const bool may_overtake = !bulkhead.options().max_wait;
        // A new call has taken the place of the one that is woken.
        const bool is_displaced = bulkhead.queued() == waiting_.size();
        if (may_overtake && !is_displaced && waiting_.front() != waiter) {
            ASSERT_EQ(waiting_.back(), waiter) << "neither the oldest nor the newest";
            waiting_.pop_back();
            ++overtaking_calls;
        } else {
            ASSERT_EQ(waiting_.front(), waiter) << "served out of order";
            waiting_.pop_front();
        }
        if (is_displaced) {
            ASSERT_TRUE(may_overtake);
            ++displaced_calls;
        } else {
            granted_.insert(waiter);
        }
    }

    void on_attempt(const ScheduledCallers& /*world*/, const CallSeen& call,
                    const StartAttempt& /*attempt*/) override {
        ASSERT_EQ(std::count(waiting_.begin(), waiting_.end(), call.traits.waiter), 0)
            << "started without a slot";
        granted_.erase(call.traits.waiter);
    }

    void on_end(const ScheduledCallers& /*world*/, const CallSeen& call,
                const std::optional<CallVerdict>& /*verdict*/) override {
        std::erase(waiting_, call.traits.waiter);
        granted_.erase(call.traits.waiter);
    }

    void on_look(const ScheduledCallers& world) override {
        const Bulkhead& bulkhead = *world.world.bulkhead;
        const std::uint32_t sending = world.count_calls([](const CallSeen& call) {
            return call.phase == CallSeen::Phase::attempting ||
                   call.phase == CallSeen::Phase::waiting;
        });
        ASSERT_EQ(bulkhead.queued(), waiting_.size());
        ASSERT_EQ(bulkhead.in_flight(), sending + granted_.size());
        const BulkheadOptions& options = bulkhead.options();
        ASSERT_FALSE(bulkhead.queued() > 0 && bulkhead.in_flight() < options.max_in_flight)
            << "a waiter was not woken";
        ASSERT_LE(bulkhead.in_flight(), std::max(options.max_in_flight, in_flight_before_));
        ASSERT_LE(bulkhead.queued(), std::max(options.max_queue, queued_before_));
        in_flight_before_ = bulkhead.in_flight();
        queued_before_ = bulkhead.queued();
    }

    std::uint64_t queued_calls = 0;
    std::uint64_t overtaking_calls = 0;
    std::uint64_t displaced_calls = 0;

private:
    std::deque<WaiterId> waiting_;
    std::set<WaiterId> granted_;
    std::uint32_t in_flight_before_ = 0;
    std::uint32_t queued_before_ = 0;
};

/// Checks that every call ends once, with the ending that its history implies.
class EndingCheck final : public Watcher {
public:
    void on_start(const ScheduledCallers& /*world*/, const CallSeen& call) override {
        ASSERT_TRUE(open_.insert(call.id).second);
    }

    void on_end(const ScheduledCallers& world, const CallSeen& call,
                const std::optional<CallVerdict>& verdict) override {
        ASSERT_EQ(open_.erase(call.id), 1U) << "ended twice";
        ++ended;
        if (verdict) {
            check(world, call, *verdict);
        }
    }

    std::uint64_t ended = 0;

private:
    static CallEnding ending_of(const ScheduledCallers& world, const CallSeen& call,
                                const std::optional<RetryStop>& stop) {
        const Duration fresh_for = call.policy->options().fresh_for;
        if (call.cancelled) {
            return CallEnding::cancelled;
        }
        if (call.traits.cached_age && fresh_for > Duration::zero() &&
            *call.traits.cached_age <= fresh_for) {
            return CallEnding::cached;
        }
        if (call.last_end && !call.last_end->failure) {
            return CallEnding::answered;
        }
        // An answered error stays that error, unless only the time was missing.
        const bool error_answered = call.last_end && stop != RetryStop::deadline &&
                                    call.last_end->failure->delivery == Delivery::answered;
        if (call.deadline.is_expired(world.now()) && !error_answered) {
            return CallEnding::timed_out;
        }
        return call.attempts > 0 ? CallEnding::failed : CallEnding::refused;
    }

    static void check(const ScheduledCallers& world, const CallSeen& call,
                      const CallVerdict& verdict) {
        const CallEnding ending = ending_of(world, call, verdict.stop);
        ASSERT_EQ(name_of(verdict.ending), name_of(ending));
        ASSERT_EQ(verdict.attempts, call.attempts);
        ASSERT_EQ(verdict.side_effects_possible, call.side_effects_possible);
        const bool went_wrong = ending == CallEnding::failed || ending == CallEnding::refused ||
                                ending == CallEnding::timed_out;
        ASSERT_EQ(verdict.stop.has_value(),
                  ending == CallEnding::cancelled || (went_wrong && call.attempts > 0));
        ASSERT_EQ(verdict.refusal.has_value(),
                  ending == CallEnding::refused || verdict.stop == RetryStop::refused);
        std::optional<Duration> retry_after;
        if (verdict.refusal) {
            retry_after = verdict.refusal->retry_after;
        } else if (went_wrong && call.last_end) {
            retry_after = call.last_end->failure->retry_after;
        }
        ASSERT_EQ(verdict.retry_after, retry_after);
        const Duration stale_for = call.policy->options().stale_for;
        const bool is_replaced = went_wrong && stale_for > Duration::zero() &&
                                 call.traits.cached_age && *call.traits.cached_age <= stale_for;
        ASSERT_EQ(verdict.stale_age, is_replaced ? call.traits.cached_age : std::nullopt);
    }

    std::set<std::uint64_t> open_;
};

}  // namespace holdfast::resilience::testing
