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
using testing::slot_wait_of;
using testing::trip;
using testing::verdict_of;

/// One call holds the only slot; the tests look at the calls after it.
class PipelineQueueTest : public testing::PipelineFixture {
protected:
    PipelineQueueTest() { std::ignore = start(first_); }

    OwnedParts world_{plain_setup()};
    PipelineCall first_ = world_.call({.waiter = 1});
};

TEST_F(PipelineQueueTest, WaitsAtMostTheLongestWait) {
    PipelineCall call = world_.call({.waiter = 2});

    EXPECT_EQ(slot_wait_of(start(call)), clock_.now() + 5s);
    EXPECT_EQ(world_.bulkhead->queued(), 1U);
    EXPECT_EQ(world_.circuit->permits_outstanding(), 1U);
}

TEST_F(PipelineQueueTest, DoesNotWaitBeyondItsDeadline) {
    PipelineCall call = world_.call({.deadline = Deadline::after(clock_.now(), 3s)});

    EXPECT_EQ(slot_wait_of(start(call)), clock_.now() + 3s);
}

TEST_F(PipelineQueueTest, ThePolicysTimeoutRunsInTheQueue) {
    PipelineCall call = world_.call({.waiter = 2});
    ASSERT_EQ(slot_wait_of(start(call)), clock_.now() + 5s);
    const TimePoint started_at = clock_.now();
    clock_.advance(4s);
    ASSERT_EQ(verdict_of(end(first_, answered())).ending, CallEnding::answered);

    ASSERT_EQ(attempt_of(resume(call)).number, 1U);

    EXPECT_EQ(call.deadline(), Deadline::at(started_at + 60s));
}

TEST_F(PipelineQueueTest, ALeavingCallWakesTheNextWhichStartsItsAttempt) {
    PipelineCall call = world_.call({.waiter = 2});
    ASSERT_EQ(slot_wait_of(start(call)), clock_.now() + 5s);
    clock_.advance(2s);

    ASSERT_EQ(verdict_of(end(first_, answered())).ending, CallEnding::answered);
    EXPECT_EQ(world_.waker.woken, std::vector<WaiterId>{2});
    const StartAttempt attempt = attempt_of(resume(call));

    EXPECT_EQ(attempt.number, 1U);
    EXPECT_EQ(attempt.deadline, Deadline::after(clock_.now(), 10s));
    EXPECT_EQ(world_.bulkhead->in_flight(), 1U);
    EXPECT_EQ(world_.circuit->permits_outstanding(), 1U);
}

TEST_F(PipelineQueueTest, KeepsWaitingIfWokenTooEarly) {
    PipelineCall call = world_.call({.waiter = 2});
    const TimePoint until = slot_wait_of(start(call));
    clock_.advance(2s);

    EXPECT_EQ(slot_wait_of(resume(call)), until);
    clock_.advance(3s - 1ns);
    EXPECT_EQ(slot_wait_of(resume(call)), until);
    EXPECT_EQ(world_.bulkhead->queued(), 1U);
}

TEST_F(PipelineQueueTest, IsRefusedAfterTheMaximumWait) {
    PipelineCall call = world_.call({.waiter = 2});
    ASSERT_EQ(slot_wait_of(start(call)), clock_.now() + 5s);
    clock_.advance(5s);

    const CallVerdict verdict = verdict_of(resume(call));

    EXPECT_EQ(verdict.ending, CallEnding::refused);
    EXPECT_EQ(verdict.refusal, (Refusal{RefusalReason::queue_wait_exceeded, std::nullopt}));
    EXPECT_EQ(verdict.retry_after, std::nullopt);
    EXPECT_EQ(world_.bulkhead->queued(), 0U);
    ASSERT_EQ(world_.observer.refusals.size(), 1U);
    EXPECT_EQ(world_.observer.refusals[0].first, "files");
}

TEST_F(PipelineQueueTest, ADeadlineInTheQueueDoesNotCountOnTheCircuit) {
    PipelineCall call = world_.call({.waiter = 2, .deadline = Deadline::after(clock_.now(), 3s)});
    ASSERT_EQ(slot_wait_of(start(call)), clock_.now() + 3s);
    clock_.advance(3s);
    const auto before = testing::fields_of(world_.circuit->status(clock_.now()));

    const CallVerdict verdict = verdict_of(resume(call));

    EXPECT_EQ(verdict.ending, CallEnding::timed_out);
    EXPECT_EQ(verdict.refusal, std::nullopt);
    EXPECT_FALSE(verdict.side_effects_possible);
    EXPECT_EQ(testing::fields_of(world_.circuit->status(clock_.now())), before);
    EXPECT_TRUE(world_.observer.refusals.empty());
    EXPECT_EQ(world_.bulkhead->queued(), 0U);
}

TEST_F(PipelineQueueTest, ASlotGrantedAfterTheDeadlinePassesToTheNext) {
    PipelineCall late = world_.call({.waiter = 2, .deadline = Deadline::after(clock_.now(), 3s)});
    PipelineCall next = world_.call({.waiter = 3});
    ASSERT_EQ(slot_wait_of(start(late)), clock_.now() + 3s);
    ASSERT_EQ(slot_wait_of(start(next)), clock_.now() + 5s);
    clock_.advance(4s);
    ASSERT_EQ(verdict_of(end(first_, answered())).ending, CallEnding::answered);

    EXPECT_EQ(verdict_of(resume(late)).ending, CallEnding::timed_out);

    EXPECT_EQ(world_.waker.woken, (std::vector<WaiterId>{2, 3}));
    EXPECT_EQ(attempt_of(resume(next)).number, 1U);
    EXPECT_EQ(world_.circuit->status(clock_.now()).window.failures, 0U);
}

TEST_F(PipelineQueueTest, ASlotGrantedAfterTheMaximumWaitIsUsed) {
    PipelineCall call = world_.call({.waiter = 2});
    ASSERT_EQ(slot_wait_of(start(call)), clock_.now() + 5s);
    clock_.advance(6s);
    ASSERT_EQ(verdict_of(end(first_, answered())).ending, CallEnding::answered);

    EXPECT_EQ(attempt_of(resume(call)).number, 1U);
}

TEST_F(PipelineQueueTest, AFullQueueRefusesWithoutATime) {
    PipelineCall second = world_.call({.waiter = 2});
    PipelineCall third = world_.call({.waiter = 3});
    PipelineCall fourth = world_.call({.waiter = 4});
    ASSERT_EQ(slot_wait_of(start(second)), clock_.now() + 5s);
    ASSERT_EQ(slot_wait_of(start(third)), clock_.now() + 5s);

    const CallVerdict verdict = verdict_of(start(fourth));

    EXPECT_EQ(verdict.refusal, (Refusal{RefusalReason::queue_full, std::nullopt}));
    ASSERT_EQ(world_.observer.refusals.size(), 1U);
    EXPECT_EQ(world_.observer.refusals[0].first, "files");
    EXPECT_EQ(world_.observer.refusals[0].second, *verdict.refusal);
}

TEST_F(PipelineQueueTest, ACircuitThatOpensDuringTheWaitRefusesAfterTheQueue) {
    PipelineCall waiting = world_.call({.waiter = 2});
    PipelineCall next = world_.call({.waiter = 3});
    ASSERT_EQ(slot_wait_of(start(waiting)), clock_.now() + 5s);
    ASSERT_EQ(slot_wait_of(start(next)), clock_.now() + 5s);
    clock_.advance(1s);
    trip(*world_.circuit, clock_.now());
    clock_.advance(1s);
    ASSERT_EQ(verdict_of(end(first_, answered())).ending, CallEnding::answered);

    const CallVerdict verdict = verdict_of(resume(waiting));

    EXPECT_EQ(verdict.ending, CallEnding::refused);
    EXPECT_EQ(verdict.refusal, (Refusal{RefusalReason::circuit_open, 9s}));
    EXPECT_EQ(verdict.attempts, 0U);
    EXPECT_EQ(world_.waker.woken, (std::vector<WaiterId>{2, 3}));
}

TEST_F(PipelineQueueTest, NoWaiterHoldsAProbe) {
    trip(*world_.circuit, clock_.now());
    clock_.advance(10s);
    PipelineCall call = world_.call({.waiter = 2});

    ASSERT_EQ(slot_wait_of(start(call)), clock_.now() + 5s);

    EXPECT_EQ(world_.circuit->status(clock_.now()).probes_in_flight, 0U);
    EXPECT_EQ(world_.circuit->state(clock_.now()), CircuitState::open);
}

TEST_F(PipelineQueueTest, TheSlotIsHeldDuringTheWaitBeforeARetry) {
    PipelineCall waiting = world_.call({.waiter = 2});
    ASSERT_EQ(slot_wait_of(start(waiting)), clock_.now() + 5s);

    ASSERT_EQ(
        testing::retry_wait_of(end(first_, failed(FailureKind::transient, Delivery::not_sent))),
        clock_.now() + 1s);

    EXPECT_EQ(world_.bulkhead->in_flight(), 1U);
    EXPECT_TRUE(world_.waker.woken.empty());
}

TEST_F(PipelineQueueTest, WithoutAQueueAFullBulkheadRefusesImmediately) {
    PipelineSetup setup = plain_setup();
    setup.bulkhead->max_queue = 0;
    OwnedParts world{setup};
    PipelineCall first = world.call({.waiter = 1});
    PipelineCall second = world.call({.waiter = 2});
    ASSERT_EQ(attempt_of(start(first)).number, 1U);

    EXPECT_EQ(verdict_of(start(second)).refusal,
              (Refusal{RefusalReason::queue_full, std::nullopt}));
}

}  // namespace
}  // namespace holdfast::resilience
