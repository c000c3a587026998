#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "holdfast/resilience/observer.hpp"

namespace holdfast::resilience::testing {

/// Records all notifications in order.
class RecordingObserver final : public Observer {
public:
    void on_transition(std::string_view name, const CircuitTransition& transition) override {
        transitions.emplace_back(name, transition);
    }
    void on_refusal(std::string_view name, const Refusal& refusal) override {
        refusals.emplace_back(name, refusal);
    }
    void on_retry(std::string_view name, const ScheduledRetry& retry) override {
        retries.emplace_back(name, retry);
    }

    std::vector<std::pair<std::string, CircuitTransition>> transitions;
    std::vector<std::pair<std::string, Refusal>> refusals;
    std::vector<std::pair<std::string, ScheduledRetry>> retries;
};

}  // namespace holdfast::resilience::testing
