#include "calls/substitutes.hpp"

#include <string>

namespace holdfast::calls {

bool Substitutes::retarget(CallPlan& plan, const PipelineOutcome& outcome,
                           resilience::TimePoint now) {
    // After an attempt the call may have taken effect, so no other tool may repeat it.
    if (!outcome.is_refused_by_circuit() || plan.callable == nullptr || outcome.result) {
        return false;
    }
    if (requested_ == nullptr) {
        rules_ = plan.rules;
    }
    const policy::ResolvedTool& declared = rules_->resolved;
    while (next_ <= declared.alternatives.size()) {
        const std::size_t index = next_++;
        const std::string& name =
            index < declared.alternatives.size() ? declared.alternatives[index] : declared.fallback;
        const surface::Callable* const other =
            name.empty() ? nullptr : plan.surface->find_tool(name);
        if (other == nullptr || other == plan.callable || !is_healthy(*other, now)) {
            continue;
        }
        requested_ = requested_ != nullptr ? requested_ : plan.callable;
        plan.retarget(*other, other->server->guard->rules_for_tool(other->own_name, now));
        plan.rename();
        return true;
    }
    return false;
}

}  // namespace holdfast::calls
