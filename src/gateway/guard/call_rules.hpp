#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "holdfast/resilience/circuit_registry.hpp"
#include "holdfast/resilience/pipeline.hpp"
#include "policy/classify.hpp"
#include "policy/options.hpp"
#include "policy/policy_table.hpp"

namespace holdfast::guard {

/// A circuit as one server uses it.
///
/// Thread-safety: guarded by the lock of its safeguards.
struct CircuitUse {
    resilience::CircuitHandle circuit = {};
    /// Of the connection whose loss was counted last: several calls that are lost with one
    /// connection are one failure.
    std::uint64_t counted_loss = 0;
};

/// The rules for some calls of one server, compiled from its policies.
///
/// Thread-safety: immutable, but for the circuit.
struct CallRules {
    CallRules(policy::ResolvedTool rules, CircuitUse* use)
        : resolved(std::move(rules)),
          pipeline(policy::pipeline_options(resolved.policy)),
          classifier(std::make_shared<const policy::Classifier>(resolved.policy)),
          circuit(use) {}
    /// The rules of a tool with changes that concern neither its circuit nor its error classes.
    CallRules(policy::ResolvedTool changed, const CallRules& rules)
        : resolved(std::move(changed)),
          pipeline(policy::pipeline_options(resolved.policy)),
          classifier(rules.classifier),
          circuit(rules.circuit) {}

    [[nodiscard]] const policy::Policy& policy() const noexcept { return resolved.policy; }

    const policy::ResolvedTool resolved;
    const resilience::PipelinePolicy pipeline;
    const std::shared_ptr<const policy::Classifier> classifier;
    CircuitUse* const circuit;  ///< Null = none. Lives as long as the safeguards.
};

}  // namespace holdfast::guard
