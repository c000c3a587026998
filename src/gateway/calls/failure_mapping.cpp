#include "calls/failure_mapping.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/secret.hpp"
#include "calls/failure_text.hpp"
#include "calls/input_round.hpp"
#include "jsonrpc/json_text.hpp"
#include "jsonrpc/json_writer.hpp"
#include "jsonrpc/redaction.hpp"
#include "mcp/protocol_error.hpp"
#include "policy/failure_code.hpp"

namespace holdfast::calls {
namespace {

using downstream::Answer;
using downstream::CallFault;
using jsonrpc::JsonWriter;
using policy::ErrorClassId;
using resilience::CallEnding;
using resilience::RefusalReason;

constexpr int kFirstServerError = 500;
constexpr std::size_t kMaxSuggested = 2;

/// The code, and a sentence about what happened.
struct Happening {
    FailureCode code = FailureCode::downstream_error;
    std::string message = {};
};

Happening of_refusal(const PipelineOutcome& end, const CallPlan& plan) {
    const std::string server = "\"" + plan.server->name + "\"";
    switch (end.verdict.refusal->reason) {
        case RefusalReason::circuit_open:
        case RefusalReason::circuit_probing:
            return {FailureCode::circuit_open,
                    "its circuit breaker is open after repeated failures of " + server};
        case RefusalReason::circuit_forced_open:
            return {FailureCode::circuit_open, "its circuit breaker was opened by an operator"};
        case RefusalReason::rate_limited:
            return {FailureCode::rate_limited, "the rate limit of " + server + " is exceeded"};
        case RefusalReason::queue_full:
            return {FailureCode::overloaded, "the queue of " + server + " is full"};
        case RefusalReason::queue_too_slow:
            return {FailureCode::overloaded,
                    "the calls before it at " + server + " would take longer than its timeout"};
        case RefusalReason::queue_wait_exceeded:
            return {FailureCode::overloaded, server + " is at its concurrency limit"};
        case RefusalReason::key_limit_reached:
            return {FailureCode::overloaded, "too many different calls are in flight"};
    }
    return {FailureCode::overloaded, server + " is unavailable"};
}

Happening of_attempt(const PipelineOutcome& end) {
    const FailureCode classified = policy::failure_code(end.error_class);
    if (const Answer* const answer = end.answer()) {
        return {classified, error_message(*answer)};
    }
    const CallFault& fault = *end.fault();
    if (fault.is_given_up) {
        return {FailureCode::retry_exhausted, fault.message};
    }
    if (fault.is_starting) {
        return {FailureCode::starting, fault.message};
    }
    return {end.error_class == nullptr ? code_of(fault) : classified, fault.message};
}

Happening happening_of(const PipelineOutcome& end, const CallPlan& plan) {
    if (end.result) {
        return of_attempt(end);
    }
    if (end.verdict.refusal) {
        return of_refusal(end, plan);
    }
    return {FailureCode::timeout,
            "the call timed out waiting for a free slot on \"" + plan.server->name + "\""};
}

bool is_retryable(FailureCode code, const FailedCall& call) {
    switch (code) {
        case FailureCode::unauthorized:
        case FailureCode::result_too_large:
        case FailureCode::tool_not_found:
        case FailureCode::invalid_arguments:
            return false;
        case FailureCode::downstream_error: {
            const CallFault* const fault = call.end.fault();
            const int status = fault != nullptr ? fault->http_status : 0;
            return status >= kFirstServerError || call.end.is_of(ErrorClassId::server_error) ||
                   call.end.is_of(ErrorClassId::internal_error);
        }
        default:
            return true;
    }
}

std::string arguments_of(const FailedCall& call) {
    for (const auto& [key, value] : members_of("{" + call.plan.request.params_members + "}")) {
        if (key == "arguments") {
            return jsonrpc::redacted(value, call.secrets);
        }
    }
    return "{}";
}

/// The tool of that name if an agent can call it now instead of the one that failed.
const surface::Callable* healthy_tool(const CallPlan& plan, std::string_view name,
                                      resilience::TimePoint now) {
    const surface::Callable* const other = plan.surface ? plan.surface->find_tool(name) : nullptr;
    const bool is_another = other != nullptr && other != plan.callable;
    return is_another && is_healthy(*other, now) ? other : nullptr;
}

/// The alternatives of the tool's rule, then the suggested ones while there are fewer than two.
std::vector<std::string> healthy_alternatives(const FailedCall& call, resilience::TimePoint now) {
    std::vector<std::string> names;
    for (const std::string& name : call.plan.rules->resolved.alternatives) {
        if (const surface::Callable* const other = healthy_tool(call.plan, name, now)) {
            names.push_back(other->exposed_name);
        }
    }
    for (const std::string& name : call.suggested) {
        if (names.size() >= kMaxSuggested) {
            break;
        }
        const surface::Callable* const other = healthy_tool(call.plan, name, now);
        if (other != nullptr && other->server != call.plan.server &&
            std::ranges::find(names, other->exposed_name) == names.end()) {
            names.push_back(other->exposed_name);
        }
    }
    return names;
}

FailureContext facts_of(const FailedCall& call, const Failure& failure, resilience::TimePoint now) {
    FailureContext facts{.arguments = arguments_of(call),
                         .detail = failure.message,
                         .last_error = failure.message,
                         .attempts = call.end.verdict.attempts,
                         .alternatives = healthy_alternatives(call, now)};
    if (const CallFault* const fault = call.end.fault()) {
        facts.http_status = fault->http_status;
        facts.last_error = fault->brief.empty() ? facts.last_error : fault->brief;
        facts.detail = base::without_secrets(fault->detail.empty() ? fault->message : fault->detail,
                                             call.secrets);
    }
    return facts;
}

std::string duration_text(resilience::Duration duration) {
    return std::to_string(std::chrono::duration_cast<std::chrono::milliseconds>(duration).count()) +
           "ms";
}

std::string debug_object(const FailedCall& call, const FailureContext& facts) {
    const auto& options = call.plan.rules->pipeline.options();
    JsonWriter writer;
    writer.begin_object();
    writer.key("arguments").raw(facts.arguments);
    writer.key("timeout").text(duration_text(options.timeout));
    writer.key("attemptTimeout").text(duration_text(options.attempt_timeout));
    writer.key("attempt").number(facts.attempts);
    writer.key("policy").text(call.plan.rules->resolved.policy_source);
    if (call.plan.rules->resolved.circuit) {
        writer.key("circuit").text(call.plan.rules->resolved.circuit->name);
    }
    if (call.end.error_class != nullptr) {
        writer.key("class").text(call.end.error_class->name);
    }
    writer.end_object();
    return writer.take();
}

std::string object_members(const FailedCall& call, const FailureContext& facts,
                           std::optional<FailureCode> cause) {
    JsonWriter writer;
    writer.key("attempts").number(facts.attempts);
    if (cause) {
        writer.key("cause").text(text_of(*cause));
    }
    if (!facts.alternatives.empty()) {
        writer.key("alternatives").texts(facts.alternatives);
    }
    writer.text_unless_empty("callId", call.call_id);
    return writer.take();
}

/// False for a call that timed out during its last attempt: it ran out of time, not of attempts.
/// False for a call that only waited for the connection: it was never sent.
bool has_used_up_attempts(const PipelineOutcome& end) {
    const CallFault* const fault = end.fault();
    const bool was_connected = fault == nullptr || fault->kind != CallFault::Kind::not_connected;
    return end.verdict.stop == resilience::RetryStop::attempts_used_up &&
           end.verdict.attempts > 1 && end.verdict.ending != CallEnding::timed_out && was_connected;
}

bool may_have_side_effects(const FailedCall& call) {
    const CallFault* const fault = call.end.fault();
    const bool was_unanswered = fault != nullptr && fault->delivery == resilience::Delivery::sent;
    // A server that returns an internal error may still have done the work.
    const bool has_failed_inside =
        call.end.answer() != nullptr && call.end.is_of(ErrorClassId::internal_error);
    return call.end.verdict.side_effects_possible ||
           ((was_unanswered || has_failed_inside) && !call.plan.is_safe);
}

}  // namespace

std::string error_message(const Answer& answer) {
    for (const auto& [key, value] : members_of(answer.body())) {
        if (key == "message" && value.starts_with('"') && value != R"("")") {
            return jsonrpc::decoded(value);
        }
    }
    return "the server returned an error without a message";
}

bool is_passed_on(const CallPlan& plan, const PipelineOutcome& end) {
    const Answer& answer = *end.answer();
    const policy::Policy& policy = plan.rules->policy();
    const bool is_error_of_tool = answer.is_error() && plan.request.method == "tools/call";
    if (!is_error_of_tool || answer.error_code == mcp::kUrlElicitationRequired ||
        policy.classifies_results) {
        return true;
    }
    // A bridge may report that its browser is gone. An error that has a failure code of the gateway
    // is reported under that code.
    if (policy::failure_code(end.error_class) != FailureCode::downstream_error) {
        return false;
    }
    return !has_used_up_attempts(end) &&
           policy.effective_detail() != policy::Detail::self_correct &&
           policy.degrade.as != policy::DegradeAs::result;
}

FailureCode failure_code_of(const CallPlan& plan, const PipelineOutcome& end) {
    return has_used_up_attempts(end) ? FailureCode::retry_exhausted : happening_of(end, plan).code;
}

bool suggests_alternatives(const CallPlan& plan, const PipelineOutcome& end) {
    if (plan.callable == nullptr || plan.request.method != "tools/call" ||
        !plan.rules->policy().suggests_alternatives) {
        return false;
    }
    if (end.answer() != nullptr && is_passed_on(plan, end)) {
        return false;
    }
    switch (failure_code_of(plan, end)) {
        case FailureCode::circuit_open:
        case FailureCode::connection_lost:
        case FailureCode::retry_exhausted:
            return true;
        default:
            return false;
    }
}

Failure failure_of(const FailedCall& call, resilience::TimePoint now) {
    const resilience::CallVerdict& verdict = call.end.verdict;
    Happening happening = happening_of(call.end, call.plan);
    std::optional<FailureCode> cause;
    if (has_used_up_attempts(call.end)) {
        cause = std::exchange(happening.code, FailureCode::retry_exhausted);
    }
    Failure failure{.code = happening.code,
                    .server = call.plan.server->name,
                    .message = base::without_secrets(happening.message, call.secrets)};
    if (call.plan.request.method == "tools/call") {
        failure.tool = call.plan.callable->exposed_name;
    }
    const CallFault* const fault = call.end.fault();
    failure.may_have_side_effects = may_have_side_effects(call);
    failure.is_retryable = is_retryable(failure.code, call) && !failure.may_have_side_effects;
    failure.retry_after = verdict.retry_after;
    if (!failure.retry_after && fault != nullptr) {
        failure.retry_after = fault->retry_after;
    }
    const FailureContext facts = facts_of(call, failure, now);
    const policy::Detail detail = call.plan.rules->policy().effective_detail();
    failure.words = words_for(call, failure, facts);
    if (detail == policy::Detail::minimal) {
        failure.server.clear();
        return failure;
    }
    failure.more_members = object_members(call, facts, cause);
    if (detail == policy::Detail::debug) {
        failure.more_members += R"(,"debug":)" + debug_object(call, facts);
    }
    return failure;
}

std::string tool_result_of(const Failure& failure, const CallPlan& plan) {
    if (plan.rules->policy().degrade.as == policy::DegradeAs::result) {
        JsonWriter writer;
        writer.begin_object().key("content").begin_array().begin_object();
        writer.key("type").text("text");
        writer.key("text").text(failure.words);
        writer.end_object().end_array();
        writer.key("_meta").begin_object();
        writer.key("dev.holdfast/failure").raw(json_of(failure));
        writer.end_object().end_object();
        return writer.take();
    }
    return tool_result_of(failure);
}

}  // namespace holdfast::calls
