#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <optional>
#include <string>
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

class PipelineCacheTest : public testing::PipelineFixture {};

TEST_F(PipelineCacheTest, AFreshValueIsReturnedWithoutAnAttempt) {
    struct Row {
        Duration fresh_for;
        std::optional<Duration> age;
        bool is_fresh;
    };
    for (const Row& row :
         {Row{0s, std::nullopt, false}, Row{0s, 0s, false}, Row{5s, std::nullopt, false},
          Row{5s, 0s, true}, Row{5s, 5s, true}, Row{5s, 5s + 1ns, false}}) {
        PipelineSetup setup = plain_setup();
        setup.options.fresh_for = row.fresh_for;
        OwnedParts world{setup};
        PipelineCall call = world.call({.cached_age = row.age});

        const PipelineStep step = start(call);

        ASSERT_EQ(std::holds_alternative<CallVerdict>(step), row.is_fresh);
        if (row.is_fresh) {
            EXPECT_EQ(verdict_of(step).ending, CallEnding::cached);
            EXPECT_EQ(verdict_of(step).stale_age, std::nullopt);
            EXPECT_EQ(verdict_of(step).attempts, 0U);
        } else {
            EXPECT_EQ(attempt_of(step).number, 1U);
        }
    }
}

TEST_F(PipelineCacheTest, AFreshValueIsReturnedInAnyStateOfTheDownstream) {
    PipelineSetup setup = plain_setup();
    setup.options.fresh_for = 5s;
    OwnedParts world{setup};
    trip(*world.circuit, clock_.now());
    PipelineCall call = world.call({.cached_age = 1s});

    EXPECT_EQ(verdict_of(start(call)).ending, CallEnding::cached);
    EXPECT_TRUE(world.observer.refusals.empty());
}

TEST_F(PipelineCacheTest, AStaleValueMayReplaceAFailureUpToItsAge) {
    struct Row {
        Duration stale_for;
        std::optional<Duration> age;
        bool may_replace;
    };
    for (const Row& row :
         {Row{0s, std::nullopt, false}, Row{0s, 0s, false}, Row{1h, std::nullopt, false},
          Row{1h, 30min, true}, Row{1h, 1h, true}, Row{1h, 1h + 1ns, false}}) {
        PipelineSetup setup = plain_setup();
        setup.options.stale_for = row.stale_for;
        OwnedParts world{setup};
        trip(*world.circuit, clock_.now());
        PipelineCall call = world.call({.cached_age = row.age});

        const CallVerdict verdict = verdict_of(start(call));

        EXPECT_EQ(verdict.ending, CallEnding::refused);
        EXPECT_EQ(verdict.stale_age, row.may_replace ? row.age : std::nullopt);
    }
}

/// Every ending, reached with a cached value of ten minutes that may replace a failure for an hour.
struct Ending {
    std::string name;
    CallEnding ending;
    bool may_replace;
    std::function<CallVerdict(OwnedParts&, TimePoint)> reach;
};

const CallTraits kWithValue{.safe_to_repeat = true, .cached_age = 10min};

PipelineCall started(OwnedParts& world, TimePoint now) {
    PipelineCall call = world.call(kWithValue);
    EXPECT_EQ(attempt_of(call.start(now)).number, 1U);
    return call;
}

CallVerdict ended(OwnedParts& world, TimePoint now, const AttemptEnd& how, TimePoint at) {
    std::mt19937_64 random{1};
    PipelineCall call = started(world, now);
    return verdict_of(call.on_attempt_end(how, at, random));
}

std::vector<Ending> all_endings() {
    return {
        {"answered", CallEnding::answered, false,
         [](OwnedParts& world, TimePoint now) { return ended(world, now, answered(), now); }},
        {"answered with a failure of the downstream", CallEnding::answered, false,
         [](OwnedParts& world, TimePoint now) {
             return ended(world, now, answered(Outcome::failure), now);
         }},
        {"failed", CallEnding::failed, true,
         [](OwnedParts& world, TimePoint now) {
             return ended(world, now, failed(FailureKind::permanent), now);
         }},
        {"timed out in an attempt", CallEnding::timed_out, true,
         [](OwnedParts& world, TimePoint now) { return ended(world, now, failed(), now + 60s); }},
        {"timed out in the queue", CallEnding::timed_out, true,
         [](OwnedParts& world, TimePoint now) {
             PipelineCall first = started(world, now);
             CallTraits traits = kWithValue;
             traits.deadline = Deadline::after(now, 1s);
             PipelineCall call = world.call(traits);
             EXPECT_EQ(slot_wait_of(call.start(now)), now + 1s);
             return verdict_of(call.resume(now + 1s));
         }},
        {"waited too long in the queue", CallEnding::refused, true,
         [](OwnedParts& world, TimePoint now) {
             PipelineCall first = started(world, now);
             PipelineCall call = world.call(kWithValue);
             EXPECT_EQ(slot_wait_of(call.start(now)), now + 5s);
             return verdict_of(call.resume(now + 5s));
         }},
        {"refused by the circuit", CallEnding::refused, true,
         [](OwnedParts& world, TimePoint now) {
             trip(*world.circuit, now);
             PipelineCall call = world.call(kWithValue);
             return verdict_of(call.start(now));
         }},
        {"cancelled", CallEnding::cancelled, false,
         [](OwnedParts& world, TimePoint now) { return started(world, now).cancel(); }},
    };
}

TEST_F(PipelineCacheTest, AStaleValueCoversFailuresRefusalsAndTimeoutsButNeverAnAnswer) {
    for (const Ending& row : all_endings()) {
        SCOPED_TRACE(row.name);
        PipelineSetup setup = plain_setup();
        setup.options.stale_for = 1h;
        OwnedParts world{setup};

        const CallVerdict verdict = row.reach(world, clock_.now());

        EXPECT_EQ(verdict.ending, row.ending);
        EXPECT_EQ(verdict.stale_age,
                  row.may_replace ? std::optional<Duration>{10min} : std::nullopt);
    }
}

}  // namespace
}  // namespace holdfast::resilience
