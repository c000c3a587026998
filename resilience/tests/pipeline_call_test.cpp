// The start of a call and the end of its first attempt: the order of the policies, the content of
// each refusal, and what stays counted on the policies afterwards.

#include <gtest/gtest.h>

#include <chrono>
#include <optional>
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
using testing::slot_wait_of;
using testing::trip;
using testing::verdict_of;

class PipelineCallTest : public testing::PipelineFixture {};

TEST_F(PipelineCallTest, ACallWithoutPartsIsOneAttempt) {
    const PipelinePolicy policy{plain_setup().options};
    PipelineCall call{policy, {}, {}};

    const StartAttempt attempt = attempt_of(start(call));
    clock_.advance(1s);
    const CallVerdict verdict = verdict_of(end(call, answered()));

    EXPECT_EQ(attempt.number, 1U);
    EXPECT_EQ(verdict.ending, CallEnding::answered);
    EXPECT_EQ(verdict.attempts, 1U);
    EXPECT_EQ(verdict.stop, std::nullopt);
    EXPECT_EQ(verdict.refusal, std::nullopt);
    EXPECT_EQ(verdict.retry_after, std::nullopt);
}

TEST_F(PipelineCallTest, TheDeadlineIsTheEarlierOfTheCallersAndThePolicys) {
    OwnedParts world{plain_setup()};
    const TimePoint now = clock_.now();
    struct Row {
        Deadline callers, expected_call, expected_attempt;
    };

    for (const Row& row : std::vector<Row>{
             {Deadline::never(), Deadline::after(now, 60s), Deadline::after(now, 10s)},
             {Deadline::after(now, 61s), Deadline::after(now, 60s), Deadline::after(now, 10s)},
             {Deadline::after(now, 59s), Deadline::after(now, 59s), Deadline::after(now, 10s)},
             {Deadline::after(now, 3s), Deadline::after(now, 3s), Deadline::after(now, 3s)}}) {
        PipelineCall call = world.call({.deadline = row.callers});

        const StartAttempt attempt = attempt_of(start(call));

        EXPECT_EQ(call.deadline(), row.expected_call);
        EXPECT_EQ(attempt.deadline, row.expected_attempt);
    }
}

/// Everything that can stop a call at its start, in order. Removing the first obstacle must reveal
/// the next one.
TEST_F(PipelineCallTest, ChecksPoliciesInOrder) {
    enum Obstacle {
        kFreshValue,
        kPassedDeadline,
        kRateLimit,
        kOpenCircuit,
        kFullQueue,
        kTakenSlot
    };
    struct Row {
        Obstacle first;
        CallEnding ending;
        std::optional<RefusalReason> reason;
    };
    const std::vector<Row> rows = {
        {kFreshValue, CallEnding::cached, std::nullopt},
        {kPassedDeadline, CallEnding::timed_out, std::nullopt},
        {kRateLimit, CallEnding::refused, RefusalReason::rate_limited},
        {kOpenCircuit, CallEnding::refused, RefusalReason::circuit_open},
        {kFullQueue, CallEnding::refused, RefusalReason::queue_full},
    };
    for (const Row& row : rows) {
        SCOPED_TRACE(row.first);
        PipelineSetup setup = plain_setup();
        setup.options.fresh_for = 1min;
        setup.limiter = RateLimiterOptions{.permits = 1, .per = 1s, .burst = 1};
        setup.bulkhead->max_queue = 0;
        OwnedParts world{setup};
        auto slot = world.bulkhead->enter(99, Deadline::never(), clock_.now());
        if (row.first <= kOpenCircuit) {
            trip(*world.circuit, clock_.now());
        }
        if (row.first <= kRateLimit) {
            ASSERT_FALSE(world.limiter->try_take(clock_.now()));
        }
        CallTraits traits;
        if (row.first <= kPassedDeadline) {
            traits.deadline = Deadline::at(clock_.now());
        }
        if (row.first <= kFreshValue) {
            traits.cached_age = 10s;
        }
        PipelineCall call = world.call(traits);

        const CallVerdict verdict = verdict_of(start(call));

        EXPECT_EQ(verdict.ending, row.ending);
        EXPECT_EQ(verdict.attempts, 0U);
        ASSERT_EQ(verdict.refusal.has_value(), row.reason.has_value());
        if (row.reason) {
            EXPECT_EQ(verdict.refusal->reason, *row.reason);
        }
    }
}

TEST_F(PipelineCallTest, OnlyPassedStepsLeaveATrace) {
    PipelineSetup setup = plain_setup();
    setup.options.fresh_for = 1min;
    setup.limiter = RateLimiterOptions{.permits = 1, .per = 10s, .burst = 1};
    setup.budget = RetryBudgetOptions{.ratio = 1.0, .floor = 0};
    OwnedParts world{setup};
    PipelineCall cached = world.call({.cached_age = 1s});
    PipelineCall late = world.call({.deadline = Deadline::at(clock_.now())});

    EXPECT_EQ(verdict_of(start(cached)).ending, CallEnding::cached);
    EXPECT_EQ(verdict_of(start(late)).ending, CallEnding::timed_out);

    EXPECT_FALSE(world.limiter->wait_at(clock_.now()));
    EXPECT_EQ(world.budget->available(clock_.now()), 0U);
    EXPECT_TRUE(world.observer.refusals.empty());

    trip(*world.circuit, clock_.now());
    PipelineCall refused = world.call();
    EXPECT_EQ(verdict_of(start(refused)).ending, CallEnding::refused);

    EXPECT_TRUE(world.limiter->wait_at(clock_.now()));
    EXPECT_EQ(world.budget->available(clock_.now()), 0U);
    EXPECT_EQ(world.bulkhead->in_flight(), 0U);
}

TEST_F(PipelineCallTest, ARateLimitReportsTheExactWait) {
    PipelineSetup setup = plain_setup();
    setup.limiter = RateLimiterOptions{.permits = 1, .per = 10s, .burst = 1};
    OwnedParts world{setup};
    PipelineCall first = world.call();
    ASSERT_EQ(attempt_of(start(first)).number, 1U);
    clock_.advance(3s);
    PipelineCall second = world.call();

    const CallVerdict verdict = verdict_of(start(second));

    EXPECT_EQ(verdict.retry_after, 7s);
    EXPECT_EQ(verdict.refusal, (Refusal{RefusalReason::rate_limited, 7s}));
    ASSERT_EQ(world.observer.refusals.size(), 1U);
    EXPECT_EQ(world.observer.refusals[0].first, "files");
    EXPECT_EQ(world.observer.refusals[0].second, *verdict.refusal);
}

TEST_F(PipelineCallTest, TheCircuitReportsItsRefusalUnderItsOwnName) {
    OwnedParts world{plain_setup()};
    trip(*world.circuit, clock_.now());
    clock_.advance(4s);
    PipelineCall call = world.call();

    const CallVerdict verdict = verdict_of(start(call));

    EXPECT_EQ(verdict.ending, CallEnding::refused);
    EXPECT_EQ(verdict.retry_after, 6s);
    EXPECT_EQ(verdict.stop, std::nullopt);
    ASSERT_EQ(world.observer.refusals.size(), 1U);
    EXPECT_EQ(world.observer.refusals[0].first, "files-circuit");
    EXPECT_EQ(world.observer.refusals[0].second, (Refusal{RefusalReason::circuit_open, 6s}));
}

TEST_F(PipelineCallTest, AForcedOpenCircuitRefusesWithoutATime) {
    OwnedParts world{plain_setup()};
    world.circuit->set_mode(CircuitMode::forced_open, clock_.now());
    PipelineCall call = world.call();

    const CallVerdict verdict = verdict_of(start(call));

    EXPECT_EQ(verdict.refusal, (Refusal{RefusalReason::circuit_forced_open, std::nullopt}));
    EXPECT_EQ(verdict.retry_after, std::nullopt);
}

TEST_F(PipelineCallTest, AnOpenCircuitRefusesBeforeTheQueue) {
    OwnedParts world{plain_setup()};
    auto slot = world.bulkhead->enter(99, Deadline::never(), clock_.now());
    trip(*world.circuit, clock_.now());
    PipelineCall call = world.call();

    EXPECT_EQ(verdict_of(start(call)).ending, CallEnding::refused);

    EXPECT_EQ(world.bulkhead->queued(), 0U);
}

TEST_F(PipelineCallTest, ACallIsCountedOnceOnEveryPart) {
    PipelineSetup setup = plain_setup();
    setup.budget = RetryBudgetOptions{.ratio = 1.0, .floor = 0};
    OwnedParts world{setup};
    PipelineCall call = world.call();

    ASSERT_EQ(attempt_of(start(call)).number, 1U);

    EXPECT_EQ(world.bulkhead->in_flight(), 1U);
    EXPECT_EQ(world.circuit->permits_outstanding(), 1U);
    EXPECT_EQ(world.budget->available(clock_.now()), 1U);

    EXPECT_EQ(verdict_of(end(call, answered())).ending, CallEnding::answered);

    EXPECT_EQ(world.bulkhead->in_flight(), 0U);
    EXPECT_EQ(world.circuit->permits_outstanding(), 0U);
    EXPECT_EQ(world.circuit->status(clock_.now()).window.calls, 1U);
    EXPECT_EQ(world.circuit->status(clock_.now()).window.failures, 0U);
}

TEST_F(PipelineCallTest, TheOutcomeOfAnAnswerReachesTheCircuit) {
    struct Row {
        std::optional<Outcome> outcome;
        std::uint32_t calls = 0;
        std::uint32_t failures = 0;
    };
    for (const Row& row : {Row{Outcome::success, 1, 0}, Row{Outcome::failure, 1, 1},
                           Row{Outcome::neutral, 0, 0}, Row{std::nullopt, 0, 0}}) {
        OwnedParts world{plain_setup()};
        PipelineCall call = world.call();
        ASSERT_EQ(attempt_of(start(call)).number, 1U);

        EXPECT_EQ(verdict_of(end(call, answered(row.outcome))).ending, CallEnding::answered);

        EXPECT_EQ(world.circuit->status(clock_.now()).window.calls, row.calls);
        EXPECT_EQ(world.circuit->status(clock_.now()).window.failures, row.failures);
    }
}

TEST_F(PipelineCallTest, OneCallProbesAfterTheOpenTimeAndTheRestAreRefused) {
    PipelineSetup setup = plain_setup();
    setup.bulkhead = std::nullopt;
    OwnedParts world{setup};
    trip(*world.circuit, clock_.now());
    clock_.advance(10s);
    PipelineCall probe = world.call({.deadline = Deadline::after(clock_.now(), 7s)});
    PipelineCall other = world.call();

    ASSERT_EQ(attempt_of(start(probe)).number, 1U);
    clock_.advance(2s);
    const CallVerdict verdict = verdict_of(start(other));

    EXPECT_EQ(verdict.refusal, (Refusal{RefusalReason::circuit_probing, 5s}));
    EXPECT_EQ(world.circuit->status(clock_.now()).probes_in_flight, 1U);
}

TEST_F(PipelineCallTest, TheLeaseOfAProbeIsTheDeadlineOfWhatIsCounted) {
    struct Row {
        CircuitCounts counts;
        Duration lease;
    };
    for (const Row& row : {Row{CircuitCounts::call, 60s}, Row{CircuitCounts::attempt, 10s}}) {
        PipelineSetup setup = plain_setup();
        setup.options.counts = row.counts;
        setup.bulkhead = std::nullopt;
        OwnedParts world{setup};
        trip(*world.circuit, clock_.now());
        clock_.advance(10s);
        PipelineCall probe = world.call();

        ASSERT_EQ(attempt_of(start(probe)).number, 1U);

        EXPECT_EQ(world.circuit->status(clock_.now()).retry_after, row.lease);
        EXPECT_EQ(world.circuit->state(clock_.now() + row.lease - 1ns), CircuitState::half_open);
        EXPECT_EQ(world.circuit->state(clock_.now() + row.lease), CircuitState::open);
    }
}

TEST_F(PipelineCallTest, SideEffectsArePossibleIfTheCallWasSentAndNotAnswered) {
    struct Row {
        Delivery delivery;
        bool safe_to_repeat, expected;
    };
    for (const Row& row :
         {Row{Delivery::not_sent, false, false}, Row{Delivery::not_sent, true, false},
          Row{Delivery::sent, false, true}, Row{Delivery::sent, true, false},
          Row{Delivery::answered, false, false}, Row{Delivery::answered, true, false}}) {
        OwnedParts world{plain_setup()};
        PipelineCall call = world.call({.safe_to_repeat = row.safe_to_repeat});
        ASSERT_EQ(attempt_of(start(call)).number, 1U);

        const CallVerdict verdict =
            verdict_of(end(call, failed(FailureKind::permanent, row.delivery)));

        EXPECT_EQ(verdict.ending, CallEnding::failed);
        EXPECT_EQ(verdict.side_effects_possible, row.expected);
    }
}

TEST_F(PipelineCallTest, AFailureAtTheDeadlineIsATimeout) {
    OwnedParts world{plain_setup()};
    PipelineCall call = world.call({.deadline = Deadline::after(clock_.now(), 4s)});
    ASSERT_EQ(attempt_of(start(call)).number, 1U);
    clock_.advance(4s);

    const CallVerdict verdict = verdict_of(end(call, failed()));

    EXPECT_EQ(verdict.ending, CallEnding::timed_out);
    EXPECT_TRUE(verdict.side_effects_possible);
    EXPECT_EQ(world.circuit->status(clock_.now()).window.failures, 1U);
    EXPECT_EQ(world.bulkhead->in_flight(), 0U);
}

TEST_F(PipelineCallTest, AnAnsweredErrorAtTheDeadlineStaysThatError) {
    struct Row {
        bool safe_to_repeat;
        FailureKind kind;
        CallEnding ending;
        RetryStop stop;
    };
    for (const Row& row :
         {Row{false, FailureKind::transient, CallEnding::failed, RetryStop::unsafe_repeat},
          Row{true, FailureKind::permanent, CallEnding::failed, RetryStop::not_retryable},
          // Here only the time for another attempt was missing.
          Row{true, FailureKind::transient, CallEnding::timed_out, RetryStop::deadline}}) {
        OwnedParts world{plain_setup()};
        PipelineCall call = world.call(
            {.deadline = Deadline::after(clock_.now(), 4s), .safe_to_repeat = row.safe_to_repeat});
        ASSERT_EQ(attempt_of(start(call)).number, 1U);
        clock_.advance(4s);

        const CallVerdict verdict = verdict_of(end(call, failed(row.kind, Delivery::answered)));

        EXPECT_EQ(verdict.ending, row.ending);
        EXPECT_EQ(verdict.stop, row.stop);
    }
}

TEST_F(PipelineCallTest, AnAnswerAtTheDeadlineIsAnAnswer) {
    OwnedParts world{plain_setup()};
    PipelineCall call = world.call({.deadline = Deadline::after(clock_.now(), 4s)});
    ASSERT_EQ(attempt_of(start(call)).number, 1U);
    clock_.advance(4s);

    EXPECT_EQ(verdict_of(end(call, answered())).ending, CallEnding::answered);
}

}  // namespace
}  // namespace holdfast::resilience
