#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "holdfast/resilience/bulkhead.hpp"
#include "support/circuit_tools.hpp"
#include "support/played_pipeline.hpp"
#include "support/preset_figures.hpp"

// Mistakes of other implementations, each with the promise that excludes it here.

namespace holdfast::resilience {
namespace {

using namespace std::chrono_literals;
namespace commontrace = testing::commontrace;
namespace gitnexus = testing::gitnexus;
namespace octocode = testing::octocode;
namespace ucp = testing::ucp;
using octocode::Category;
using octocode::ErrorClass;
using testing::admitted;
using testing::answered_well;
using testing::call_times;
using testing::circuit_with;
using testing::cut_off;
using testing::failed_with;
using testing::ManualClock;
using testing::PlayedCall;
using testing::PlayedPipeline;
using testing::refusal_of_call;
using testing::silence;
using testing::text_of;
using testing::trip;

constexpr bool kSafe = true;
constexpr bool kUnsafe = false;

struct PresetCase {
    PipelineOptions pipeline;
    CircuitBreakerOptions circuit;
};

std::vector<PresetCase> all_presets() {
    std::vector<PresetCase> presets{{gitnexus::quick(), gitnexus::circuit()},
                                    {gitnexus::heavy(), gitnexus::circuit()},
                                    {commontrace::read(), commontrace::circuit()},
                                    {commontrace::write(), commontrace::circuit()},
                                    {ucp::pipeline(), ucp::circuit()}};
    for (const auto category :
         {Category::github, Category::lsp, Category::package, Category::local, Category::other}) {
        for (const auto& [name, figures] : octocode::kCircuits) {
            presets.push_back({octocode::pipeline(category), circuit_with(figures)});
        }
    }
    return presets;
}

AttemptEnd permanent_failure() {
    return failed_with({.kind = FailureKind::permanent, .delivery = Delivery::answered});
}

void open_circuit_of(PlayedPipeline& pipeline) {
    pipeline.call_times(pipeline.circuit.options().failure_threshold, permanent_failure());
    EXPECT_EQ(pipeline.state(), CircuitState::open);
}

TEST(MistakesBehaviourTest, CircuitCountsEveryTimeout) {
    for (const auto& preset : all_presets()) {
        PlayedPipeline pipeline{preset.pipeline, preset.circuit};

        for (std::uint32_t call = 0; call < preset.circuit.failure_threshold; ++call) {
            EXPECT_EQ(pipeline.failure_count(), call);
            pipeline.call({silence()}, kUnsafe);
        }

        EXPECT_EQ(pipeline.state(), CircuitState::open);
    }
}

TEST(MistakesBehaviourTest, ProbeThatTimesOutReopens) {
    for (const auto& preset : all_presets()) {
        PlayedPipeline pipeline{preset.pipeline, preset.circuit};
        open_circuit_of(pipeline);
        pipeline.clock.advance(preset.circuit.open_for);

        pipeline.call({silence()}, kUnsafe);

        EXPECT_EQ(pipeline.state(), CircuitState::open);
        EXPECT_EQ(pipeline.call(answered_well()).verdict.retry_after, preset.circuit.open_for);
    }
}

TEST(MistakesBehaviourTest, NoAttemptRunsOnAfterTheCallHasEnded) {
    const auto error =
        failed_with({.kind = FailureKind::transient, .delivery = Delivery::answered});
    for (const auto& preset : all_presets()) {
        for (const Duration each : {preset.pipeline.timeout / 3, preset.pipeline.timeout / 2}) {
            PlayedPipeline pipeline{preset.pipeline, preset.circuit};

            const PlayedCall call = pipeline.call({{error, each}}, kSafe);

            EXPECT_LE(call.took, preset.pipeline.timeout);
            for (std::size_t index = 0; index < call.starts.size(); ++index) {
                EXPECT_LE(call.starts[index] + call.limits[index], preset.pipeline.timeout);
            }
            EXPECT_EQ(pipeline.circuit.permits_outstanding(), 0U);
        }
    }
}

TEST(MistakesBehaviourTest, RetryDoesNotWaitBeyondTheCallersDeadline) {
    PlayedPipeline pipeline{octocode::pipeline(Category::github), octocode::default_circuit()};
    const TimePoint now = pipeline.clock.now();
    PipelineCall call{pipeline.policy,
                      {.circuit = &pipeline.circuit},
                      {.deadline = Deadline::after(now, 1s), .safe_to_repeat = true}};

    ASSERT_TRUE(std::holds_alternative<StartAttempt>(call.start(now)));
    const PipelineStep step =
        pipeline.end_attempt(call, octocode::ended_by(Category::github, ErrorClass::server_error));

    ASSERT_TRUE(std::holds_alternative<CallVerdict>(step));
    EXPECT_EQ(std::get<CallVerdict>(step).stop, RetryStop::deadline);
}

TEST(MistakesBehaviourTest, CancelledCallLeavesNoTrace) {
    PlayedPipeline pipeline{octocode::pipeline(Category::github), octocode::default_circuit()};
    PipelineCall call = pipeline.make_call();
    std::ignore = call.start(pipeline.clock.now());
    std::ignore =
        pipeline.end_attempt(call, octocode::ended_by(Category::github, ErrorClass::server_error));

    const CallVerdict verdict = call.cancel();

    EXPECT_EQ(verdict.ending, CallEnding::cancelled);
    EXPECT_EQ(pipeline.failure_count(), 0U);
    EXPECT_EQ(pipeline.circuit.permits_outstanding(), 0U);
}

TEST(MistakesBehaviourTest, NothingFiresBeforeTheConfiguredTimeout) {
    for (const auto& preset : all_presets()) {
        PlayedPipeline pipeline{preset.pipeline, preset.circuit};
        const Duration limit = std::min(preset.pipeline.timeout, preset.pipeline.attempt_timeout);

        const PlayedCall call = pipeline.call({{answered_well(), limit - Duration{1}}});

        EXPECT_EQ(call.limits, std::vector<Duration>{limit});
        EXPECT_EQ(call.verdict.ending, CallEnding::answered);
    }
}

TEST(MistakesBehaviourTest, OpenCircuitReportsTheRealTimeLeft) {
    for (const auto& preset : all_presets()) {
        PlayedPipeline pipeline{preset.pipeline, preset.circuit};
        open_circuit_of(pipeline);
        const Duration step = preset.circuit.open_for / 10;

        for (int tenth = 10; tenth > 0; --tenth) {
            EXPECT_EQ(pipeline.call(answered_well()).verdict.retry_after, step * tenth);
            pipeline.clock.advance(step);
        }

        EXPECT_EQ(pipeline.call(answered_well()).verdict.ending, CallEnding::answered);
    }
}

TEST(MistakesBehaviourTest, RefusalsDoNotProlongTheOpenTime) {
    PlayedPipeline pipeline{gitnexus::quick(), gitnexus::circuit()};
    open_circuit_of(pipeline);

    for (int refusal = 0; refusal < 300; ++refusal) {
        EXPECT_EQ(pipeline.call(answered_well()).verdict.ending, CallEnding::refused);
        pipeline.clock.advance(100ms);
    }

    EXPECT_EQ(pipeline.call(answered_well()).verdict.ending, CallEnding::answered);
}

TEST(MistakesBehaviourTest, ServerErrorInAValidAnswerOpensTheCircuit) {
    PlayedPipeline pipeline{commontrace::read(), commontrace::circuit()};

    for (std::uint32_t answers = 1; answers < 5; ++answers) {
        pipeline.call({{commontrace::server_error(), 100ms}});
        EXPECT_EQ(pipeline.failure_count(), answers) << "an answer is counted once, by its content";
    }
    pipeline.call({{commontrace::server_error(), 100ms}});

    EXPECT_EQ(pipeline.state(), CircuitState::open);
}

TEST(MistakesBehaviourTest, HalfOpenLimitsTheNumberOfProbes) {
    for (const auto& preset : all_presets()) {
        CircuitBreaker circuit{preset.circuit};
        ManualClock clock;
        trip(circuit, clock.now());
        clock.advance(preset.circuit.open_for);
        std::vector<CircuitBreaker::Permit> through;

        for (int caller = 0; caller < 100; ++caller) {
            if (auto permit = circuit.try_acquire(clock.now())) {
                through.push_back(std::move(*permit));
            }
        }

        EXPECT_EQ(through.size(), preset.circuit.probe_limit);
    }
}

TEST(MistakesBehaviourTest, HalfOpenEndsIfTheProbeIsNeverAnswered) {
    for (const auto& preset : all_presets()) {
        PlayedPipeline pipeline{preset.pipeline, preset.circuit};
        open_circuit_of(pipeline);
        pipeline.clock.advance(preset.circuit.open_for);
        PipelineCall lost = pipeline.make_call();
        const PipelineStep step = lost.start(pipeline.clock.now());
        const auto limit = std::get<StartAttempt>(step).deadline.remaining(pipeline.clock.now());

        pipeline.clock.advance(limit - Duration{1});
        EXPECT_EQ(pipeline.state(), CircuitState::half_open);
        pipeline.clock.advance(Duration{1});

        EXPECT_EQ(pipeline.state(), CircuitState::open);
        pipeline.clock.advance(preset.circuit.open_for);
        EXPECT_EQ(pipeline.call(answered_well()).verdict.ending, CallEnding::answered);
    }
}

TEST(MistakesBehaviourTest, CancelledProbeFreesItsSlot) {
    PlayedPipeline pipeline{gitnexus::quick(), gitnexus::circuit()};
    open_circuit_of(pipeline);
    pipeline.clock.advance(30s);
    PipelineCall gone = pipeline.make_call();
    std::ignore = gone.start(pipeline.clock.now());

    std::ignore = gone.cancel();

    EXPECT_EQ(pipeline.state(), CircuitState::half_open);
    EXPECT_EQ(pipeline.call(answered_well()).verdict.ending, CallEnding::answered);
    EXPECT_EQ(pipeline.state(), CircuitState::closed);
}

TEST(MistakesBehaviourTest, LateAnswerDoesNotAffectANewerState) {
    for (const auto outcome : {Outcome::success, Outcome::failure, Outcome::neutral}) {
        for (const auto& preset : all_presets()) {
            CircuitBreaker circuit{preset.circuit};
            ManualClock clock;
            auto late_for_open = admitted(circuit, clock.now());
            auto late_for_half_open = admitted(circuit, clock.now());
            auto late_for_closed = admitted(circuit, clock.now());
            trip(circuit, clock.now());

            late_for_open.settle(outcome, clock.now());
            EXPECT_EQ(circuit.state(clock.now()), CircuitState::open);

            clock.advance(preset.circuit.open_for);
            admitted(circuit, clock.now()).drop();
            late_for_half_open.settle(outcome, clock.now());
            EXPECT_EQ(circuit.state(clock.now()), CircuitState::half_open);
            EXPECT_EQ(circuit.status(clock.now()).probe_successes, 0U);

            call_times(circuit, preset.circuit.successes_to_close, Outcome::success, clock.now());
            late_for_closed.settle(outcome, clock.now());
            EXPECT_EQ(circuit.state(clock.now()), CircuitState::closed);
            EXPECT_EQ(circuit.status(clock.now()).consecutive_failures, 0U);
        }
    }
}

TEST(MistakesBehaviourTest, LateProbeDoesNotCloseTheCircuitItsLeaseReopened) {
    CircuitBreaker circuit{gitnexus::circuit()};
    ManualClock clock;
    trip(circuit, clock.now());
    clock.advance(30s);
    auto probe = admitted(circuit, clock.now(), Deadline::after(clock.now(), 60s));

    clock.advance(61s);
    probe.settle(Outcome::success, clock.now());

    EXPECT_EQ(refusal_of_call(circuit, clock.now()), (Refusal{RefusalReason::circuit_open, 29s}));
}

TEST(MistakesBehaviourTest, ReadingTheStatusChangesNothing) {
    for (const auto& preset : all_presets()) {
        PlayedPipeline pipeline{preset.pipeline, preset.circuit};
        open_circuit_of(pipeline);
        pipeline.clock.advance(preset.circuit.open_for);
        const TimePoint now = pipeline.clock.now();
        const std::string before = text_of(pipeline.circuit.status(now));
        const auto notified = pipeline.observer.transitions.size();

        for (int read = 0; read < 10; ++read) {
            EXPECT_EQ(text_of(pipeline.circuit.status(now)), before);
            EXPECT_EQ(pipeline.circuit.state(now), CircuitState::open);
            EXPECT_EQ(pipeline.circuit.refusal_at(now), std::nullopt);
            EXPECT_EQ(pipeline.circuit.snapshot(now).state, CircuitState::open);
        }

        EXPECT_EQ(pipeline.observer.transitions.size(), notified);
        EXPECT_EQ(pipeline.observer.refusals.size(), 0U);
        EXPECT_TRUE(admitted(pipeline.circuit, now).is_probe());
    }
}

TEST(MistakesBehaviourTest, ValidationErrorIsNotRetried) {
    for (const auto& preset : all_presets()) {
        PlayedPipeline pipeline{preset.pipeline, preset.circuit};

        const PlayedCall call = pipeline.call(permanent_failure(), kSafe);

        EXPECT_EQ(call.verdict.attempts, 1U);
        EXPECT_EQ(call.verdict.stop, RetryStop::not_retryable);
    }
}

TEST(MistakesBehaviourTest, WriteThatWasSentIsNotRepeated) {
    for (const auto delivery : {Delivery::sent, Delivery::answered}) {
        for (const auto kind : {FailureKind::transient, FailureKind::throttled}) {
            for (const auto& preset : all_presets()) {
                PlayedPipeline pipeline{preset.pipeline, preset.circuit};

                const PlayedCall call =
                    pipeline.call(failed_with({.kind = kind, .delivery = delivery}), kUnsafe);

                EXPECT_EQ(call.verdict.attempts, 1U);
                EXPECT_EQ(call.verdict.side_effects_possible, delivery == Delivery::sent);
            }
        }
    }
}

TEST(MistakesBehaviourTest, OnlyTimeoutsAreReportedAsTimeouts) {
    for (const auto& preset : all_presets()) {
        PlayedPipeline pipeline{preset.pipeline, preset.circuit};

        EXPECT_EQ(pipeline.call(commontrace::connection_refused()).verdict.ending,
                  CallEnding::failed);
        EXPECT_EQ(pipeline.call(permanent_failure()).verdict.ending, CallEnding::failed);
    }
}

TEST(MistakesBehaviourTest, SlowCallEndsAloneAndOthersContinue) {
    PlayedPipeline pipeline{gitnexus::quick(), gitnexus::circuit()};
    Bulkhead bulkhead{{.max_in_flight = 2, .max_queue = 0}};
    const PipelineParts parts{.circuit = &pipeline.circuit, .bulkhead = &bulkhead};
    PipelineCall slow{pipeline.policy, parts, {.waiter = 1}};
    PipelineCall other{pipeline.policy, parts, {.waiter = 2}};
    std::ignore = slow.start(pipeline.clock.now());
    pipeline.clock.advance(59s);
    std::ignore = other.start(pipeline.clock.now());

    pipeline.clock.advance(1s);
    const PipelineStep cut = pipeline.end_attempt(slow, cut_off());
    EXPECT_EQ(std::get<CallVerdict>(cut).ending, CallEnding::timed_out);
    EXPECT_EQ(bulkhead.in_flight(), 1U);

    const PipelineStep answer = pipeline.end_attempt(other, answered_well());
    EXPECT_EQ(std::get<CallVerdict>(answer).ending, CallEnding::answered);
    EXPECT_EQ(bulkhead.in_flight(), 0U);
}

}  // namespace
}  // namespace holdfast::resilience
