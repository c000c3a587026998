#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <utility>
#include <variant>
#include <vector>

#include "holdfast/resilience/pipeline.hpp"
#include "support/manual_clock.hpp"
#include "support/recording_observer.hpp"

namespace holdfast::resilience::testing {

/// What a scripted downstream does with one attempt: its answer and its delay.
struct Reply {
    AttemptEnd end = {};
    Duration after = Duration::zero();
};

/// A downstream that never answers.
inline constexpr Duration kNever = Duration::max();

[[nodiscard]] inline AttemptEnd answered_well() {
    return {};
}

[[nodiscard]] inline AttemptEnd failed_with(const AttemptFailure& failure,
                                            std::optional<Outcome> outcome = Outcome::failure) {
    return {.outcome = outcome, .failure = failure};
}

/// The attempt was cut off: it was sent, and no answer arrived.
[[nodiscard]] inline AttemptEnd cut_off() {
    return failed_with({.kind = FailureKind::transient, .delivery = Delivery::sent});
}

/// No answer within the time of the attempt.
[[nodiscard]] inline Reply silence() {
    return {.end = cut_off(), .after = kNever};
}

/// The record of one call. Times count from its start.
struct PlayedCall {
    CallVerdict verdict;
    std::vector<Duration> starts;  ///< When each attempt began.
    std::vector<Duration> limits;  ///< How long each attempt was allowed to take.
    Duration took;
};

/// A pipeline and its circuit; plays whole calls in virtual time.
class PlayedPipeline {
public:
    PlayedPipeline(const PipelineOptions& options, const CircuitBreakerOptions& circuit_options,
                   std::uint64_t seed = 1)
        : circuit(circuit_options, {.name = "circuit", .observer = &observer}),
          policy(options),
          generator_(seed) {}

    /// Plays one call to its end. The last reply of the script repeats; a reply that takes longer
    /// than its attempt may is cut off.
    PlayedCall call(const std::vector<Reply>& script, bool safe_to_repeat = true) {
        PipelineCall played = make_call(safe_to_repeat);
        const TimePoint began = clock.now();
        std::vector<Duration> starts;
        std::vector<Duration> limits;
        PipelineStep step = played.start(began);
        while (!std::holds_alternative<CallVerdict>(step)) {
            if (const auto* start = std::get_if<StartAttempt>(&step)) {
                const Duration limit = start->deadline.remaining(clock.now());
                starts.push_back(clock.now() - began);
                limits.push_back(limit);
                const std::size_t index = std::min<std::size_t>(start->number, script.size()) - 1;
                const Reply& reply = script.at(index);
                const bool in_time = reply.after < limit;
                clock.advance(in_time ? reply.after : limit);
                step =
                    played.on_attempt_end(in_time ? reply.end : cut_off(), clock.now(), generator_);
            } else {
                clock.advance(std::get<WaitBeforeRetry>(step).until - clock.now());
                step = played.resume(clock.now());
            }
        }
        return {.verdict = std::get<CallVerdict>(step),
                .starts = std::move(starts),
                .limits = std::move(limits),
                .took = clock.now() - began};
    }

    /// Plays one call whose attempts all end like this, immediately.
    PlayedCall call(const AttemptEnd& end, bool safe_to_repeat = true) {
        return call(std::vector<Reply>{{.end = end}}, safe_to_repeat);
    }

    void call_times(std::uint32_t count, const AttemptEnd& end) {
        for (std::uint32_t index = 0; index < count; ++index) {
            call(end);
        }
    }

    /// Makes a call that a test steps through by hand.
    [[nodiscard]] PipelineCall make_call(bool safe_to_repeat = true) {
        return PipelineCall{policy,
                            {.name = "pipeline", .circuit = &circuit, .observer = &observer},
                            {.safe_to_repeat = safe_to_repeat}};
    }

    [[nodiscard]] PipelineStep end_attempt(PipelineCall& of, const AttemptEnd& end) {
        return of.on_attempt_end(end, clock.now(), generator_);
    }

    [[nodiscard]] CircuitState state() const { return circuit.state(clock.now()); }
    [[nodiscard]] std::uint32_t failure_count() const {
        return circuit.status(clock.now()).consecutive_failures;
    }

    ManualClock clock;
    RecordingObserver observer;
    CircuitBreaker circuit;
    PipelinePolicy policy;

private:
    std::mt19937_64 generator_;
};

}  // namespace holdfast::resilience::testing
