#include "holdfast/resilience/asio/asio_pipeline.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/recording_observer.hpp"
#include "virtual_loop.hpp"

namespace holdfast::resilience {
namespace {

using namespace std::chrono_literals;
using testing::RunningCall;
using testing::VirtualLoop;

using Reply = AttemptReply<std::string>;
using Call = RunningCall<std::string>;

/// A downstream in virtual time: attempt n follows the n-th script; the last one repeats.
struct Script {
    Duration takes = Duration::zero();
    std::optional<AttemptFailure> failure = std::nullopt;
    bool throws = false;
    Delivery delivery = Delivery::sent;
};

struct Downstream {
    VirtualLoop* loop;
    std::vector<Script> scripts;
    std::vector<TimePoint> starts = {};
    std::uint32_t finished = 0;
    std::uint32_t cut_off = 0;
};

boost::asio::awaitable<Reply> answer(std::shared_ptr<Downstream> downstream,
                                     AttemptContext context) {
    const std::size_t index = downstream->starts.size();
    const Script script = downstream->scripts[std::min(index, downstream->scripts.size() - 1)];
    downstream->starts.push_back(downstream->loop->timekeeper.now());
    context.set_delivery(script.delivery);
    OneShot work{downstream->loop->timekeeper};
    const auto reason = co_await work.wait_until(downstream->loop->timekeeper.now() + script.takes);
    if (reason == WakeReason::cancelled) {
        ++downstream->cut_off;
        co_return Reply{.value = "too late", .end = {}};
    }
    ++downstream->finished;
    if (script.throws) {
        throw std::runtime_error{"the library below us threw"};
    }
    const Outcome outcome = script.failure ? Outcome::failure : Outcome::success;
    co_return Reply{.value = "answer " + std::to_string(context.number()),
                    .end = {.outcome = outcome, .failure = script.failure}};
}

class AsioPipelineTest : public ::testing::Test {
protected:
    std::shared_ptr<Downstream> downstream(std::vector<Script> scripts) {
        return std::make_shared<Downstream>(
            Downstream{.loop = &loop, .scripts = std::move(scripts)});
    }

    Call call(const std::shared_ptr<AsioPipeline>& pipeline,
              const std::shared_ptr<Downstream>& target, CallTraits traits = {}) {
        return Call{loop, pipeline, traits, [target](AttemptContext context) {
                        return answer(target, std::move(context));
                    }};
    }

    static CircuitStatus circuit_of(const std::shared_ptr<AsioPipeline>& pipeline, TimePoint now) {
        return pipeline->shared().with(
            [now](const PipelineParts& parts) { return parts.circuit->status(now); });
    }

    static PipelineSetup setup() {
        BackoffOptions steady{.base = 1s, .multiplier = 2, .cap = 10s, .jitter = Jitter::none};
        return {.name = "test",
                .options = {.timeout = 60s,
                            .attempt_timeout = 10s,
                            .retry = {.max_attempts = 3, .transient = steady, .throttled = steady}},
                .circuit = CircuitBreakerOptions{.failure_threshold = 2,
                                                 .failure_rate = std::nullopt,
                                                 .open_for = 30s,
                                                 .open_growth = 1.0,
                                                 .open_jitter = 0.0},
                .bulkhead = BulkheadOptions{.max_in_flight = 1, .max_queue = 1, .max_wait = 5s}};
    }

    VirtualLoop loop;
};

TEST_F(AsioPipelineTest, PassesOnTheAnswerOfTheFirstAttempt) {
    const auto pipeline = AsioPipeline::make(setup());
    const auto target = downstream({{.takes = 3s}});

    const auto running = call(pipeline, target);
    loop.run_all();

    ASSERT_TRUE(running.has_ended());
    EXPECT_EQ(running.reply().verdict.ending, CallEnding::answered);
    EXPECT_EQ(running.reply().value, "answer 1");
    EXPECT_EQ(circuit_of(pipeline, loop.timekeeper.now()).permits_outstanding, 0U);
}

TEST_F(AsioPipelineTest, RetriesAfterTheBackoffAndNotBefore) {
    const auto pipeline = AsioPipeline::make(setup());
    const auto target =
        downstream({{.failure = AttemptFailure{}}, {.failure = AttemptFailure{}}, {}});
    const TimePoint start = loop.timekeeper.now();

    const auto running = call(pipeline, target, {.safe_to_repeat = true});
    loop.run_all();

    ASSERT_TRUE(running.has_ended());
    EXPECT_EQ(running.reply().value, "answer 3");
    EXPECT_EQ(target->starts, (std::vector{start, start + 1s, start + 3s}));
}

TEST_F(AsioPipelineTest, CutsAnAttemptOffAtItsTimeoutWithoutWaitingForIt) {
    const auto pipeline = AsioPipeline::make(setup());
    const auto target = downstream({{.takes = 100h}});
    const TimePoint start = loop.timekeeper.now();

    const auto running = call(pipeline, target);
    loop.run_until(start + 10s - 1ns);
    EXPECT_FALSE(running.has_ended());
    loop.run_until(start + 10s);

    ASSERT_TRUE(running.has_ended());
    EXPECT_EQ(running.reply().verdict.ending, CallEnding::failed);
    EXPECT_EQ(running.reply().verdict.stop, RetryStop::unsafe_repeat);
    EXPECT_TRUE(running.reply().verdict.side_effects_possible);
    EXPECT_EQ(running.reply().value, std::nullopt);
    EXPECT_EQ(target->cut_off, 1U);
    EXPECT_EQ(circuit_of(pipeline, loop.timekeeper.now()).consecutive_failures, 1U);
}

TEST_F(AsioPipelineTest, RepeatsACutOffAttemptThatWasNeverSent) {
    const auto pipeline = AsioPipeline::make(setup());
    const auto target = downstream({{.takes = 100h, .delivery = Delivery::not_sent}, {}});

    const auto running = call(pipeline, target);
    loop.run_all();

    ASSERT_TRUE(running.has_ended());
    EXPECT_EQ(running.reply().value, "answer 2");
    EXPECT_FALSE(running.reply().verdict.side_effects_possible);
}

TEST_F(AsioPipelineTest, TurnsAnExceptionIntoAFailure) {
    const auto pipeline = AsioPipeline::make(setup());
    const auto target = downstream({{.throws = true}});

    const auto running = call(pipeline, target);
    loop.run_all();

    ASSERT_TRUE(running.has_ended());
    EXPECT_EQ(running.reply().verdict.ending, CallEnding::failed);
    EXPECT_TRUE(running.reply().exception != nullptr);
}

TEST_F(AsioPipelineTest, ServesTheQueueInOrderWhenASlotIsFree) {
    const auto pipeline = AsioPipeline::make(setup());
    const auto target = downstream({{.takes = 2s}});
    const TimePoint start = loop.timekeeper.now();

    const auto first = call(pipeline, target);
    loop.settle();
    const auto second = call(pipeline, target);
    loop.settle();
    const auto third = call(pipeline, target);
    loop.run_all();

    ASSERT_TRUE(first.has_ended() && second.has_ended() && third.has_ended());
    EXPECT_EQ(target->starts, (std::vector{start, start + 2s}));
    EXPECT_EQ(second.reply().verdict.ending, CallEnding::answered);
    EXPECT_EQ(third.reply().verdict.refusal->reason, RefusalReason::queue_full);
}

TEST_F(AsioPipelineTest, RefusesAWaiterAfterItsMaximumWait) {
    const auto pipeline = AsioPipeline::make(setup());
    const auto target = downstream({{.takes = 9s}});
    const TimePoint start = loop.timekeeper.now();

    const auto first = call(pipeline, target);
    loop.settle();
    const auto second = call(pipeline, target);
    loop.run_until(start + 5s);

    ASSERT_TRUE(second.has_ended());
    EXPECT_EQ(second.reply().verdict.refusal->reason, RefusalReason::queue_wait_exceeded);
    loop.run_all();
    EXPECT_EQ(first.reply().verdict.ending, CallEnding::answered);
}

TEST_F(AsioPipelineTest, RefusesWithTheTimeLeftWhileTheCircuitIsOpen) {
    testing::RecordingObserver observer;
    const auto pipeline = AsioPipeline::make(setup(), &observer);
    const auto target = downstream({{.failure = AttemptFailure{.kind = FailureKind::permanent}}});
    for (int round = 0; round < 2; ++round) {
        const auto failing = call(pipeline, target);
        loop.run_all();
    }
    loop.run_for(12s);

    const auto refused = call(pipeline, target);
    loop.settle();

    ASSERT_TRUE(refused.has_ended());
    EXPECT_EQ(refused.reply().verdict.ending, CallEnding::refused);
    EXPECT_EQ(refused.reply().verdict.retry_after, 18s);
    EXPECT_EQ(target->starts.size(), 2U);
    ASSERT_EQ(observer.transitions.size(), 1U);
    ASSERT_EQ(observer.refusals.size(), 1U);
}

/// Runs a call that queues behind another, is cut off once, waits, and succeeds; cancels it at the
/// n-th instant at which anything happens.
TEST_F(AsioPipelineTest, LeavesNoTraceWhenCancelledAtAnyPoint) {
    for (int stop_after = 0; stop_after < 8; ++stop_after) {
        SCOPED_TRACE(stop_after);
        VirtualLoop own_loop;
        const auto pipeline = AsioPipeline::make(setup());
        const auto blocker =
            std::make_shared<Downstream>(Downstream{.loop = &own_loop, .scripts = {{.takes = 1s}}});
        const auto target = std::make_shared<Downstream>(
            Downstream{.loop = &own_loop, .scripts = {{.takes = 100h}, {.takes = 1s}}});
        const Call first{own_loop, pipeline, {}, [blocker](AttemptContext context) {
                             return answer(blocker, std::move(context));
                         }};
        own_loop.settle();
        Call cancelled{
            own_loop, pipeline, {.safe_to_repeat = true}, [target](AttemptContext context) {
                return answer(target, std::move(context));
            }};
        own_loop.settle();
        for (int step = 0; step < stop_after && own_loop.timekeeper.next(); ++step) {
            own_loop.timekeeper.advance_to(*own_loop.timekeeper.next());
            own_loop.settle();
        }
        const bool was_over = cancelled.has_ended();

        cancelled.cancel();
        own_loop.settle();

        ASSERT_TRUE(cancelled.has_ended()) << "the answer must not wait for anything";
        if (!was_over) {
            EXPECT_EQ(cancelled.reply().verdict.ending, CallEnding::cancelled);
        }
        own_loop.run_all();
        EXPECT_EQ(first.reply().verdict.ending, CallEnding::answered);
        const TimePoint now = own_loop.timekeeper.now();
        pipeline->shared().with([now](const PipelineParts& parts) {
            EXPECT_EQ(parts.bulkhead->in_flight(), 0U);
            EXPECT_EQ(parts.bulkhead->queued(), 0U);
            EXPECT_EQ(parts.circuit->permits_outstanding(), 0U);
            EXPECT_EQ(parts.circuit->status(now).consecutive_failures, 0U);
            const TimePoint later = now + parts.budget->options().window;
            EXPECT_EQ(parts.budget->available(later), parts.budget->options().floor);
        });
    }
}

TEST_F(AsioPipelineTest, MayBeDestroyedWithCallsInFlight) {
    const auto target = downstream({{.takes = 100h}});
    {
        VirtualLoop doomed;
        target->loop = &doomed;
        const auto pipeline = AsioPipeline::make(setup());
        const Call first{doomed, pipeline, {}, [target](AttemptContext context) {
                             return answer(target, std::move(context));
                         }};
        const Call second{doomed, pipeline, {}, [target](AttemptContext context) {
                              return answer(target, std::move(context));
                          }};
        doomed.settle();
        EXPECT_EQ(target->starts.size(), 1U);
    }
    EXPECT_EQ(target->finished, 0U);
}

}  // namespace
}  // namespace holdfast::resilience
