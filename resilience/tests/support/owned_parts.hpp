#pragma once

#include <optional>
#include <string>

#include "holdfast/resilience/shared_pipeline.hpp"
#include "support/recording_observer.hpp"
#include "support/recording_waker.hpp"

namespace holdfast::resilience::testing {

/// The policies of a setup without a lock, each accessible to a test. The circuit has its own name,
/// which shows who notified the observer.
class OwnedParts {
public:
    explicit OwnedParts(const PipelineSetup& setup, Waker* other_waker = nullptr)
        : name_(setup.name), policy(setup.options) {
        if (setup.limiter) {
            limiter.emplace(*setup.limiter);
        }
        if (setup.circuit) {
            circuit.emplace(*setup.circuit, CircuitContext{.name = setup.name + "-circuit",
                                                           .observer = &observer,
                                                           .jitter_seed = setup.jitter_seed});
        }
        if (setup.bulkhead) {
            bulkhead.emplace(*setup.bulkhead, other_waker != nullptr ? other_waker : &waker);
        }
        if (setup.budget) {
            budget.emplace(*setup.budget);
        }
    }

    [[nodiscard]] PipelineParts parts() {
        return {.name = name_,
                .limiter = limiter ? &*limiter : nullptr,
                .circuit = circuit ? &*circuit : nullptr,
                .bulkhead = bulkhead ? &*bulkhead : nullptr,
                .budget = budget ? &*budget : nullptr,
                .observer = &observer};
    }

    [[nodiscard]] PipelineCall call(const CallTraits& traits = {}) {
        return PipelineCall{policy, parts(), traits};
    }

private:
    std::string name_;

public:
    PipelinePolicy policy;
    RecordingObserver observer;
    RecordingWaker waker;
    std::optional<RateLimiter> limiter;
    std::optional<CircuitBreaker> circuit;
    std::optional<Bulkhead> bulkhead;
    std::optional<RetryBudget> budget;
};

}  // namespace holdfast::resilience::testing
