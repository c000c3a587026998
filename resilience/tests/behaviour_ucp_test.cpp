#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <string_view>
#include <tuple>
#include <variant>
#include <vector>

#include "holdfast/resilience/backoff.hpp"
#include "support/circuit_row.hpp"
#include "support/played_pipeline.hpp"
#include "support/preset_figures.hpp"

// One circuit a server, on which every attempt counts; retries only where a repeat is safe; the
// times of attempts, waits and reconnects. Each test states the figures of its row of the preset's
// table by itself; the options come from preset_figures.hpp.

namespace holdfast::resilience {
namespace {

using namespace std::chrono_literals;
namespace ucp = testing::ucp;
using testing::answered_well;
using testing::CircuitFigures;
using testing::cut_off;
using testing::expect_closes_after_successes;
using testing::expect_failed_probe_reopens;
using testing::expect_limits_the_probes;
using testing::expect_opens_after_failures_in_a_row;
using testing::expect_stays_open_and_says_the_time_left;
using testing::failed_with;
using testing::PlayedCall;
using testing::PlayedPipeline;
using testing::silence;

constexpr CircuitFigures kCircuitRow{.failures = 5, .successes = 3, .open_for = 60s, .probes = 3};
constexpr bool kReadOnly = true;
constexpr bool kUnmarked = false;

PlayedPipeline server() {
    return {ucp::pipeline(), ucp::circuit()};
}

AttemptEnd server_died(std::optional<Outcome> outcome = Outcome::failure) {
    return failed_with({.kind = FailureKind::transient, .delivery = Delivery::sent}, outcome);
}

/// It was sent, and what came back cannot be read.
AttemptEnd malformed_answer() {
    return failed_with({.kind = FailureKind::transient, .delivery = Delivery::sent});
}

AttemptEnd not_sent() {
    return failed_with({.kind = FailureKind::transient, .delivery = Delivery::not_sent});
}

/// One attempt, one count.
AttemptEnd permanent_failure() {
    return failed_with({.kind = FailureKind::permanent, .delivery = Delivery::answered});
}

TEST(UcpBehaviourTest, CircuitOpensAfterFiveFailuresInARow) {
    expect_opens_after_failures_in_a_row(ucp::circuit(), kCircuitRow);
}

TEST(UcpBehaviourTest, CircuitStaysOpenForSixtySeconds) {
    expect_stays_open_and_says_the_time_left(ucp::circuit(), kCircuitRow);
}

TEST(UcpBehaviourTest, HalfOpenCircuitLetsThreeTestCallsThrough) {
    expect_limits_the_probes(ucp::circuit(), kCircuitRow);
}

TEST(UcpBehaviourTest, ThreeSuccessesCloseTheHalfOpenCircuit) {
    expect_closes_after_successes(ucp::circuit(), kCircuitRow);
}

TEST(UcpBehaviourTest, FailureAfterTwoSuccessesReopensTheHalfOpenCircuit) {
    expect_failed_probe_reopens(ucp::circuit(), kCircuitRow);
}

TEST(UcpBehaviourTest, ThreeTestCallsAtOnceCloseTheCircuit) {
    PlayedPipeline pipeline = server();
    pipeline.call_times(5, permanent_failure());
    pipeline.clock.advance(60s);
    std::array calls{pipeline.make_call(), pipeline.make_call(), pipeline.make_call()};
    for (auto& call : calls) {
        ASSERT_TRUE(std::holds_alternative<StartAttempt>(call.start(pipeline.clock.now())));
    }

    EXPECT_EQ(pipeline.call(answered_well()).verdict.ending, CallEnding::refused);
    for (auto& call : calls) {
        EXPECT_EQ(pipeline.state(), CircuitState::half_open);
        std::ignore = pipeline.end_attempt(call, answered_well());
    }

    EXPECT_EQ(pipeline.state(), CircuitState::closed);
}

TEST(UcpBehaviourTest, FailureOfOneTestCallReopensWhateverTheOthersSay) {
    PlayedPipeline pipeline = server();
    pipeline.call_times(5, permanent_failure());
    pipeline.clock.advance(60s);
    std::array calls{pipeline.make_call(), pipeline.make_call(), pipeline.make_call()};
    for (auto& call : calls) {
        ASSERT_TRUE(std::holds_alternative<StartAttempt>(call.start(pipeline.clock.now())));
    }

    std::ignore = pipeline.end_attempt(calls[0], permanent_failure());
    std::ignore = pipeline.end_attempt(calls[1], answered_well());
    std::ignore = pipeline.end_attempt(calls[2], answered_well());

    EXPECT_EQ(pipeline.state(), CircuitState::open);
    EXPECT_EQ(pipeline.call(answered_well()).verdict.retry_after, 60s);
}

TEST(UcpBehaviourTest, CallIsTriedThreeTimesAfterOneAndTwoSeconds) {
    PlayedPipeline pipeline = server();

    const PlayedCall call = pipeline.call(malformed_answer(), kReadOnly);

    EXPECT_EQ(call.verdict.ending, CallEnding::failed);
    EXPECT_EQ(call.verdict.stop, RetryStop::attempts_used_up);
    EXPECT_EQ(call.verdict.attempts, 3U);
    EXPECT_EQ(call.starts, (std::vector<Duration>{0s, 1s, 3s}));
    EXPECT_EQ(call.took, 3s);
}

TEST(UcpBehaviourTest, FourthAttemptWhereConfiguredComesAfterFourSeconds) {
    PipelineOptions options = ucp::pipeline();
    options.retry.max_attempts = 4;
    PlayedPipeline pipeline{options, ucp::circuit()};

    const PlayedCall call = pipeline.call(malformed_answer(), kReadOnly);

    EXPECT_EQ(call.starts, (std::vector<Duration>{0s, 1s, 3s, 7s}));
}

TEST(UcpBehaviourTest, WaitsHaveNoJitter) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        PlayedPipeline pipeline{ucp::pipeline(), ucp::circuit(), seed};

        EXPECT_EQ(pipeline.call(malformed_answer()).starts, (std::vector<Duration>{0s, 1s, 3s}));
    }
}

TEST(UcpBehaviourTest, SilentServerHasThirtySecondsForEachAttempt) {
    PlayedPipeline pipeline = server();

    const PlayedCall call = pipeline.call({silence()}, kReadOnly);

    EXPECT_EQ(call.verdict.ending, CallEnding::failed);
    EXPECT_EQ(call.verdict.stop, RetryStop::attempts_used_up);
    EXPECT_EQ(call.verdict.attempts, 3U);
    EXPECT_EQ(call.limits, (std::vector<Duration>{30s, 30s, 30s}));
    EXPECT_EQ(call.starts, (std::vector<Duration>{0s, 31s, 63s}));
    EXPECT_EQ(call.took, 93s);
    EXPECT_EQ(pipeline.failure_count(), 3U);
}

TEST(UcpBehaviourTest, TimeOfAnAttemptCanBeConfigured) {
    PipelineOptions options = ucp::pipeline();
    options.attempt_timeout = 5s;
    PlayedPipeline pipeline{options, ucp::circuit()};

    const PlayedCall call = pipeline.call({silence()}, kReadOnly);

    EXPECT_EQ(call.limits, (std::vector<Duration>{5s, 5s, 5s}));
    EXPECT_EQ(call.took, 18s);
}

TEST(UcpBehaviourTest, EachAttemptIsOneCount) {
    PlayedPipeline pipeline = server();

    const PlayedCall call =
        pipeline.call({{malformed_answer()}, {malformed_answer()}, {answered_well()}});
    EXPECT_EQ(call.verdict.ending, CallEnding::answered);
    EXPECT_EQ(pipeline.failure_count(), 0U);
    pipeline.call(malformed_answer());

    EXPECT_EQ(pipeline.failure_count(), 3U);
}

TEST(UcpBehaviourTest, CircuitThatOpensBetweenAttemptsEndsTheCallWithItsLastError) {
    PlayedPipeline pipeline = server();
    pipeline.call(malformed_answer());  // three counts

    const PlayedCall call =
        pipeline.call({{malformed_answer()}, {malformed_answer()}, {answered_well()}});

    EXPECT_EQ(pipeline.state(), CircuitState::open);
    EXPECT_EQ(call.verdict.ending, CallEnding::failed);
    EXPECT_EQ(call.verdict.stop, RetryStop::refused);
    EXPECT_EQ(call.verdict.attempts, 2U);
    ASSERT_TRUE(call.verdict.refusal.has_value());
    EXPECT_EQ(call.verdict.refusal->reason, RefusalReason::circuit_open);
    EXPECT_EQ(call.verdict.retry_after, pipeline.circuit.status(pipeline.clock.now()).retry_after);
}

TEST(UcpBehaviourTest, FailedTestAttemptIsNotTriedAgain) {
    PlayedPipeline pipeline = server();
    pipeline.call_times(5, permanent_failure());
    pipeline.clock.advance(60s);

    const PlayedCall call = pipeline.call(malformed_answer(), kReadOnly);

    EXPECT_EQ(call.verdict.attempts, 1U);
    EXPECT_EQ(call.verdict.stop, RetryStop::refused);
    EXPECT_EQ(pipeline.state(), CircuitState::open);
}

TEST(UcpBehaviourTest, OpenCircuitBlocksAtOnceAndSaysTheSecondsLeft) {
    PlayedPipeline pipeline = server();
    pipeline.call_times(5, permanent_failure());
    pipeline.clock.advance(13s);

    const PlayedCall call = pipeline.call(answered_well());

    EXPECT_EQ(call.verdict.ending, CallEnding::refused);
    EXPECT_EQ(call.verdict.retry_after, 47s);
    EXPECT_EQ(call.verdict.attempts, 0U);
    EXPECT_EQ(call.took, 0s);
}

TEST(UcpBehaviourTest, CrashInMidCallIsCountedAndASafeCallIsTriedAgain) {
    PlayedPipeline pipeline = server();

    const PlayedCall call = pipeline.call({{server_died(), 5s}, {answered_well(), 1s}}, kReadOnly);

    EXPECT_EQ(call.verdict.ending, CallEnding::answered);
    EXPECT_EQ(call.starts, (std::vector<Duration>{0s, 6s})) << "failed at once, then one wait";
    EXPECT_EQ(call.took, 7s);
}

TEST(UcpBehaviourTest, CallsLostInOneCrashAreOneCount) {
    PlayedPipeline pipeline = server();
    std::array calls{pipeline.make_call(), pipeline.make_call(), pipeline.make_call()};
    for (auto& call : calls) {
        ASSERT_TRUE(std::holds_alternative<StartAttempt>(call.start(pipeline.clock.now())));
    }

    const PipelineStep first = pipeline.end_attempt(calls[0], server_died());
    const PipelineStep second = pipeline.end_attempt(calls[1], server_died(std::nullopt));
    const PipelineStep third = pipeline.end_attempt(calls[2], server_died(std::nullopt));

    EXPECT_EQ(pipeline.failure_count(), 1U);
    for (const auto& step : {first, second, third}) {
        EXPECT_TRUE(std::holds_alternative<WaitBeforeRetry>(step));
    }
}

TEST(UcpBehaviourTest, TestCallsLostInOneCrashReopenTheCircuit) {
    PlayedPipeline pipeline = server();
    pipeline.call_times(5, permanent_failure());
    pipeline.clock.advance(60s);
    std::array calls{pipeline.make_call(), pipeline.make_call(), pipeline.make_call()};
    for (auto& call : calls) {
        ASSERT_TRUE(std::holds_alternative<StartAttempt>(call.start(pipeline.clock.now())));
    }

    std::ignore = pipeline.end_attempt(calls[0], server_died());
    std::ignore = pipeline.end_attempt(calls[1], server_died(std::nullopt));
    std::ignore = pipeline.end_attempt(calls[2], server_died(std::nullopt));

    EXPECT_EQ(pipeline.state(), CircuitState::open);
}

TEST(UcpBehaviourTest, LossThatWasCountedAlreadyDoesNotCloseTheCircuit) {
    PlayedPipeline pipeline = server();
    pipeline.call_times(5, permanent_failure());
    pipeline.clock.advance(60s);

    pipeline.call_times(3, server_died(std::nullopt));

    EXPECT_EQ(pipeline.state(), CircuitState::half_open);
}

TEST(UcpBehaviourTest, CallWhoseFailureOpensTheCircuitEndsWithoutWaiting) {
    PlayedPipeline pipeline = server();
    pipeline.call_times(4, permanent_failure());

    const PlayedCall call = pipeline.call(server_died(), kReadOnly);

    EXPECT_EQ(call.verdict.ending, CallEnding::failed);
    EXPECT_EQ(call.verdict.stop, RetryStop::refused);
    EXPECT_EQ(call.verdict.retry_after, 60s);
    EXPECT_EQ(call.took, 0s);
}

TEST(UcpBehaviourTest, UnmarkedToolThatWasSentGetsOneAttemptAndMayHaveHadAnEffect) {
    for (const auto& end : {server_died(), malformed_answer(), cut_off()}) {
        PlayedPipeline pipeline = server();

        const PlayedCall call = pipeline.call(end, kUnmarked);

        EXPECT_EQ(call.verdict.attempts, 1U);
        EXPECT_EQ(call.verdict.stop, RetryStop::unsafe_repeat);
        EXPECT_TRUE(call.verdict.side_effects_possible);
        EXPECT_EQ(pipeline.failure_count(), 1U);
    }
}

TEST(UcpBehaviourTest, UnmarkedToolThatWasNeverSentIsTriedAgain) {
    PlayedPipeline pipeline = server();

    const PlayedCall call = pipeline.call({{not_sent()}, {not_sent()}, {server_died()}}, kUnmarked);

    EXPECT_EQ(call.verdict.attempts, 3U);
    EXPECT_TRUE(call.verdict.side_effects_possible) << "the third attempt was sent";
}

TEST(UcpBehaviourTest, UnmarkedToolThatWasNeverSentHadNoEffect) {
    PlayedPipeline pipeline = server();

    const PlayedCall call = pipeline.call(not_sent(), kUnmarked);

    EXPECT_EQ(call.verdict.attempts, 3U);
    EXPECT_FALSE(call.verdict.side_effects_possible);
}

TEST(UcpBehaviourTest, UnmarkedToolOfASilentServerEndsAfterThirtySeconds) {
    PlayedPipeline pipeline = server();

    const PlayedCall call = pipeline.call({silence()}, kUnmarked);

    EXPECT_EQ(call.verdict.attempts, 1U);
    EXPECT_TRUE(call.verdict.side_effects_possible);
    EXPECT_EQ(call.took, 30s);
}

TEST(UcpBehaviourTest, StatusTellsStateFailureCountAndWhetherAnAttemptIsPossible) {
    PlayedPipeline pipeline = server();
    const auto expect_status = [&](std::string_view state, std::uint32_t failures, bool possible) {
        const CircuitStatus status = pipeline.circuit.status(pipeline.clock.now());
        EXPECT_EQ(name_of(status.state), state);
        EXPECT_EQ(status.consecutive_failures, failures);
        EXPECT_EQ(status.can_attempt, possible);
    };

    expect_status("closed", 0, true);
    pipeline.call_times(4, permanent_failure());
    expect_status("closed", 4, true);
    pipeline.call(permanent_failure());
    expect_status("open", 5, false);
    pipeline.clock.advance(60s);
    expect_status("open", 5, true);
    pipeline.call(answered_well());
    expect_status("half_open", 5, true);
    pipeline.call(answered_well());
    pipeline.call(answered_well());
    expect_status("closed", 0, true);
}

TEST(UcpBehaviourTest, ReconnectWaitsDoubleFromOneSecond) {
    const Backoff reconnect{ucp::reconnect()};

    EXPECT_EQ(reconnect.computed(1), 1s);
    EXPECT_EQ(reconnect.computed(2), 2s);
    EXPECT_EQ(reconnect.computed(3), 4s);
    EXPECT_EQ(reconnect.computed(4), 8s);
}

TEST(UcpBehaviourTest, TroubleOfOneServerIsNotAnothers) {
    PlayedPipeline sick = server();
    PlayedPipeline healthy = server();

    sick.call_times(5, permanent_failure());

    EXPECT_EQ(sick.state(), CircuitState::open);
    EXPECT_EQ(healthy.call(answered_well()).verdict.ending, CallEnding::answered);
}

}  // namespace
}  // namespace holdfast::resilience
