#pragma once

#include <cstddef>
#include <memory>

#include "calls/call_plan.hpp"
#include "calls/pipeline_outcome.hpp"
#include "holdfast/resilience/time.hpp"

namespace holdfast::calls {

/// Chooses another tool while the circuit of the requested one is open: the alternatives that the
/// requested tool's rules declare, in their order, then its fallback. Each is tried once. Changes
/// only the plan.
///
/// Thread-safety: none; belongs to one call.
class Substitutes final {
public:
    /// Points the plan at the next tool that can be called now. Returns false if the outcome does
    /// not call for another tool, or if no tool is left to try.
    [[nodiscard]] bool retarget(CallPlan& plan, const PipelineOutcome& outcome,
                                resilience::TimePoint now);

    /// The tool that the agent called, once another one has replaced it; null before.
    [[nodiscard]] const surface::Callable* requested_tool() const noexcept { return requested_; }

private:
    const surface::Callable* requested_ = nullptr;   // kept alive by the plan's surface
    std::shared_ptr<const guard::CallRules> rules_;  // of the requested tool
    std::size_t next_ = 0;
};

}  // namespace holdfast::calls
