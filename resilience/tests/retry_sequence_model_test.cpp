#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <random>
#include <string>

#include "holdfast/resilience/retry_sequence.hpp"
#include "support/manual_clock.hpp"
#include "support/seeds.hpp"

namespace holdfast::resilience {
namespace {

using namespace std::chrono_literals;
using testing::chance;
using testing::for_each_seed;
using testing::ManualClock;
using testing::random_between;

Duration some_time(std::mt19937_64& generator, Duration most) {
    return Duration{random_between<Duration::rep>(generator, 0, most.count())};
}

RetryOptions some_options(std::mt19937_64& generator, Jitter jitter) {
    const auto some_backoff = [&] {
        const Duration base = some_time(generator, 100ns);
        return BackoffOptions{.base = base,
                              .multiplier = random_between(generator, 1, 3) * 1.0,
                              .cap = base + some_time(generator, 1'000ns),
                              .jitter = jitter};
    };
    return {
        .max_attempts = random_between<std::uint32_t>(generator, 1, 6),
        .transient = some_backoff(),
        .throttled = some_backoff(),
        .retry_after_slack = some_time(generator, 200ns),
        .minimum_attempt = some_time(generator, 50ns),
        .repeat = chance(generator, 0.3) ? RepeatRule::always : RepeatRule::safe,
    };
}

AttemptFailure some_failure(std::mt19937_64& generator) {
    AttemptFailure failure;
    failure.kind = chance(generator, 0.05)  ? FailureKind::permanent
                   : chance(generator, 0.3) ? FailureKind::throttled
                                            : FailureKind::transient;
    failure.delivery = static_cast<Delivery>(random_between(generator, 0, 2));
    if (chance(generator, 0.4)) {
        failure.retry_after = some_time(generator, 1'500ns) - 100ns;
    }
    return failure;
}

struct Call {
    RetryOptions options;
    bool safe = false;
    std::uint32_t attempts = 0;
    std::optional<TimePoint> deadline;
};

/// Returns the expected result after a failure as text: "wait 120" or the name of the reason to
/// stop.
std::string expected_answer(const Call& call, const AttemptFailure& failure, TimePoint now) {
    if (failure.kind == FailureKind::permanent) {
        return "not_retryable";
    }
    if (call.attempts == call.options.max_attempts) {
        return "attempts_used_up";
    }
    if (failure.delivery != Delivery::not_sent && !call.safe &&
        call.options.repeat != RepeatRule::always) {
        return "unsafe_repeat";
    }
    const BackoffOptions& backoff =
        failure.kind == FailureKind::throttled ? call.options.throttled : call.options.transient;
    Duration delay = backoff.base;
    for (std::uint32_t past = 1; past < call.attempts; ++past) {
        delay *= static_cast<int>(backoff.multiplier);
    }
    if (delay > backoff.cap) {
        delay = backoff.cap;
    }
    if (failure.retry_after && *failure.retry_after > delay) {
        const Duration extra = *failure.retry_after - delay;
        delay += extra < call.options.retry_after_slack ? extra : call.options.retry_after_slack;
    }
    if (call.deadline) {
        const Duration left_then = *call.deadline - now - delay;
        if (left_then <= 0ns || left_then < call.options.minimum_attempt) {
            return "deadline";
        }
    }
    return "wait " + std::to_string(delay.count());
}

std::string in_words(const Result<Duration, RetryStop>& answer) {
    return answer ? "wait " + std::to_string(answer->count())
                  : std::string{name_of(answer.error())};
}

TEST(RetrySequenceModelTest, AgreesWithTheModelForAnyCall) {
    for_each_seed(3'000, [](std::mt19937_64& generator) {
        ManualClock clock;
        Call call{some_options(generator, Jitter::none), chance(generator, 0.6), 0, std::nullopt};
        if (chance(generator, 0.7)) {
            call.deadline = clock.now() + some_time(generator, 2'000ns);
        }
        const Deadline deadline = call.deadline ? Deadline::at(*call.deadline) : Deadline::never();
        const RetryPolicy policy{call.options};
        RetrySequence sequence{policy, call.safe};

        for (;;) {
            sequence.on_attempt();
            ++call.attempts;
            clock.advance(some_time(generator, 100ns));
            const AttemptFailure failure = some_failure(generator);

            const auto answer = sequence.on_failure(failure, deadline, clock.now(), generator);

            ASSERT_EQ(in_words(answer), expected_answer(call, failure, clock.now()));
            ASSERT_EQ(sequence.attempts(), call.attempts);
            if (!answer) {
                break;
            }
            clock.advance(*answer);
        }
    });
}

TEST(RetrySequenceModelTest, WithJitterRespectsAllLimits) {
    for_each_seed(3'000, [](std::mt19937_64& generator) {
        ManualClock clock;
        const auto jitter = static_cast<Jitter>(random_between(generator, 0, 3));
        const RetryOptions options = some_options(generator, jitter);
        const auto deadline = Deadline::after(clock.now(), some_time(generator, 5'000ns) + 1ns);
        const RetryPolicy policy{options};
        RetrySequence sequence{policy, true};
        std::uint32_t attempts = 0;

        for (;;) {
            ASSERT_LT(clock.now(), deadline.when());
            sequence.on_attempt();
            ++attempts;
            const AttemptFailure failure = some_failure(generator);

            const auto answer = sequence.on_failure(failure, deadline, clock.now(), generator);

            if (!answer) {
                break;
            }
            const Duration cap = policy.backoff_for(failure.kind).options().cap;
            ASSERT_GE(*answer, 0ns);
            ASSERT_LE(*answer, failure.retry_after ? cap + options.retry_after_slack : cap);
            clock.advance(*answer);
            ASSERT_GE(deadline.remaining(clock.now()), options.minimum_attempt);
        }
        ASSERT_LE(attempts, options.max_attempts);
    });
}

}  // namespace
}  // namespace holdfast::resilience
