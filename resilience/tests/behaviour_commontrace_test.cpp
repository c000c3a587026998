#include <gtest/gtest.h>

#include <chrono>
#include <type_traits>
#include <variant>

#include "support/circuit_row.hpp"
#include "support/played_pipeline.hpp"
#include "support/preset_figures.hpp"

// Reads and writes over a plain HTTP backend: their timeouts, one circuit for all of them, and what
// an answer says on it. Each test states the figures of its row of the preset's table by itself;
// the options come from preset_figures.hpp.

namespace holdfast::resilience {
namespace {

using namespace std::chrono_literals;
namespace commontrace = testing::commontrace;
using testing::answered_well;
using testing::CircuitFigures;
using testing::expect_closes_after_successes;
using testing::expect_failed_probe_reopens;
using testing::expect_limits_the_probes;
using testing::expect_opens_after_failures_in_a_row;
using testing::expect_stays_open_and_says_the_time_left;
using testing::PlayedCall;
using testing::PlayedPipeline;
using testing::silence;

constexpr CircuitFigures kCircuitRow{.failures = 5, .successes = 1, .open_for = 30s};
constexpr bool kRead = true;    // safe to repeat
constexpr bool kWrite = false;  // not known to be

PlayedPipeline reads() {
    return {commontrace::read(), commontrace::circuit()};
}

PlayedPipeline writes() {
    return {commontrace::write(), commontrace::circuit()};
}

TEST(CommonTraceBehaviourTest, ReadRunsOutOfTimeAfterTwoHundredMilliseconds) {
    PlayedPipeline pipeline = reads();

    const PlayedCall call = pipeline.call({silence()}, kRead);

    EXPECT_EQ(call.verdict.ending, CallEnding::timed_out);
    EXPECT_EQ(call.took, 200ms);
}

TEST(CommonTraceBehaviourTest, WriteRunsOutOfTimeAfterTwoSeconds) {
    PlayedPipeline pipeline = writes();

    const PlayedCall call = pipeline.call({silence()}, kWrite);

    EXPECT_EQ(call.verdict.ending, CallEnding::timed_out);
    EXPECT_EQ(call.took, 2s);
}

TEST(CommonTraceBehaviourTest, AnswerJustInTimeIsGiven) {
    PlayedPipeline read_pipeline = reads();
    PlayedPipeline write_pipeline = writes();

    EXPECT_EQ(read_pipeline.call({{.after = 200ms - 1ns}}).verdict.ending, CallEnding::answered);
    EXPECT_EQ(write_pipeline.call({{.after = 2s - 1ns}}).verdict.ending, CallEnding::answered);
}

TEST(CommonTraceBehaviourTest, FailedCallIsNotRetried) {
    for (const auto& end : {commontrace::server_error(), commontrace::connection_refused(),
                            commontrace::client_error()}) {
        PlayedPipeline pipeline = reads();

        const PlayedCall call = pipeline.call(end, kRead);

        EXPECT_EQ(call.verdict.ending, CallEnding::failed);
        EXPECT_EQ(call.verdict.attempts, 1U);
        EXPECT_TRUE(pipeline.observer.retries.empty());
    }
}

TEST(CommonTraceBehaviourTest, CircuitOpensAfterFiveFailuresInARow) {
    expect_opens_after_failures_in_a_row(commontrace::circuit(), kCircuitRow);
}

TEST(CommonTraceBehaviourTest, CircuitStaysOpenForThirtySeconds) {
    expect_stays_open_and_says_the_time_left(commontrace::circuit(), kCircuitRow);
}

TEST(CommonTraceBehaviourTest, HalfOpenCircuitLetsOneProbeThrough) {
    expect_limits_the_probes(commontrace::circuit(), kCircuitRow);
}

TEST(CommonTraceBehaviourTest, SuccessOfTheProbeCloses) {
    expect_closes_after_successes(commontrace::circuit(), kCircuitRow);
}

TEST(CommonTraceBehaviourTest, FailureOfTheProbeReopens) {
    expect_failed_probe_reopens(commontrace::circuit(), kCircuitRow);
}

TEST(CommonTraceBehaviourTest, TimeoutCountsAsFailure) {
    PlayedPipeline pipeline = reads();

    for (int call = 0; call < 5; ++call) {
        pipeline.call({silence()}, kRead);
    }

    EXPECT_EQ(pipeline.state(), CircuitState::open);
}

TEST(CommonTraceBehaviourTest, ConnectionErrorCountsAsFailure) {
    PlayedPipeline pipeline = reads();

    pipeline.call_times(5, commontrace::connection_refused());

    EXPECT_EQ(pipeline.state(), CircuitState::open);
}

TEST(CommonTraceBehaviourTest, ServerErrorCountsAsFailure) {
    PlayedPipeline pipeline = writes();

    pipeline.call_times(5, commontrace::server_error());

    EXPECT_EQ(pipeline.state(), CircuitState::open);
}

TEST(CommonTraceBehaviourTest, FailuresOfEveryKindAddUp) {
    PlayedPipeline pipeline = reads();

    pipeline.call({silence()});
    pipeline.call(commontrace::connection_refused());
    pipeline.call(commontrace::server_error());
    pipeline.call({silence()});
    EXPECT_EQ(pipeline.failure_count(), 4U);
    pipeline.call(commontrace::server_error());

    EXPECT_EQ(pipeline.state(), CircuitState::open);
}

TEST(CommonTraceBehaviourTest, ReadsAndWritesShareTheCircuit) {
    PlayedPipeline pipeline = reads();
    pipeline.call_times(4, commontrace::server_error());
    const PipelinePolicy write{commontrace::write()};
    PipelineCall call{write, {.circuit = &pipeline.circuit}, {}};

    ASSERT_TRUE(std::holds_alternative<StartAttempt>(call.start(pipeline.clock.now())));
    const PipelineStep step = pipeline.end_attempt(call, commontrace::server_error());

    EXPECT_TRUE(std::holds_alternative<CallVerdict>(step));
    EXPECT_EQ(pipeline.state(), CircuitState::open);
}

TEST(CommonTraceBehaviourTest, ClientErrorDoesNotCount) {
    PlayedPipeline pipeline = reads();

    pipeline.call_times(100, commontrace::client_error());

    EXPECT_EQ(pipeline.state(), CircuitState::closed);
    EXPECT_EQ(pipeline.failure_count(), 0U);
}

TEST(CommonTraceBehaviourTest, ClientErrorBetweenFailuresDoesNotClearTheCount) {
    PlayedPipeline pipeline = reads();

    pipeline.call_times(4, commontrace::server_error());
    pipeline.call(commontrace::client_error());
    EXPECT_EQ(pipeline.failure_count(), 4U);
    pipeline.call(commontrace::server_error());

    EXPECT_EQ(pipeline.state(), CircuitState::open);
}

TEST(CommonTraceBehaviourTest, ClientErrorClosesAHalfOpenCircuit) {
    PlayedPipeline pipeline = reads();
    pipeline.call_times(5, commontrace::server_error());
    pipeline.clock.advance(30s);

    const PlayedCall probe = pipeline.call(commontrace::client_error());

    EXPECT_EQ(probe.verdict.ending, CallEnding::failed);
    EXPECT_EQ(probe.verdict.stop, RetryStop::not_retryable);
    EXPECT_EQ(pipeline.state(), CircuitState::closed);
    EXPECT_EQ(pipeline.failure_count(), 0U);
}

TEST(CommonTraceBehaviourTest, ServerErrorReopensAHalfOpenCircuit) {
    PlayedPipeline pipeline = reads();
    pipeline.call_times(5, commontrace::server_error());
    pipeline.clock.advance(30s);

    pipeline.call(commontrace::server_error());

    EXPECT_EQ(pipeline.state(), CircuitState::open);
    EXPECT_EQ(pipeline.call(answered_well()).verdict.retry_after, 30s);
}

TEST(CommonTraceBehaviourTest, OpenCircuitAnswersWithoutAskingTheBackend) {
    PlayedPipeline pipeline = writes();
    pipeline.call_times(5, commontrace::server_error());

    const PlayedCall call = pipeline.call({silence()}, kWrite);

    EXPECT_EQ(call.verdict.ending, CallEnding::refused);
    EXPECT_EQ(call.verdict.attempts, 0U);
    EXPECT_EQ(call.took, 0s);
    EXPECT_FALSE(call.verdict.side_effects_possible);
}

TEST(CommonTraceBehaviourTest, WriteThatRanOutOfTimeMayHaveBeenRecorded) {
    PlayedPipeline pipeline = writes();

    EXPECT_TRUE(pipeline.call({silence()}, kWrite).verdict.side_effects_possible);
}

TEST(CommonTraceBehaviourTest, ReadThatRanOutOfTimeHadNoEffect) {
    PlayedPipeline pipeline = reads();

    EXPECT_FALSE(pipeline.call({silence()}, kRead).verdict.side_effects_possible);
}

TEST(CommonTraceBehaviourTest, WriteThatWasNeverSentHadNoEffect) {
    PlayedPipeline pipeline = writes();

    const PlayedCall call = pipeline.call(commontrace::connection_refused(), kWrite);

    EXPECT_FALSE(call.verdict.side_effects_possible);
}

TEST(CommonTraceBehaviourTest, RefusedConnectionIsNotCalledATimeout) {
    PlayedPipeline pipeline = reads();

    const PlayedCall refused = pipeline.call({{commontrace::connection_refused(), 150ms}});
    const PlayedCall broken = pipeline.call({{commontrace::server_error(), 199ms}});

    EXPECT_EQ(refused.verdict.ending, CallEnding::failed);
    EXPECT_EQ(broken.verdict.ending, CallEnding::failed);
}

TEST(CommonTraceBehaviourTest, EveryFigureCanBeSet) {
    PipelineOptions read = commontrace::read();
    read.timeout = read.attempt_timeout = 50ms;
    CircuitBreakerOptions circuit = commontrace::circuit();
    circuit.failure_threshold = 2;
    circuit.open_for = 7s;
    PlayedPipeline pipeline{read, circuit};

    EXPECT_EQ(pipeline.call({silence()}).took, 50ms);
    EXPECT_EQ(pipeline.call({silence()}).took, 50ms);

    EXPECT_EQ(pipeline.call({silence()}).verdict.retry_after, 7s);
}

TEST(CommonTraceBehaviourTest, TimeIsMonotonic) {
    EXPECT_TRUE(TimePoint::clock::is_steady);
    EXPECT_TRUE((std::is_same_v<TimePoint, std::chrono::steady_clock::time_point>));
}

}  // namespace
}  // namespace holdfast::resilience
