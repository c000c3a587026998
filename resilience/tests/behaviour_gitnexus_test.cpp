#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <random>
#include <variant>
#include <vector>

#include "holdfast/resilience/backoff.hpp"
#include "holdfast/resilience/retry_sequence.hpp"
#include "support/circuit_row.hpp"
#include "support/played_pipeline.hpp"
#include "support/preset_figures.hpp"
#include "support/seeds.hpp"

// Tools behind a bridge: two tiers of timeouts, no retries, one circuit, and a reconnect that backs
// off. Each test states the figures of its row of the preset's table by itself; the options come
// from preset_figures.hpp.

namespace holdfast::resilience {
namespace {

using namespace std::chrono_literals;
namespace gitnexus = testing::gitnexus;
using testing::answered_well;
using testing::CircuitFigures;
using testing::expect_closes_after_successes;
using testing::expect_failed_probe_reopens;
using testing::expect_limits_the_probes;
using testing::expect_opens_after_failures_in_a_row;
using testing::expect_stays_open_and_says_the_time_left;
using testing::failed_with;
using testing::for_each_seed;
using testing::ManualClock;
using testing::PlayedCall;
using testing::PlayedPipeline;
using testing::silence;

constexpr CircuitFigures kCircuitRow{.failures = 5, .successes = 1, .open_for = 30s};

AttemptEnd connection_lost() {
    return failed_with({.kind = FailureKind::transient, .delivery = Delivery::sent});
}

TEST(GitNexusBehaviourTest, QuickToolRunsOutOfTimeAfterSixtySeconds) {
    PlayedPipeline pipeline{gitnexus::quick(), gitnexus::circuit()};

    const PlayedCall call = pipeline.call({silence()});

    EXPECT_EQ(call.verdict.ending, CallEnding::timed_out);
    EXPECT_EQ(call.took, 60s);
    EXPECT_EQ(call.limits, std::vector<Duration>{60s});
}

TEST(GitNexusBehaviourTest, HeavyToolRunsOutOfTimeAfterHundredAndTwentySeconds) {
    PlayedPipeline pipeline{gitnexus::heavy(), gitnexus::circuit()};

    const PlayedCall call = pipeline.call({silence()});

    EXPECT_EQ(call.verdict.ending, CallEnding::timed_out);
    EXPECT_EQ(call.took, 120s);
    EXPECT_EQ(call.limits, std::vector<Duration>{120s});
}

TEST(GitNexusBehaviourTest, AnswerJustInTimeIsGiven) {
    for (const auto& options : {gitnexus::quick(), gitnexus::heavy()}) {
        PlayedPipeline pipeline{options, gitnexus::circuit()};

        const PlayedCall call = pipeline.call({{.after = options.timeout - Duration{1}}});

        EXPECT_EQ(call.verdict.ending, CallEnding::answered);
        EXPECT_EQ(pipeline.failure_count(), 0U);
    }
}

TEST(GitNexusBehaviourTest, CallThatRanOutOfTimeHoldsNothing) {
    PlayedPipeline pipeline{gitnexus::quick(), gitnexus::circuit()};

    pipeline.call({silence()});

    EXPECT_EQ(pipeline.circuit.permits_outstanding(), 0U);
    EXPECT_TRUE(pipeline.observer.retries.empty());
}

TEST(GitNexusBehaviourTest, FailedCallIsNotRetried) {
    PlayedPipeline pipeline{gitnexus::quick(), gitnexus::circuit()};

    const PlayedCall call = pipeline.call(connection_lost());

    EXPECT_EQ(call.verdict.ending, CallEnding::failed);
    EXPECT_EQ(call.verdict.stop, RetryStop::attempts_used_up);
    EXPECT_EQ(call.verdict.attempts, 1U);
    EXPECT_TRUE(pipeline.observer.retries.empty());
}

TEST(GitNexusBehaviourTest, CircuitOpensAfterFiveFailuresInARow) {
    expect_opens_after_failures_in_a_row(gitnexus::circuit(), kCircuitRow);
}

TEST(GitNexusBehaviourTest, CircuitStaysOpenForThirtySeconds) {
    expect_stays_open_and_says_the_time_left(gitnexus::circuit(), kCircuitRow);
}

TEST(GitNexusBehaviourTest, HalfOpenCircuitLetsOneTestCallThrough) {
    expect_limits_the_probes(gitnexus::circuit(), kCircuitRow);
}

TEST(GitNexusBehaviourTest, OneSuccessClosesTheHalfOpenCircuit) {
    expect_closes_after_successes(gitnexus::circuit(), kCircuitRow);
}

TEST(GitNexusBehaviourTest, FailedTestCallReopensForThirtySeconds) {
    expect_failed_probe_reopens(gitnexus::circuit(), kCircuitRow);
}

TEST(GitNexusBehaviourTest, TimeoutsOpenTheCircuit) {
    PlayedPipeline pipeline{gitnexus::quick(), gitnexus::circuit()};

    for (int call = 1; call <= 5; ++call) {
        EXPECT_EQ(pipeline.state(), CircuitState::closed) << call;
        pipeline.call({silence()});
    }

    EXPECT_EQ(pipeline.state(), CircuitState::open);
}

TEST(GitNexusBehaviourTest, LostConnectionsOpenTheCircuit) {
    PlayedPipeline pipeline{gitnexus::quick(), gitnexus::circuit()};

    pipeline.call_times(4, connection_lost());
    EXPECT_EQ(pipeline.state(), CircuitState::closed);
    pipeline.call(connection_lost());

    EXPECT_EQ(pipeline.state(), CircuitState::open);
}

TEST(GitNexusBehaviourTest, QuickAndHeavyToolsShareTheCircuit) {
    PlayedPipeline pipeline{gitnexus::quick(), gitnexus::circuit()};
    pipeline.call_times(4, connection_lost());
    const PipelinePolicy heavy{gitnexus::heavy()};
    PipelineCall call{heavy, {.circuit = &pipeline.circuit}, {}};

    ASSERT_TRUE(std::holds_alternative<StartAttempt>(call.start(pipeline.clock.now())));
    const PipelineStep step = pipeline.end_attempt(call, connection_lost());

    EXPECT_TRUE(std::holds_alternative<CallVerdict>(step));
    EXPECT_EQ(pipeline.state(), CircuitState::open);
}

TEST(GitNexusBehaviourTest, OpenCircuitAnswersAtOnceWithTheSecondsLeft) {
    PlayedPipeline pipeline{gitnexus::quick(), gitnexus::circuit()};
    pipeline.call_times(5, connection_lost());

    for (const Duration left : {30s, 29s, 17s, 1s}) {
        pipeline.clock.advance(*pipeline.circuit.status(pipeline.clock.now()).retry_after - left);
        const PlayedCall call = pipeline.call(answered_well());

        EXPECT_EQ(call.verdict.ending, CallEnding::refused);
        EXPECT_EQ(call.verdict.retry_after, left);
        EXPECT_EQ(call.verdict.attempts, 0U);
        EXPECT_EQ(call.took, 0s);
    }
}

TEST(GitNexusBehaviourTest, LastInstantOfAnOpenCircuitStillHasAWaitToTell) {
    PlayedPipeline pipeline{gitnexus::quick(), gitnexus::circuit()};
    pipeline.call_times(5, connection_lost());
    pipeline.clock.advance(30s - 1ms);

    const PlayedCall call = pipeline.call(answered_well());

    ASSERT_TRUE(call.verdict.retry_after.has_value());
    EXPECT_EQ(*call.verdict.retry_after, 1ms);
    EXPECT_EQ(std::chrono::ceil<std::chrono::seconds>(*call.verdict.retry_after), 1s);
}

TEST(GitNexusBehaviourTest, FailureNamesAWaitOnlyWhereOneIsKnown) {
    PlayedPipeline pipeline{gitnexus::quick(), gitnexus::circuit()};
    auto lost = connection_lost();

    EXPECT_EQ(pipeline.call({silence()}).verdict.retry_after, std::nullopt);
    EXPECT_EQ(pipeline.call(lost).verdict.retry_after, std::nullopt);
    lost.failure->retry_after = 4s;
    EXPECT_EQ(pipeline.call(lost).verdict.retry_after, 4s);
}

TEST(GitNexusBehaviourTest, TestCallThatRunsOutOfTimeReopensTheCircuit) {
    PlayedPipeline pipeline{gitnexus::quick(), gitnexus::circuit()};
    pipeline.call_times(5, connection_lost());
    pipeline.clock.advance(30s);

    pipeline.call({silence()});

    EXPECT_EQ(pipeline.state(), CircuitState::open);
    EXPECT_EQ(pipeline.call(answered_well()).verdict.retry_after, 30s);
}

TEST(GitNexusBehaviourTest, ReconnectWaitsDoubleFromHalfASecondToSixtySeconds) {
    const Backoff reconnect{gitnexus::reconnect()};
    std::vector<Duration> waits;

    for (std::uint32_t failed = 1; failed <= 10; ++failed) {
        waits.push_back(reconnect.computed(failed));
    }

    EXPECT_EQ(waits, (std::vector<Duration>{500ms, 1s, 2s, 4s, 8s, 16s, 32s, 60s, 60s, 60s}));
}

TEST(GitNexusBehaviourTest, ReconnectJitterIsFifteenPercentAndNeverAboveTheCap) {
    const Backoff reconnect{gitnexus::reconnect()};
    for_each_seed(200, [&](std::mt19937_64& generator) {
        for (std::uint32_t failed = 1; failed <= 12; ++failed) {
            const std::chrono::duration<double> plain = reconnect.computed(failed);
            const std::chrono::duration<double> wait =
                reconnect.delay(failed, Duration::zero(), generator);
            EXPECT_GE(wait.count(), plain.count() * 0.85 - 1e-6) << failed;
            EXPECT_LE(wait.count(), std::min(plain.count() * 1.15, 60.0) + 1e-6) << failed;
        }
    });
}

TEST(GitNexusBehaviourTest, ReconnectJitterUsesItsWholeRange) {
    const Backoff reconnect{gitnexus::reconnect()};
    std::mt19937_64 generator{1};
    Duration shortest = Duration::max();
    Duration longest = Duration::zero();

    for (int draw = 0; draw < 1'000; ++draw) {
        const Duration wait = reconnect.delay(2, Duration::zero(), generator);
        shortest = std::min(shortest, wait);
        longest = std::max(longest, wait);
    }

    EXPECT_LT(shortest, 860ms);
    EXPECT_GT(longest, 1'140ms);
}

TEST(GitNexusBehaviourTest, ReconnectAttemptsRunOut) {
    const RetryPolicy policy{{.max_attempts = 10, .transient = gitnexus::reconnect()}};
    RetrySequence reconnects{policy, /*safe_to_repeat=*/true};
    ManualClock clock;
    std::mt19937_64 generator{1};
    const auto fail = [&] {
        reconnects.on_attempt();
        return reconnects.on_failure({.delivery = Delivery::not_sent}, Deadline::never(),
                                     clock.now(), generator);
    };

    for (int attempt = 1; attempt < 10; ++attempt) {
        EXPECT_TRUE(fail().has_value()) << attempt;
    }

    EXPECT_EQ(fail().error(), RetryStop::attempts_used_up);
}

}  // namespace
}  // namespace holdfast::resilience
