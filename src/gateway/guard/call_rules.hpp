#pragma once

#include <cstdint>
#include <utility>

#include "holdfast/resilience/circuit_registry.hpp"
#include "holdfast/resilience/pipeline.hpp"
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

/// How some calls of one server are treated: what the policies say, ready for use.
///
/// Thread-safety: immutable, but for the circuit.
struct CallRules {
    CallRules(policy::ResolvedTool rules, CircuitUse* use)
        : resolved(std::move(rules)),
          pipeline(policy::pipeline_options(resolved.policy)),
          circuit(use) {}

    [[nodiscard]] const policy::Policy& policy() const noexcept { return resolved.policy; }

    const policy::ResolvedTool resolved;
    const resilience::PipelinePolicy pipeline;
    CircuitUse* const circuit;  ///< Null = none. Lives as long as the safeguards.
};

}  // namespace holdfast::guard
