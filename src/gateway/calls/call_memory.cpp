#include "calls/call_memory.hpp"

#include "calls/answer_text.hpp"

namespace holdfast::calls {
namespace {

bool may_be_stale(const CallPlan& plan) {
    return plan.is_tool_call() && plan.is_read &&
           plan.rules->policy().stale_for > resilience::Duration::zero();
}

}  // namespace

void CallMemory::on_outcome(const agents::AgentRequest& origin, const CallPlan& plan,
                            const PipelineOutcome& outcome, resilience::TimePoint now) {
    const downstream::Answer* const answer = outcome.answer();
    if (!plan.is_tool_call() || answer == nullptr) {
        return;
    }
    const bool is_error = answer->is_error() || answer->says_error;
    if (!is_error && may_be_stale(plan)) {
        stale_.keep(identity_of_call(origin, plan), plain_result(*answer), now);
    }
    const policy::RepeatGuardRules& rules = plan.rules->policy().repeat_guard;
    if (!rules.is_on) {
        return;
    }
    // A failure of the server may pass, so the same call may succeed the next time.
    if (is_error && !outcome.is_of(policy::ErrorClassId::server_error)) {
        repeats_.on_failure(identity_of_call(origin, plan), answer->body(), rules, now);
    } else if (!repeats_.is_empty()) {
        repeats_.on_other_end(identity_of_call(origin, plan));
    }
}

void CallMemory::on_refused(const agents::AgentRequest& origin, const CallPlan& plan,
                            std::string_view message, resilience::TimePoint now) {
    const policy::RepeatGuardRules& rules = plan.rules->policy().repeat_guard;
    if (rules.is_on) {
        repeats_.on_failure(identity_of_call(origin, plan), message, rules, now);
    }
}

std::optional<resilience::Duration> CallMemory::held_for(const agents::AgentRequest& origin,
                                                         const CallPlan& plan,
                                                         resilience::TimePoint now) const {
    if (!plan.rules->policy().repeat_guard.is_on || repeats_.is_empty()) {
        return std::nullopt;
    }
    return repeats_.held_for(identity_of_call(origin, plan), now);
}

std::optional<StaleAnswer> CallMemory::stale_answer(const agents::AgentRequest& origin,
                                                    const CallPlan& plan,
                                                    resilience::TimePoint now) const {
    if (!may_be_stale(plan)) {
        return std::nullopt;
    }
    return stale_.find(identity_of_call(origin, plan), plan.rules->policy().stale_for, now);
}

}  // namespace holdfast::calls
