// The attempts of a call after the first: their deadlines, their budget, the effect of the circuit
// between two attempts, and how the call ends if there is no further attempt.

#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <tuple>
#include <vector>

#include "holdfast/resilience/pipeline.hpp"
#include "support/pipeline_tools.hpp"

namespace holdfast::resilience {
namespace {

using namespace std::chrono_literals;
using testing::answered;
using testing::attempt_of;
using testing::failed;
using testing::OwnedParts;
using testing::plain_setup;
using testing::retry_wait_of;
using testing::trip;
using testing::verdict_of;

class PipelineRetryTest : public testing::PipelineFixture {
protected:
    static PipelineSetup counting_attempts() {
        PipelineSetup setup = plain_setup();
        setup.options.counts = CircuitCounts::attempt;
        return setup;
    }
    static PipelineSetup with_budget(std::uint32_t floor) {
        PipelineSetup setup = plain_setup();
        setup.budget = RetryBudgetOptions{.ratio = 0.0, .window = 100s, .floor = floor};
        return setup;
    }

    const CallTraits safe_{.safe_to_repeat = true};
};

TEST_F(PipelineRetryTest, ATransientFailureIsRetriedAfterItsDelay) {
    OwnedParts world{plain_setup()};
    PipelineCall call = world.call(safe_);
    ASSERT_EQ(attempt_of(start(call)).number, 1U);
    clock_.advance(2s);

    EXPECT_EQ(retry_wait_of(end(call, failed())), clock_.now() + 1s);
    clock_.advance(1s);
    const StartAttempt second = attempt_of(resume(call));

    EXPECT_EQ(second.number, 2U);
    EXPECT_EQ(second.deadline, Deadline::after(clock_.now(), 10s));
    const CallVerdict verdict = verdict_of(end(call, answered()));
    EXPECT_EQ(verdict.ending, CallEnding::answered);
    EXPECT_EQ(verdict.attempts, 2U);
    EXPECT_EQ(verdict.stop, std::nullopt);
}

TEST_F(PipelineRetryTest, TheObserverReceivesEachWait) {
    OwnedParts world{plain_setup()};
    PipelineCall call = world.call(safe_);
    ASSERT_EQ(attempt_of(start(call)).number, 1U);

    ASSERT_EQ(attempt_of(fail_and_retry(call, failed())).number, 2U);
    ASSERT_EQ(attempt_of(fail_and_retry(call, failed(FailureKind::throttled))).number, 3U);
    ASSERT_EQ(verdict_of(end(call, failed())).stop, RetryStop::attempts_used_up);

    ASSERT_EQ(world.observer.retries.size(), 2U);
    const auto& [first_name, first] = world.observer.retries[0];
    EXPECT_EQ(first_name, "files");
    EXPECT_EQ(std::tuple(first.attempt, first.max_attempts, first.delay), std::tuple(2U, 3U, 1s));
    const auto& [second_name, second] = world.observer.retries[1];
    EXPECT_EQ(second_name, "files");
    EXPECT_EQ(std::tuple(second.attempt, second.max_attempts, second.delay),
              std::tuple(3U, 3U, 2s));
}

TEST_F(PipelineRetryTest, KeepsWaitingIfWokenTooEarly) {
    OwnedParts world{plain_setup()};
    PipelineCall call = world.call(safe_);
    ASSERT_EQ(attempt_of(start(call)).number, 1U);
    const TimePoint until = retry_wait_of(end(call, failed()));

    EXPECT_EQ(retry_wait_of(resume(call)), until);
    clock_.advance(1s - 1ns);
    EXPECT_EQ(retry_wait_of(resume(call)), until);
    clock_.advance(1ns);
    EXPECT_EQ(attempt_of(resume(call)).number, 2U);
}

TEST_F(PipelineRetryTest, ReportsWhyThereIsNoFurtherAttempt) {
    struct Row {
        CallTraits traits;
        AttemptEnd how;
        RetryStop expected;
    };
    const TimePoint now = clock_.now();
    for (const Row& row : std::vector<Row>{
             {safe_, failed(FailureKind::permanent), RetryStop::not_retryable},
             {{}, failed(FailureKind::transient, Delivery::sent), RetryStop::unsafe_repeat},
             {{}, failed(FailureKind::transient, Delivery::answered), RetryStop::unsafe_repeat},
             {{.deadline = Deadline::after(now, 1s), .safe_to_repeat = true},
              failed(),
              RetryStop::deadline}}) {
        OwnedParts world{plain_setup()};
        PipelineCall call = world.call(row.traits);
        ASSERT_EQ(attempt_of(start(call)).number, 1U);

        const CallVerdict verdict = verdict_of(end(call, row.how));

        EXPECT_EQ(verdict.ending, CallEnding::failed);
        EXPECT_EQ(verdict.stop, row.expected);
        EXPECT_EQ(verdict.attempts, 1U);
        EXPECT_TRUE(world.observer.retries.empty());
        EXPECT_EQ(world.bulkhead->in_flight(), 0U);
        EXPECT_EQ(world.circuit->permits_outstanding(), 0U);
    }
}

TEST_F(PipelineRetryTest, AnAttemptsDeadlineIsAtMostTheCalls) {
    OwnedParts world{plain_setup()};
    const Deadline deadline = Deadline::after(clock_.now(), 15s);
    PipelineCall call = world.call({.deadline = deadline, .safe_to_repeat = true});
    ASSERT_EQ(attempt_of(start(call)).deadline, Deadline::after(clock_.now(), 10s));
    clock_.advance(10s);

    EXPECT_EQ(attempt_of(fail_and_retry(call, failed())).deadline, deadline);
}

TEST_F(PipelineRetryTest, AShellThatResumesAfterTheDeadlineStartsNothing) {
    for (const CircuitCounts counts : {CircuitCounts::call, CircuitCounts::attempt}) {
        PipelineSetup setup = with_budget(1);
        setup.options.counts = counts;
        OwnedParts world{setup};
        PipelineCall call =
            world.call({.deadline = Deadline::after(clock_.now(), 15s), .safe_to_repeat = true});
        ASSERT_EQ(attempt_of(start(call)).number, 1U);
        ASSERT_EQ(retry_wait_of(end(call, failed())), clock_.now() + 1s);
        clock_.advance(15s);

        const CallVerdict verdict = verdict_of(resume(call));

        EXPECT_EQ(verdict.ending, CallEnding::timed_out);
        EXPECT_EQ(verdict.stop, RetryStop::deadline);
        EXPECT_EQ(verdict.attempts, 1U);
        EXPECT_EQ(world.circuit->permits_outstanding(), 0U);
        EXPECT_EQ(world.circuit->status(clock_.now()).window.failures, 1U);
        EXPECT_EQ(world.budget->available(clock_.now()), 1U);
        EXPECT_EQ(world.bulkhead->in_flight(), 0U);
    }
}

TEST_F(PipelineRetryTest, TheVerdictHasTheRetryAfterOfTheLastFailure) {
    PipelineSetup setup = plain_setup();
    setup.options.retry.max_attempts = 2;
    OwnedParts world{setup};
    PipelineCall call = world.call(safe_);
    ASSERT_EQ(attempt_of(start(call)).number, 1U);
    const auto asked_for = [](Duration wait) {
        return failed(FailureKind::throttled, Delivery::answered, wait);
    };
    ASSERT_EQ(attempt_of(fail_and_retry(call, asked_for(3s))).number, 2U);

    const CallVerdict verdict = verdict_of(end(call, asked_for(8s)));

    EXPECT_EQ(verdict.retry_after, 8s);
    EXPECT_EQ(verdict.stop, RetryStop::attempts_used_up);
    EXPECT_EQ(verdict.refusal, std::nullopt);
}

TEST_F(PipelineRetryTest, AnEarlierSentAttemptMakesSideEffectsPossible) {
    PipelineSetup setup = plain_setup();
    setup.options.retry.repeat = RepeatRule::always;
    OwnedParts world{setup};
    PipelineCall call = world.call();
    ASSERT_EQ(attempt_of(start(call)).number, 1U);
    ASSERT_EQ(attempt_of(fail_and_retry(call, failed())).number, 2U);

    const CallVerdict verdict =
        verdict_of(end(call, failed(FailureKind::permanent, Delivery::not_sent)));

    EXPECT_TRUE(verdict.side_effects_possible);
}

TEST_F(PipelineRetryTest, OneCallCountsOnceWithAnyNumberOfAttempts) {
    struct Row {
        AttemptEnd last;
        std::uint32_t failures = 0;
    };
    for (const Row& row : {Row{answered(), 0}, Row{failed(), 1}}) {
        OwnedParts world{plain_setup()};
        PipelineCall call = world.call(safe_);
        ASSERT_EQ(attempt_of(start(call)).number, 1U);
        ASSERT_EQ(attempt_of(fail_and_retry(call, failed())).number, 2U);
        ASSERT_EQ(attempt_of(fail_and_retry(call, failed())).number, 3U);
        EXPECT_EQ(world.circuit->status(clock_.now()).window.calls, 0U);

        std::ignore = end(call, row.last);

        EXPECT_EQ(world.circuit->status(clock_.now()).window.calls, 1U);
        EXPECT_EQ(world.circuit->status(clock_.now()).window.failures, row.failures);
    }
}

TEST_F(PipelineRetryTest, EveryAttemptCountsIfAttemptsAreCounted) {
    OwnedParts world{counting_attempts()};
    PipelineCall call = world.call(safe_);
    ASSERT_EQ(attempt_of(start(call)).number, 1U);

    ASSERT_EQ(retry_wait_of(end(call, failed())), clock_.now() + 1s);
    EXPECT_EQ(world.circuit->permits_outstanding(), 0U);
    EXPECT_EQ(world.circuit->status(clock_.now()).window.failures, 1U);
    clock_.advance(1s);
    ASSERT_EQ(attempt_of(resume(call)).number, 2U);
    EXPECT_EQ(world.circuit->permits_outstanding(), 1U);
    std::ignore = end(call, answered());

    EXPECT_EQ(world.circuit->permits_outstanding(), 0U);
    EXPECT_EQ(world.circuit->status(clock_.now()).window.calls, 2U);
    EXPECT_EQ(world.circuit->status(clock_.now()).window.failures, 1U);
}

TEST_F(PipelineRetryTest, ACircuitThatOpensBetweenAttemptsEndsTheCallWithItsLastError) {
    PipelineSetup setup = counting_attempts();
    setup.budget = with_budget(1).budget;
    OwnedParts world{setup};
    PipelineCall call = world.call(safe_);
    ASSERT_EQ(attempt_of(start(call)).number, 1U);
    ASSERT_EQ(retry_wait_of(end(call, failed())), clock_.now() + 1s);
    EXPECT_EQ(world.budget->available(clock_.now()), 0U);
    trip(*world.circuit, clock_.now());
    clock_.advance(1s);

    const CallVerdict verdict = verdict_of(resume(call));

    EXPECT_EQ(verdict.ending, CallEnding::failed);
    EXPECT_EQ(verdict.stop, RetryStop::refused);
    EXPECT_EQ(verdict.refusal, (Refusal{RefusalReason::circuit_open, 9s}));
    EXPECT_EQ(verdict.retry_after, 9s);
    EXPECT_EQ(verdict.attempts, 1U);
    // A retry that is refused here costs nothing.
    EXPECT_EQ(world.budget->available(clock_.now()), 1U);
    EXPECT_EQ(world.bulkhead->in_flight(), 0U);
}

TEST_F(PipelineRetryTest, ItsOwnFailuresMayOpenTheCircuitBetweenAttempts) {
    PipelineSetup setup = counting_attempts();
    setup.circuit->failure_threshold = 2;
    OwnedParts world{setup};
    PipelineCall call = world.call(safe_);
    ASSERT_EQ(attempt_of(start(call)).number, 1U);
    ASSERT_EQ(attempt_of(fail_and_retry(call, failed())).number, 2U);

    const CallVerdict verdict = verdict_of(end(call, failed()));

    EXPECT_EQ(verdict.stop, RetryStop::refused);
    EXPECT_EQ(verdict.attempts, 2U);
}

TEST_F(PipelineRetryTest, AnAttemptWithoutAnOutcomeOnlyFreesItsPermit) {
    for (const CircuitCounts counts : {CircuitCounts::call, CircuitCounts::attempt}) {
        PipelineSetup setup = plain_setup();
        setup.options.counts = counts;
        OwnedParts world{setup};
        const auto before = testing::fields_of(world.circuit->status(clock_.now()));
        PipelineCall call = world.call();
        ASSERT_EQ(attempt_of(start(call)).number, 1U);
        AttemptEnd unreached = failed(FailureKind::permanent, Delivery::not_sent);
        unreached.outcome = std::nullopt;

        EXPECT_EQ(verdict_of(end(call, unreached)).ending, CallEnding::failed);

        EXPECT_EQ(testing::fields_of(world.circuit->status(clock_.now())), before);
    }
}

TEST_F(PipelineRetryTest, ACircuitThatStaysOpenBeyondTheWaitEndsTheCallImmediately) {
    struct Row {
        Duration open_for;
        bool ends_at_once;
    };
    for (const Row& row : {Row{1s, false}, Row{1s + 1ns, true}}) {
        PipelineSetup setup = counting_attempts();
        setup.circuit->failure_threshold = 1;
        setup.circuit->open_for = row.open_for;
        setup.budget = with_budget(1).budget;
        OwnedParts world{setup};
        PipelineCall call = world.call(safe_);
        ASSERT_EQ(attempt_of(start(call)).number, 1U);

        const PipelineStep step = end(call, failed());

        if (!row.ends_at_once) {
            EXPECT_EQ(retry_wait_of(step), clock_.now() + 1s);
            continue;
        }
        EXPECT_EQ(verdict_of(step).ending, CallEnding::failed);
        EXPECT_EQ(verdict_of(step).stop, RetryStop::refused);
        EXPECT_EQ(verdict_of(step).retry_after, row.open_for);
        EXPECT_TRUE(world.observer.retries.empty());
        EXPECT_EQ(world.budget->available(clock_.now()), 1U);
        EXPECT_EQ(world.bulkhead->in_flight(), 0U);
    }
}

/// The outcome of another call's probe is unknown, so its lease is not a reason to give up.
TEST_F(PipelineRetryTest, WaitsForTheProbeOfAnotherCall) {
    struct Row {
        std::uint32_t probes;
        Duration lease;
    };
    for (const Row& row : {Row{1, 500ms}, Row{2, 500ms}, Row{1, 5s}, Row{2, 5s}}) {
        PipelineSetup setup = counting_attempts();
        setup.circuit->probe_limit = row.probes;
        OwnedParts world{setup};
        PipelineCall call = world.call(safe_);
        ASSERT_EQ(attempt_of(start(call)).number, 1U);
        trip(*world.circuit, clock_.now());
        clock_.advance(10s);
        const auto probe =
            world.circuit->try_acquire(clock_.now(), Deadline::after(clock_.now(), row.lease));
        ASSERT_TRUE(probe);

        EXPECT_EQ(retry_wait_of(end(call, failed())), clock_.now() + 1s);
    }
}

TEST_F(PipelineRetryTest, ACallThatCountsOnceContinuesWhenTheCircuitOpens) {
    OwnedParts world{plain_setup()};
    PipelineCall call = world.call(safe_);
    ASSERT_EQ(attempt_of(start(call)).number, 1U);
    ASSERT_EQ(retry_wait_of(end(call, failed())), clock_.now() + 1s);
    trip(*world.circuit, clock_.now());
    const auto tripped = world.circuit->status(clock_.now());
    clock_.advance(1s);

    EXPECT_EQ(attempt_of(resume(call)).number, 2U);
    EXPECT_EQ(verdict_of(end(call, answered())).ending, CallEnding::answered);

    EXPECT_EQ(world.circuit->state(clock_.now()), CircuitState::open);
    EXPECT_EQ(world.circuit->status(clock_.now()).generation, tripped.generation);
}

TEST_F(PipelineRetryTest, AnExhaustedBudgetEndsTheCallWithItsLastError) {
    OwnedParts world{with_budget(1)};
    auto held = world.budget->try_hold(clock_.now());
    PipelineCall call = world.call(safe_);
    ASSERT_EQ(attempt_of(start(call)).number, 1U);

    const CallVerdict verdict =
        verdict_of(end(call, failed(FailureKind::throttled, Delivery::answered, 3s)));

    EXPECT_EQ(verdict.ending, CallEnding::failed);
    EXPECT_EQ(verdict.stop, RetryStop::budget_exhausted);
    EXPECT_EQ(verdict.retry_after, 3s);
    EXPECT_EQ(verdict.attempts, 1U);
    EXPECT_TRUE(world.observer.retries.empty());
    EXPECT_EQ(world.circuit->status(clock_.now()).window.failures, 1U);
    EXPECT_EQ(world.bulkhead->in_flight(), 0U);
}

TEST_F(PipelineRetryTest, AHoldIsTakenBeforeTheWaitAndSpentByTheAttempt) {
    OwnedParts world{with_budget(2)};
    PipelineCall call = world.call(safe_);
    ASSERT_EQ(attempt_of(start(call)).number, 1U);
    EXPECT_EQ(world.budget->available(clock_.now()), 2U);

    ASSERT_EQ(retry_wait_of(end(call, failed())), clock_.now() + 1s);
    EXPECT_EQ(world.budget->available(clock_.now()), 1U);
    clock_.advance(1s);
    ASSERT_EQ(attempt_of(resume(call)).number, 2U);
    EXPECT_EQ(world.budget->available(clock_.now()), 1U);
    std::ignore = end(call, answered());

    // It was sent, so it counts until it leaves the window.
    EXPECT_EQ(world.budget->available(clock_.now()), 1U);
    EXPECT_EQ(world.budget->available(clock_.now() + 110s), 2U);
}

TEST_F(PipelineRetryTest, EveryRetryIsTakenFromTheBudget) {
    OwnedParts world{with_budget(1)};
    PipelineCall call = world.call(safe_);
    ASSERT_EQ(attempt_of(start(call)).number, 1U);
    ASSERT_EQ(attempt_of(fail_and_retry(call, failed())).number, 2U);

    const CallVerdict verdict = verdict_of(end(call, failed()));

    EXPECT_EQ(verdict.stop, RetryStop::budget_exhausted);
    EXPECT_EQ(verdict.attempts, 2U);
}

TEST_F(PipelineRetryTest, RetriesDoNotCountAsCallsOfTheBudget) {
    PipelineSetup setup = plain_setup();
    setup.budget = RetryBudgetOptions{.ratio = 1.0, .window = 100s, .floor = 0};
    OwnedParts world{setup};
    PipelineCall call = world.call(safe_);
    ASSERT_EQ(attempt_of(start(call)).number, 1U);
    ASSERT_EQ(attempt_of(fail_and_retry(call, failed())).number, 2U);

    EXPECT_EQ(verdict_of(end(call, failed())).stop, RetryStop::budget_exhausted);
}

}  // namespace
}  // namespace holdfast::resilience
