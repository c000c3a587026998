// A call that is cancelled or destroyed at every possible point. Each row brings one call to such a
// point. The result is compared with a twin world in which only irreversible things were done: a
// permit of the rate limiter, and what was really sent.

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "holdfast/resilience/pipeline.hpp"
#include "support/pipeline_tools.hpp"

namespace holdfast::resilience {
namespace {

using namespace std::chrono_literals;
using testing::answered;
using testing::attempt_of;
using testing::failed;
using testing::fields_of;
using testing::OwnedParts;
using testing::plain_setup;
using testing::retry_wait_of;
using testing::slot_wait_of;
using testing::trip;
using testing::verdict_of;

PipelineSetup setup_with_all_parts(CircuitCounts counts) {
    PipelineSetup setup = plain_setup();
    setup.options.counts = counts;
    setup.limiter = RateLimiterOptions{.permits = 1, .per = 1s, .burst = 5};
    setup.budget = RetryBudgetOptions{.ratio = 1.0, .window = 1000s, .floor = 2};
    return setup;
}

/// A world whose only slot is taken by another call if the test needs to wait.
struct Scene {
    explicit Scene(CircuitCounts counts) : world(setup_with_all_parts(counts)) {}

    void take_slot() { slot.emplace(world.bulkhead->enter(9, Deadline::never(), now)); }
    void leave_slot() { slot.reset(); }
    void let_pass(Duration time) { now += time; }

    [[nodiscard]] auto look() const {
        return std::tuple{fields_of(world.circuit->status(now)), world.bulkhead->in_flight(),
                          world.bulkhead->queued(), world.budget->available(now),
                          world.limiter->wait_at(now).value_or(0s)};
    }

    TimePoint now{1000h};
    std::mt19937_64 random{1};
    OwnedParts world;
    std::optional<Bulkhead::Admission> slot;
};

/// `reach` brings the call to the point; `keep` does to the twin what cannot be undone.
struct Point {
    std::string name;
    std::function<void(Scene&, PipelineCall&)> reach;
    std::function<void(Scene&)> keep;
};

void take_from_limiter(Scene& scene) {
    ASSERT_FALSE(scene.world.limiter->try_take(scene.now));
}

void count_call(Scene& scene) {
    take_from_limiter(scene);
    scene.world.budget->on_call(scene.now);
}

void fail_first_attempt(Scene& scene, PipelineCall& call) {
    ASSERT_EQ(attempt_of(call.start(scene.now)).number, 1U);
    ASSERT_EQ(retry_wait_of(call.on_attempt_end(failed(), scene.now, scene.random)),
              scene.now + 1s);
}

/// One failed attempt counts on the circuit if attempts are counted, and nothing if calls are.
void keep_first_attempt(Scene& scene) {
    count_call(scene);
    if (scene.world.policy.options().counts == CircuitCounts::attempt) {
        testing::call(*scene.world.circuit, Outcome::failure, scene.now);
    }
}

std::vector<Point> all_points() {
    return {
        {"before the start", [](Scene&, PipelineCall&) {}, [](Scene&) {}},
        {"in the queue",
         [](Scene& scene, PipelineCall& call) {
             scene.take_slot();
             ASSERT_EQ(slot_wait_of(call.start(scene.now)), scene.now + 5s);
         },
         [](Scene& scene) {
             scene.take_slot();
             take_from_limiter(scene);
         }},
        {"granted, but not resumed",
         [](Scene& scene, PipelineCall& call) {
             scene.take_slot();
             ASSERT_EQ(slot_wait_of(call.start(scene.now)), scene.now + 5s);
             scene.leave_slot();
         },
         take_from_limiter},
        {"in the first attempt",
         [](Scene& scene, PipelineCall& call) {
             ASSERT_EQ(attempt_of(call.start(scene.now)).number, 1U);
         },
         count_call},
        {"in the first attempt after the queue",
         [](Scene& scene, PipelineCall& call) {
             scene.take_slot();
             ASSERT_EQ(slot_wait_of(call.start(scene.now)), scene.now + 5s);
             scene.leave_slot();
             ASSERT_EQ(attempt_of(call.resume(scene.now)).number, 1U);
         },
         count_call},
        {"before the retry", fail_first_attempt, keep_first_attempt},
        {"in the retry",
         [](Scene& scene, PipelineCall& call) {
             fail_first_attempt(scene, call);
             scene.let_pass(1s);
             ASSERT_EQ(attempt_of(call.resume(scene.now)).number, 2U);
         },
         [](Scene& scene) {
             keep_first_attempt(scene);
             scene.let_pass(1s);
             scene.world.budget->try_hold(scene.now)->spend(scene.now);
         }},
        {"in a probe",
         [](Scene& scene, PipelineCall& call) {
             trip(*scene.world.circuit, scene.now);
             scene.let_pass(10s);
             ASSERT_EQ(attempt_of(call.start(scene.now)).number, 1U);
             ASSERT_EQ(scene.world.circuit->status(scene.now).probes_in_flight, 1U);
         },
         [](Scene& scene) {
             trip(*scene.world.circuit, scene.now);
             scene.let_pass(10s);
             count_call(scene);
             testing::admitted(*scene.world.circuit, scene.now).drop();
         }},
        {"after the verdict",
         [](Scene& scene, PipelineCall& call) {
             ASSERT_EQ(attempt_of(call.start(scene.now)).number, 1U);
             ASSERT_EQ(verdict_of(call.on_attempt_end(answered(), scene.now, scene.random)).ending,
                       CallEnding::answered);
         },
         [](Scene& scene) {
             count_call(scene);
             testing::call(*scene.world.circuit, Outcome::success, scene.now);
         }},
    };
}

enum class Way { cancel, destroy, cancel_then_destroy };

std::string text_of(Way way) {
    switch (way) {
        case Way::cancel:
            return "Cancelled";
        case Way::destroy:
            return "Destroyed";
        case Way::cancel_then_destroy:
            break;
    }
    return "CancelledThenDestroyed";
}

std::string name_of_case(const ::testing::TestParamInfo<std::tuple<CircuitCounts, Way>>& info) {
    const auto& [counts, way] = info.param;
    return (counts == CircuitCounts::call ? "CountingCalls" : "CountingAttempts") + text_of(way);
}

class PipelineCancelTest : public ::testing::TestWithParam<std::tuple<CircuitCounts, Way>> {};

TEST_P(PipelineCancelTest, LeavesNoTraceAtAnyPoint) {
    const auto& [counts, way] = GetParam();
    for (const Point& point : all_points()) {
        SCOPED_TRACE(point.name);
        Scene scene{counts};
        Scene twin{counts};
        std::optional<PipelineCall> call;
        call.emplace(scene.world.policy, scene.world.parts(),
                     CallTraits{.waiter = 1, .safe_to_repeat = true});
        point.reach(scene, *call);
        point.keep(twin);
        ASSERT_FALSE(HasFatalFailure());

        if (way != Way::destroy) {
            const std::uint32_t attempts = call->attempts();
            const CallVerdict verdict = call->cancel();
            EXPECT_EQ(verdict.ending, CallEnding::cancelled);
            EXPECT_EQ(verdict.stop, RetryStop::cancelled);
            EXPECT_EQ(verdict.attempts, attempts);
            EXPECT_EQ(verdict.stale_age, std::nullopt);
        }
        if (way != Way::cancel) {
            call.reset();
        }

        EXPECT_EQ(scene.look(), twin.look());
        scene.leave_slot();
        twin.leave_slot();
        EXPECT_EQ(scene.look(), twin.look());
        EXPECT_TRUE(scene.world.observer.refusals.empty());
    }
}

INSTANTIATE_TEST_SUITE_P(
    EveryWay, PipelineCancelTest,
    ::testing::Combine(::testing::Values(CircuitCounts::call, CircuitCounts::attempt),
                       ::testing::Values(Way::cancel, Way::destroy, Way::cancel_then_destroy)),
    name_of_case);

TEST(PipelineCancelVerdictTest, ARunningAttemptMayHaveTakenEffectUnlessItIsSafe) {
    for (const bool safe : {false, true}) {
        Scene scene{CircuitCounts::call};
        PipelineCall call{scene.world.policy, scene.world.parts(), {.safe_to_repeat = safe}};
        ASSERT_EQ(attempt_of(call.start(scene.now)).number, 1U);

        EXPECT_EQ(call.cancel().side_effects_possible, !safe);
    }
}

TEST(PipelineCancelOrderTest, AWaiterThatLeavesDoesNotBlockTheNext) {
    Scene scene{CircuitCounts::call};
    scene.take_slot();
    PipelineCall leaving = scene.world.call({.waiter = 1});
    PipelineCall staying = scene.world.call({.waiter = 2});
    ASSERT_EQ(slot_wait_of(leaving.start(scene.now)), scene.now + 5s);
    ASSERT_EQ(slot_wait_of(staying.start(scene.now)), scene.now + 5s);
    scene.leave_slot();
    ASSERT_EQ(scene.world.waker.woken, std::vector<WaiterId>{1});

    std::ignore = leaving.cancel();

    EXPECT_EQ(scene.world.waker.woken, (std::vector<WaiterId>{1, 2}));
    EXPECT_EQ(attempt_of(staying.resume(scene.now)).number, 1U);
}

}  // namespace
}  // namespace holdfast::resilience
