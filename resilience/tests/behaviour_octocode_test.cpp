#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <variant>
#include <vector>

#include "holdfast/resilience/circuit_registry.hpp"
#include "support/circuit_row.hpp"
#include "support/played_pipeline.hpp"
#include "support/preset_figures.hpp"

// The circuits of the preset: their figures, what counts on them, their sweeping and their notices.
// The retries are in behaviour_octocode_retry_test.cpp.

namespace holdfast::resilience {
namespace {

using namespace std::chrono_literals;
namespace octocode = testing::octocode;
using octocode::Category;
using octocode::ErrorClass;
using testing::admitted;
using testing::answered_well;
using testing::call;
using testing::call_times;
using testing::circuit_with;
using testing::expect_circuit_row;
using testing::ManualClock;
using testing::PlayedCall;
using testing::PlayedPipeline;
using testing::refusal_of_call;
using testing::silence;
using testing::trip;

PlayedPipeline github_search() {
    return {octocode::pipeline(Category::github), octocode::circuit("github:search")};
}

AttemptEnd rate_limited() {
    return octocode::ended_by(Category::github, ErrorClass::rate_limited);
}

TEST(OctocodeBehaviourTest, DefaultCircuitOpensAfterThreeFailuresForThirtySeconds) {
    expect_circuit_row(octocode::default_circuit(),
                       {.failures = 3, .successes = 2, .open_for = 30s});
}

TEST(OctocodeBehaviourTest, GithubSearchOpensAfterTwoFailuresForSixtySeconds) {
    expect_circuit_row(octocode::circuit("github:search"),
                       {.failures = 2, .successes = 1, .open_for = 60s});
}

TEST(OctocodeBehaviourTest, GithubContentOpensAfterThreeFailuresForThirtySeconds) {
    expect_circuit_row(octocode::circuit("github:content"),
                       {.failures = 3, .successes = 1, .open_for = 30s});
}

TEST(OctocodeBehaviourTest, GithubPullsOpensAfterThreeFailuresForThirtySeconds) {
    expect_circuit_row(octocode::circuit("github:pulls"),
                       {.failures = 3, .successes = 1, .open_for = 30s});
}

TEST(OctocodeBehaviourTest, LspNavigationOpensAfterThreeFailuresAndClosesAfterTwoSuccesses) {
    expect_circuit_row(octocode::circuit("lsp:navigation"),
                       {.failures = 3, .successes = 2, .open_for = 30s});
}

TEST(OctocodeBehaviourTest, LspHierarchyOpensAfterTwoFailuresAndClosesAfterTwoSuccesses) {
    expect_circuit_row(octocode::circuit("lsp:hierarchy"),
                       {.failures = 2, .successes = 2, .open_for = 30s});
}

TEST(OctocodeBehaviourTest, LocalOpensAfterThreeFailuresForFifteenSeconds) {
    expect_circuit_row(octocode::circuit("local"),
                       {.failures = 3, .successes = 1, .open_for = 15s});
}

TEST(OctocodeBehaviourTest, PackageOpensAfterThreeFailuresForThirtySeconds) {
    expect_circuit_row(octocode::circuit("package"),
                       {.failures = 3, .successes = 1, .open_for = 30s});
}

TEST(OctocodeBehaviourTest, CircuitNamedAfterACategoryHasTheDefaultFigures) {
    ManualClock clock;
    CircuitRegistry registry{{.defaults = octocode::default_circuit()}};
    for (const auto& [name, figures] : octocode::kCircuits) {
        ASSERT_TRUE(registry.configure(name, circuit_with(figures), clock.now()).has_value());
    }

    for (const std::string_view name : {"github", "lsp"}) {
        EXPECT_EQ(registry.get(name, clock.now()).value()->options(), octocode::default_circuit());
    }
    EXPECT_EQ(registry.get("local", clock.now()).value()->options(), octocode::circuit("local"));
}

TEST(OctocodeBehaviourTest, TwoRateLimitedCallsOpenGithubSearch) {
    PlayedPipeline pipeline = github_search();

    pipeline.call(rate_limited());
    EXPECT_EQ(pipeline.state(), CircuitState::closed);
    pipeline.call(rate_limited());

    EXPECT_EQ(pipeline.state(), CircuitState::open);
}

TEST(OctocodeBehaviourTest, ErrorOfEveryClassCountsAsAFailure) {
    for (const auto category :
         {Category::github, Category::lsp, Category::package, Category::local, Category::other}) {
        for (const auto error : octocode::kErrorClasses) {
            PlayedPipeline pipeline{octocode::pipeline(category), octocode::default_circuit()};

            pipeline.call(octocode::ended_by(category, error));

            EXPECT_EQ(pipeline.failure_count(), 1U);
        }
    }
}

TEST(OctocodeBehaviourTest, OneCallIsOneCountHoweverManyAttemptsItTook) {
    PlayedPipeline pipeline{octocode::pipeline(Category::github),
                            octocode::circuit("github:content")};

    for (const std::uint32_t calls : {1U, 2U}) {
        EXPECT_EQ(pipeline.call(rate_limited()).verdict.attempts, 3U);
        EXPECT_EQ(pipeline.failure_count(), calls);
    }
    EXPECT_EQ(pipeline.state(), CircuitState::closed);
    EXPECT_EQ(pipeline.call(rate_limited()).verdict.attempts, 3U);

    EXPECT_EQ(pipeline.state(), CircuitState::open);
}

TEST(OctocodeBehaviourTest, CallThatSucceedsAtItsLastAttemptResetsTheCount) {
    PlayedPipeline pipeline = github_search();
    pipeline.call(rate_limited());

    const PlayedCall call = pipeline.call({{rate_limited()}, {rate_limited()}, {answered_well()}});

    EXPECT_EQ(call.verdict.ending, CallEnding::answered);
    EXPECT_EQ(call.verdict.attempts, 3U);
    EXPECT_EQ(pipeline.failure_count(), 0U);
}

TEST(OctocodeBehaviourTest, TimedOutCallCountsAsOneFailure) {
    PlayedPipeline pipeline = github_search();

    pipeline.call({silence()});
    EXPECT_EQ(pipeline.failure_count(), 1U);
    pipeline.call({silence()});

    EXPECT_EQ(pipeline.state(), CircuitState::open);
}

TEST(OctocodeBehaviourTest, OpenCircuitAnswersImmediatelyWithTheTimeLeft) {
    PlayedPipeline pipeline = github_search();
    pipeline.call_times(2, rate_limited());
    pipeline.clock.advance(22s);

    const PlayedCall call = pipeline.call(answered_well());

    EXPECT_EQ(call.verdict.ending, CallEnding::refused);
    EXPECT_EQ(call.verdict.refusal, (Refusal{RefusalReason::circuit_open, 38s}));
    EXPECT_EQ(call.verdict.retry_after, 38s);
    EXPECT_EQ(call.verdict.attempts, 0U);
    EXPECT_EQ(call.took, 0s);
}

TEST(OctocodeBehaviourTest, HalfOpenCallIsOneProbeThroughAllItsAttempts) {
    PlayedPipeline pipeline = github_search();
    pipeline.call_times(2, rate_limited());
    pipeline.clock.advance(60s);
    PipelineCall probe = pipeline.make_call();

    ASSERT_TRUE(std::holds_alternative<StartAttempt>(probe.start(pipeline.clock.now())));
    const PipelineStep wait = pipeline.end_attempt(probe, rate_limited());
    ASSERT_TRUE(std::holds_alternative<WaitBeforeRetry>(wait));
    const PlayedCall other = pipeline.call(answered_well());
    EXPECT_EQ(other.verdict.refusal, (Refusal{RefusalReason::circuit_probing, 60s}));
    EXPECT_EQ(pipeline.state(), CircuitState::half_open);

    pipeline.clock.advance(1s);
    ASSERT_TRUE(std::holds_alternative<StartAttempt>(probe.resume(pipeline.clock.now())));
    const PipelineStep end = pipeline.end_attempt(probe, answered_well());
    EXPECT_EQ(std::get<CallVerdict>(end).ending, CallEnding::answered);
    EXPECT_EQ(pipeline.state(), CircuitState::closed);
}

TEST(OctocodeBehaviourTest, HalfOpenCallThatFailsReopensAtOnce) {
    PlayedPipeline pipeline{octocode::pipeline(Category::lsp), octocode::circuit("lsp:navigation")};
    const auto error = octocode::ended_by(Category::lsp, ErrorClass::unclassified);
    pipeline.call_times(3, error);
    pipeline.clock.advance(30s);
    pipeline.call(answered_well());
    ASSERT_EQ(pipeline.state(), CircuitState::half_open);

    pipeline.call(error);

    EXPECT_EQ(pipeline.state(), CircuitState::open);
    EXPECT_EQ(pipeline.call(answered_well()).verdict.retry_after, 30s);
}

class OctocodeSweepBehaviourTest : public ::testing::Test {
protected:
    static constexpr std::string_view kName = "github:search";

    OctocodeSweepBehaviourTest() : registry_({.defaults = octocode::default_circuit()}) {
        EXPECT_TRUE(registry_.configure(kName, octocode::circuit(kName), clock_.now()).has_value());
    }

    CircuitBreaker& circuit() { return registry_.get(kName, clock_.now()).value()->breaker(); }

    /// Lets the time pass with a sweep every 15 minutes, and says how many circuits went.
    std::size_t sweep_for(Duration time) {
        std::size_t swept = 0;
        for (Duration passed = 15min; passed <= time; passed += 15min) {
            clock_.advance(15min);
            swept += registry_.sweep(clock_.now());
        }
        return swept;
    }

    ManualClock clock_;
    CircuitRegistry registry_;
};

TEST_F(OctocodeSweepBehaviourTest, ClosedCircuitGoesAfterAnHourUntouched) {
    call(circuit(), Outcome::success, clock_.now());

    EXPECT_EQ(sweep_for(45min), 0U);
    EXPECT_EQ(registry_.size(), 1U);
    EXPECT_EQ(sweep_for(15min), 1U);

    EXPECT_EQ(registry_.size(), 0U);
    EXPECT_EQ(registry_.swept_total(), 1U);
}

TEST_F(OctocodeSweepBehaviourTest, CircuitInUseStays) {
    for (int quarter = 0; quarter < 20; ++quarter) {
        call(circuit(), Outcome::success, clock_.now());
        EXPECT_EQ(sweep_for(15min), 0U);
    }
}

TEST_F(OctocodeSweepBehaviourTest, CircuitWithACallInFlightStays) {
    auto permit = admitted(circuit(), clock_.now());

    EXPECT_EQ(sweep_for(3h), 0U);

    permit.settle(Outcome::success, clock_.now());
    EXPECT_EQ(sweep_for(1h), 1U);
}

TEST_F(OctocodeSweepBehaviourTest, OpenAndHalfOpenCircuitsStay) {
    trip(circuit(), clock_.now());
    EXPECT_EQ(sweep_for(3h), 0U);

    admitted(circuit(), clock_.now()).drop();
    ASSERT_EQ(circuit().state(clock_.now()), CircuitState::half_open);
    EXPECT_EQ(sweep_for(3h), 0U);
}

TEST_F(OctocodeSweepBehaviourTest, SweptCircuitComesBackWithItsConfiguredFigures) {
    call(circuit(), Outcome::success, clock_.now());
    ASSERT_EQ(sweep_for(1h), 1U);

    call_times(circuit(), 2, Outcome::failure, clock_.now());

    EXPECT_EQ(refusal_of_call(circuit(), clock_.now()),
              (Refusal{RefusalReason::circuit_open, 60s}));
}

TEST_F(OctocodeSweepBehaviourTest, HandleOfASweptCircuitKeepsItsConfiguredFigures) {
    const CircuitHandle handle = registry_.get(kName, clock_.now()).value();
    call(handle->breaker(), Outcome::success, clock_.now());
    ASSERT_EQ(sweep_for(1h), 1U);

    call_times(handle->breaker(), 2, Outcome::failure, clock_.now());

    EXPECT_EQ(refusal_of_call(handle->breaker(), clock_.now()),
              (Refusal{RefusalReason::circuit_open, 60s}));
    EXPECT_EQ(&handle->breaker(), &circuit());
}

TEST(OctocodeBehaviourTest, EveryChangeOfACircuitIsTold) {
    PlayedPipeline pipeline = github_search();
    const auto error = octocode::ended_by(Category::github, ErrorClass::unclassified);

    pipeline.call_times(2, error);  // opens
    pipeline.clock.advance(60s);
    pipeline.call(error);  // half-open, reopens
    pipeline.clock.advance(60s);
    pipeline.call(answered_well());  // half-open, closes

    const auto& told = pipeline.observer.transitions;
    ASSERT_EQ(told.size(), 5U);
    const std::vector<CircuitState> states{told[0].second.to, told[1].second.to, told[2].second.to,
                                           told[3].second.to, told[4].second.to};
    EXPECT_EQ(states, (std::vector{CircuitState::open, CircuitState::half_open, CircuitState::open,
                                   CircuitState::half_open, CircuitState::closed}));
    EXPECT_EQ(told[0].first, "circuit");
    EXPECT_EQ(told[0].second.cause, TransitionCause::consecutive_failures);
    EXPECT_EQ(told[0].second.consecutive_failures, 2U);
    EXPECT_EQ(told[0].second.open_for, 60s);
    EXPECT_EQ(told[2].second.cause, TransitionCause::probe_failed);
    EXPECT_EQ(told[2].second.open_for, 60s);
    EXPECT_EQ(told[4].second.cause, TransitionCause::probes_succeeded);
}

TEST(OctocodeBehaviourTest, EveryRefusalIsToldOnceWithTheTimeLeft) {
    PlayedPipeline pipeline = github_search();
    pipeline.call_times(2, octocode::ended_by(Category::github, ErrorClass::unclassified));

    pipeline.call(answered_well());
    pipeline.clock.advance(45s);
    pipeline.call(answered_well());

    ASSERT_EQ(pipeline.observer.refusals.size(), 2U);
    EXPECT_EQ(pipeline.observer.refusals[0].first, "circuit");
    EXPECT_EQ(pipeline.observer.refusals[0].second.retry_after, 60s);
    EXPECT_EQ(pipeline.observer.refusals[1].second.retry_after, 15s);
}

}  // namespace
}  // namespace holdfast::resilience
