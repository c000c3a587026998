#include "holdfast/resilience/retry_sequence.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <random>
#include <tuple>

#include "support/manual_clock.hpp"

namespace holdfast::resilience {
namespace {

using namespace std::chrono_literals;
using testing::ManualClock;

constexpr bool kSafe = true;
constexpr bool kUnsafe = false;
constexpr Duration kTick{1};

/// 100 ms, 200 ms, 400 ms … after transient failures, 1 s, 2 s … if throttled; no randomness.
RetryOptions plain_options() {
    return {
        .max_attempts = 10,
        .transient = {.base = 100ms, .cap = 10s, .jitter = Jitter::none},
        .throttled = {.base = 1s, .cap = 10s, .jitter = Jitter::none},
    };
}

AttemptFailure failure_of(FailureKind kind, std::optional<Duration> retry_after = std::nullopt) {
    return {.kind = kind, .delivery = Delivery::sent, .retry_after = retry_after};
}

class RetrySequenceTest : public ::testing::Test {
protected:
    /// Begins the next attempt and fails it.
    Result<Duration, RetryStop> fail(RetrySequence& sequence, const AttemptFailure& failure = {},
                                     Deadline deadline = Deadline::never()) {
        sequence.on_attempt();
        return sequence.on_failure(failure, deadline, clock_.now(), generator_);
    }

    ManualClock clock_;
    std::mt19937_64 generator_{1};
};

TEST_F(RetrySequenceTest, WaitsLongerAfterEachFailure) {
    const RetryPolicy policy{plain_options()};
    RetrySequence sequence{policy, kSafe};

    for (const Duration expected : {100ms, 200ms, 400ms, 800ms}) {
        EXPECT_EQ(fail(sequence).value(), expected);
    }
    EXPECT_EQ(sequence.attempts(), 4U);
    EXPECT_EQ(sequence.max_attempts(), 10U);
}

TEST_F(RetrySequenceTest, ChoosesTheDelaysByTheKindOfFailure) {
    const RetryPolicy policy{plain_options()};
    RetrySequence sequence{policy, kSafe};

    EXPECT_EQ(fail(sequence, failure_of(FailureKind::throttled)).value(), 1s);
    EXPECT_EQ(fail(sequence, failure_of(FailureKind::transient)).value(), 200ms);
    EXPECT_EQ(fail(sequence, failure_of(FailureKind::throttled)).value(), 4s);
}

TEST_F(RetrySequenceTest, StopsWhenTheAttemptsAreUsedUp) {
    for (const std::uint32_t most : {1U, 2U, 7U}) {
        auto options = plain_options();
        options.max_attempts = most;
        const RetryPolicy policy{options};
        RetrySequence sequence{policy, kSafe};

        for (std::uint32_t attempt = 1; attempt < most; ++attempt) {
            ASSERT_TRUE(fail(sequence).has_value()) << attempt << " of " << most;
        }

        EXPECT_EQ(fail(sequence).error(), RetryStop::attempts_used_up);
        EXPECT_EQ(sequence.attempts(), most);
    }
}

TEST_F(RetrySequenceTest, NeverRepeatsAPermanentFailure) {
    auto options = plain_options();
    options.repeat = RepeatRule::always;
    const RetryPolicy policy{options};

    for (const Delivery delivery : {Delivery::not_sent, Delivery::sent, Delivery::answered}) {
        RetrySequence sequence{policy, kSafe};
        const AttemptFailure failure{
            .kind = FailureKind::permanent, .delivery = delivery, .retry_after = 1s};
        EXPECT_EQ(fail(sequence, failure).error(), RetryStop::not_retryable);
    }
}

TEST_F(RetrySequenceTest, RepeatsOnlyCallsThatCannotTakeEffectTwice) {
    struct Row {
        Delivery delivery;
        bool safe_to_repeat;
        RepeatRule rule;
        bool repeated;
    };
    constexpr std::array<Row, 12> kRows{{
        {Delivery::not_sent, kUnsafe, RepeatRule::safe, true},
        {Delivery::not_sent, kUnsafe, RepeatRule::always, true},
        {Delivery::not_sent, kSafe, RepeatRule::safe, true},
        {Delivery::not_sent, kSafe, RepeatRule::always, true},
        {Delivery::sent, kUnsafe, RepeatRule::safe, false},
        {Delivery::sent, kUnsafe, RepeatRule::always, true},
        {Delivery::sent, kSafe, RepeatRule::safe, true},
        {Delivery::sent, kSafe, RepeatRule::always, true},
        {Delivery::answered, kUnsafe, RepeatRule::safe, false},
        {Delivery::answered, kUnsafe, RepeatRule::always, true},
        {Delivery::answered, kSafe, RepeatRule::safe, true},
        {Delivery::answered, kSafe, RepeatRule::always, true},
    }};

    for (const Row& row : kRows) {
        for (const FailureKind kind : {FailureKind::transient, FailureKind::throttled}) {
            auto options = plain_options();
            options.repeat = row.rule;
            const RetryPolicy policy{options};
            RetrySequence sequence{policy, row.safe_to_repeat};

            const auto next = fail(sequence, {.kind = kind, .delivery = row.delivery});

            ASSERT_EQ(next.has_value(), row.repeated) << (&row - kRows.data());
            if (!row.repeated) {
                EXPECT_EQ(next.error(), RetryStop::unsafe_repeat);
            }
        }
    }
}

TEST_F(RetrySequenceTest, JudgesTheDeliveryOfEachAttempt) {
    const RetryPolicy policy{plain_options()};
    RetrySequence sequence{policy, kUnsafe};

    EXPECT_TRUE(fail(sequence, {.delivery = Delivery::not_sent}).has_value());
    EXPECT_EQ(fail(sequence).error(), RetryStop::unsafe_repeat);
}

TEST_F(RetrySequenceTest, LimitsRetryAfterToTheSlack) {
    struct Row {
        Duration retry_after;
        Duration expected;
    };
    constexpr Duration kComputed = 1s;
    constexpr Duration kSlack = 5s;
    const std::array<Row, 9> rows{{
        {Duration::min(), kComputed},
        {-1s, kComputed},
        {0s, kComputed},
        {kComputed - kTick, kComputed},
        {kComputed + kTick, kComputed + kTick},
        {3s, 3s},
        {kComputed + kSlack, kComputed + kSlack},
        {kComputed + kSlack + kTick, kComputed + kSlack},
        {Duration::max(), kComputed + kSlack},
    }};
    auto options = plain_options();
    options.retry_after_slack = kSlack;
    const RetryPolicy policy{options};

    for (const Row& row : rows) {
        RetrySequence sequence{policy, kSafe};
        const auto delay = fail(sequence, failure_of(FailureKind::throttled, row.retry_after));
        EXPECT_EQ(delay.value(), row.expected) << row.retry_after.count();
    }
}

TEST_F(RetrySequenceTest, AcceptsAnySlackWithoutOverflow) {
    auto options = plain_options();
    options.retry_after_slack = Duration::max();
    const RetryPolicy policy{options};
    RetrySequence sequence{policy, kSafe};

    EXPECT_EQ(fail(sequence, failure_of(FailureKind::throttled, 24h)).value(), 24h);
}

TEST_F(RetrySequenceTest, StartsTheNextAttemptBeforeTheDeadlineOrNotAtAll) {
    const RetryPolicy policy{plain_options()};
    struct Row {
        Duration left;
        bool repeated;
    };
    const std::array<Row, 6> rows{{
        {-1s, false},
        {0s, false},
        {100ms - kTick, false},
        {100ms, false},
        {100ms + kTick, true},
        {1h, true},
    }};

    for (const Row& row : rows) {
        RetrySequence sequence{policy, kSafe};
        const auto next = fail(sequence, {}, Deadline::after(clock_.now(), row.left));
        ASSERT_EQ(next.has_value(), row.repeated) << row.left.count();
        if (!row.repeated) {
            EXPECT_EQ(next.error(), RetryStop::deadline);
        }
    }
}

TEST_F(RetrySequenceTest, LeavesTheNextAttemptItsMinimumTime) {
    auto options = plain_options();
    options.minimum_attempt = 50ms;
    const RetryPolicy policy{options};

    RetrySequence enough{policy, kSafe};
    RetrySequence too_little{policy, kSafe};

    EXPECT_EQ(fail(enough, {}, Deadline::after(clock_.now(), 150ms)).value(), 100ms);
    EXPECT_EQ(fail(too_little, {}, Deadline::after(clock_.now(), 150ms - kTick)).error(),
              RetryStop::deadline);
}

TEST_F(RetrySequenceTest, StopsWhenRetryAfterPassesTheDeadline) {
    const RetryPolicy policy{plain_options()};
    const auto deadline = Deadline::after(clock_.now(), 2s);

    RetrySequence sooner{policy, kSafe};
    RetrySequence later{policy, kSafe};

    EXPECT_EQ(fail(sooner, failure_of(FailureKind::throttled, 1'500ms), deadline).value(), 1'500ms);
    EXPECT_EQ(fail(later, failure_of(FailureKind::throttled, 3s), deadline).error(),
              RetryStop::deadline);
}

TEST_F(RetrySequenceTest, ReportsPermanentReasonsBeforeTheDeadline) {
    auto options = plain_options();
    options.max_attempts = 1;
    const RetryPolicy one_attempt{options};
    const RetryPolicy many_attempts{plain_options()};
    const auto passed = Deadline::at(clock_.now());

    // Each row meets its own reason and all reasons below it.
    RetrySequence permanent{one_attempt, kUnsafe};
    EXPECT_EQ(fail(permanent, failure_of(FailureKind::permanent), passed).error(),
              RetryStop::not_retryable);
    RetrySequence last{one_attempt, kUnsafe};
    EXPECT_EQ(fail(last, {}, passed).error(), RetryStop::attempts_used_up);
    RetrySequence unsafe{many_attempts, kUnsafe};
    EXPECT_EQ(fail(unsafe, {}, passed).error(), RetryStop::unsafe_repeat);
    RetrySequence late{many_attempts, kSafe};
    EXPECT_EQ(fail(late, {}, passed).error(), RetryStop::deadline);
}

TEST_F(RetrySequenceTest, DrawsNothingWhenItStops) {
    const RetryPolicy policy{};
    RetrySequence sequence{policy, kSafe};
    const std::mt19937_64 untouched = generator_;

    EXPECT_FALSE(fail(sequence, failure_of(FailureKind::permanent)).has_value());
    EXPECT_EQ(generator_, untouched);
    EXPECT_TRUE(fail(sequence).has_value());
    EXPECT_NE(generator_, untouched);
}

TEST_F(RetrySequenceTest, DecorrelatedDelaysFollowEachOther) {
    auto options = plain_options();
    options.max_attempts = 200;
    options.transient = {.base = 10ms, .cap = 100s, .jitter = Jitter::decorrelated};
    const RetryPolicy policy{options};
    RetrySequence sequence{policy, kSafe};

    Duration previous = 10ms;
    Duration longest = 0ms;
    for (int attempt = 1; attempt < 200; ++attempt) {
        const Duration delay = fail(sequence).value();
        ASSERT_GE(delay, 10ms);
        ASSERT_LE(delay, 3 * previous);
        previous = delay;
        longest = std::max(longest, delay);
    }
    // Only delays that build on each other get this far from the base.
    EXPECT_GT(longest, 1s);
}

TEST_F(RetrySequenceTest, SequencesOfOnePolicyDoNotAffectEachOther) {
    const RetryPolicy policy{plain_options()};
    RetrySequence kept{policy, kSafe};
    ASSERT_EQ(fail(kept).value(), 100ms);

    // Abandoned before, during and after an attempt.
    for (int steps = 0; steps < 3; ++steps) {
        RetrySequence dropped{policy, kSafe};
        if (steps >= 1) {
            dropped.on_attempt();
        }
        if (steps >= 2) {
            ASSERT_TRUE(
                dropped.on_failure({}, Deadline::never(), clock_.now(), generator_).has_value());
        }
    }

    EXPECT_EQ(fail(kept).value(), 200ms);
    EXPECT_EQ(kept.attempts(), 2U);
}

using RetrySequenceDeathTest = RetrySequenceTest;

TEST_F(RetrySequenceDeathTest, MisuseAborts) {
    auto options = plain_options();
    options.max_attempts = 1;
    const RetryPolicy policy{options};
    RetrySequence fresh{policy, kSafe};
    RetrySequence used{policy, kSafe};
    used.on_attempt();

    EXPECT_DEATH(std::ignore = fresh.on_failure({}, Deadline::never(), clock_.now(), generator_),
                 "expectation failed: attempts_ > 0");
    EXPECT_DEATH(used.on_attempt(), "expectation failed: attempts_ < max_attempts");
    EXPECT_DEATH(RetryPolicy({.max_attempts = 0}), "expectation failed");
}

}  // namespace
}  // namespace holdfast::resilience
