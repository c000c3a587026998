#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <random>
#include <variant>

#include "holdfast/resilience/pipeline.hpp"
#include "support/circuit_tools.hpp"
#include "support/manual_clock.hpp"
#include "support/owned_parts.hpp"

namespace holdfast::resilience::testing {

/// Simple figures: a minute per call, ten seconds per attempt, retries after exactly one second
/// (two if throttled), three failures open the circuit for ten seconds, one call in flight and two
/// in the queue for at most five seconds. No limiter and no budget.
[[nodiscard]] inline PipelineSetup plain_setup() {
    using namespace std::chrono_literals;
    PipelineSetup setup;
    setup.name = "files";
    setup.options.timeout = 60s;
    setup.options.attempt_timeout = 10s;
    setup.options.retry.transient = {
        .base = 1s, .multiplier = 1.0, .cap = 30s, .jitter = Jitter::none};
    setup.options.retry.throttled = {
        .base = 2s, .multiplier = 1.0, .cap = 30s, .jitter = Jitter::none};
    setup.limiter = std::nullopt;
    setup.circuit = plain_options();
    setup.bulkhead = BulkheadOptions{.max_in_flight = 1, .max_queue = 2, .max_wait = 5s};
    setup.budget = std::nullopt;
    return setup;
}

[[nodiscard]] inline AttemptEnd answered(std::optional<Outcome> outcome = Outcome::success) {
    return {.outcome = outcome};
}

[[nodiscard]] inline AttemptEnd failed(FailureKind kind = FailureKind::transient,
                                       Delivery delivery = Delivery::sent,
                                       std::optional<Duration> retry_after = std::nullopt) {
    return {
        .outcome = Outcome::failure,
        .failure = AttemptFailure{.kind = kind, .delivery = delivery, .retry_after = retry_after}};
}

/// Returns the expected kind of step; throws for any other, which fails the test.
[[nodiscard]] inline StartAttempt attempt_of(const PipelineStep& step) {
    return std::get<StartAttempt>(step);
}
[[nodiscard]] inline TimePoint slot_wait_of(const PipelineStep& step) {
    return std::get<WaitForSlot>(step).until;
}
[[nodiscard]] inline TimePoint retry_wait_of(const PipelineStep& step) {
    return std::get<WaitBeforeRetry>(step).until;
}
[[nodiscard]] inline CallVerdict verdict_of(const PipelineStep& step) {
    return std::get<CallVerdict>(step);
}

/// A clock, a generator and the steps of a call, for tests of one call at a time.
class PipelineFixture : public ::testing::Test {
protected:
    [[nodiscard]] PipelineStep start(PipelineCall& call) { return call.start(clock_.now()); }
    [[nodiscard]] PipelineStep resume(PipelineCall& call) { return call.resume(clock_.now()); }
    [[nodiscard]] PipelineStep end(PipelineCall& call, const AttemptEnd& how) {
        return call.on_attempt_end(how, clock_.now(), random_);
    }
    /// Fails the running attempt and waits for the next one to begin.
    [[nodiscard]] PipelineStep fail_and_retry(PipelineCall& call, const AttemptEnd& how) {
        const TimePoint until = retry_wait_of(end(call, how));
        clock_.advance(until - clock_.now());
        return resume(call);
    }

    ManualClock clock_;
    std::mt19937_64 random_{1};
};

}  // namespace holdfast::resilience::testing
