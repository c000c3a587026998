#include "calls/call_memory.hpp"

#include "calls/answer_text.hpp"
#include "calls/failure_mapping.hpp"
#include "mcp/protocol_error.hpp"

namespace holdfast::calls {
namespace {

bool may_be_stale(const CallPlan& plan) {
    return plan.is_tool_call() && plan.is_read &&
           plan.rules->policy().stale_for > resilience::Duration::zero();
}

/// Returns the text of an error that the same call would get again, because the request itself is
/// at fault. Nothing for any other end: an error that shows the agent how to continue, or an error
/// result, after which the tool may succeed once something else has changed.
std::optional<std::string> lasting_error(const PipelineOutcome& outcome) {
    if (!outcome.is_of(policy::ErrorClassId::client_error) &&
        !outcome.is_of(policy::ErrorClassId::rpc_error)) {
        return std::nullopt;
    }
    const downstream::Answer* const answer = outcome.answer();
    if (answer == nullptr) {
        return outcome.fault()->message;
    }
    const bool is_step = answer->error_code == mcp::kUrlElicitationRequired ||
                         answer->error_code == mcp::kMissingClientCapability;
    return answer->is_error() && !is_step ? std::optional{error_message(*answer)} : std::nullopt;
}

}  // namespace

void CallMemory::on_outcome(const agents::AgentRequest& origin, const CallPlan& plan,
                            const PipelineOutcome& outcome, resilience::TimePoint now) {
    if (!plan.is_tool_call()) {
        return;
    }
    const downstream::Answer* const answer = outcome.answer();
    const bool is_good = answer != nullptr && !answer->is_error() && !answer->says_error;
    if (is_good && may_be_stale(plan)) {
        stale_.keep(identity_of_call(origin, plan), plain_result(*answer), now);
    }
    if (is_good && !plan.is_read && !repeats_.is_empty()) {
        repeats_.on_change(plan.server->name);
    }
    const policy::RepeatGuardRules& rules = plan.rules->policy().repeat_guard;
    if (!rules.is_on) {
        return;
    }
    if (const auto error = lasting_error(outcome)) {
        repeats_.on_failure(identity_of_call(origin, plan), plan.server->name, *error, rules, now);
    } else if (!repeats_.is_empty()) {
        repeats_.on_other_end(identity_of_call(origin, plan));
    }
}

void CallMemory::on_refused(const agents::AgentRequest& origin, const CallPlan& plan,
                            std::string_view message, resilience::TimePoint now) {
    const policy::RepeatGuardRules& rules = plan.rules->policy().repeat_guard;
    if (rules.is_on) {
        repeats_.on_failure(identity_of_call(origin, plan), plan.server->name, message, rules, now);
    }
}

std::optional<std::string> CallMemory::error_of_held(const agents::AgentRequest& origin,
                                                     const CallPlan& plan,
                                                     resilience::TimePoint now) const {
    if (!plan.rules->policy().repeat_guard.is_on || repeats_.is_empty()) {
        return std::nullopt;
    }
    return repeats_.error_of_held(identity_of_call(origin, plan), now);
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
