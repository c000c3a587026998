#include "calls/call_trace.hpp"

#include <chrono>
#include <functional>
#include <utility>

namespace holdfast::calls {
namespace {

using record::AttemptRecord;
using record::CallRecord;

std::int64_t us_between(resilience::TimePoint from, resilience::TimePoint to) {
    return std::chrono::duration_cast<std::chrono::microseconds>(
               resilience::elapsed_between(from, to))
        .count();
}

// The key identifies an agent to the gateway, so only its hash is recorded.
std::uint64_t shown_session(const agents::AgentRequest& origin) {
    return origin.session ? std::hash<std::string_view>{}(origin.session->key()) : 0;
}

void note_request(CallRecord& record, const agents::AgentRequest& origin, const CallPlan& plan) {
    record.principal = origin.agent->principal;
    record.session = shown_session(origin);
    record.method = plan.request.method;
    record.bytes_in = plan.request.params_members.size();
    record.route = plan.route;
    if (plan.server != nullptr) {
        record.server = plan.server->name;
    }
    if (record.tool.empty()) {
        record.tool = plan.callable != nullptr ? std::string_view{plan.callable->exposed_name}
                                               : std::string_view{plan.uri};
    }
    if (plan.rules) {
        record.policy = plan.rules->resolved.policy_source;
        if (const auto& circuit = plan.rules->resolved.circuit) {
            record.circuit = circuit->name;
        }
    }
}

std::string_view state_text(std::optional<resilience::CircuitState> state) {
    return state ? resilience::name_of(*state) : std::string_view{};
}

}  // namespace

CallTrace::CallTrace(record::Recorder* recorder, const CallId& call_id, resilience::TimePoint now)
    : recorder_(recorder), call_id_(call_id), came_at_(now) {}

void CallTrace::on_attempt_start(std::string_view server, resilience::TimePoint now) {
    if (recorder_ != nullptr) {
        attempts_.push_back({.server = server, .began_us = us_between(came_at_, now)});
    }
}

void CallTrace::on_attempt_end(const downstream::CallResult& result,
                               const policy::ErrorClass* error_class, resilience::TimePoint now) {
    if (recorder_ == nullptr || attempts_.empty()) {
        return;
    }
    AttemptRecord& attempt = attempts_.back();
    attempt.took_us = us_between(came_at_, now) - attempt.began_us;
    if (error_class != nullptr) {
        attempt.end = owned(error_class->name);
    }
    if (!result) {
        attempt.end = error_class == nullptr ? "failed" : attempt.end;
        attempt.detail = owned(result.error().message);
    }
}

void CallTrace::on_ping_end(const downstream::CallResult& result,
                            const policy::ErrorClass* error_class, resilience::TimePoint now) {
    on_attempt_end(result, error_class, now);
    if (recorder_ != nullptr && !attempts_.empty()) {
        std::string_view& detail = attempts_.back().detail;
        detail = detail.empty() ? "a ping" : owned("a ping: " + std::string{detail});
    }
}

std::string_view CallTrace::owned(std::string_view text) {
    return texts_.emplace_front(text);
}

void CallTrace::on_queued(resilience::Duration waited) {
    queue_us_ += std::chrono::duration_cast<std::chrono::microseconds>(waited).count();
}

void CallTrace::on_round_end(const guard::GuardedCall& guarded) {
    if (recorder_ == nullptr) {
        return;
    }
    if (circuit_before_.empty()) {
        circuit_before_ = state_text(guarded.circuit_before());
    }
    circuit_after_ = state_text(guarded.circuit_after());
}

void CallTrace::on_substitute(const surface::Callable& tool) {
    if (requested_tool_.empty()) {
        requested_tool_ = tool.exposed_name;
    }
}

void CallTrace::finish(const agents::AgentRequest& origin, const CallPlan& plan,
                       const TracedEnd& end, resilience::TimePoint now) {
    record::Recorder* const recorder = std::exchange(recorder_, nullptr);
    if (recorder == nullptr) {
        return;
    }
    CallRecord record{.id = call_id_,
                      .tool = requested_tool_,
                      .outcome = end.outcome,
                      .message = end.message,
                      .circuit_before = circuit_before_,
                      .circuit_after = circuit_after_,
                      .queue_us = queue_us_,
                      .total_us = us_between(came_at_, now),
                      .bytes_out = end.bytes_out,
                      .attempts = attempts_};
    if (!requested_tool_.empty() && plan.callable != nullptr) {
        record.substitute = plan.callable->exposed_name;
    }
    note_request(record, origin, plan);
    recorder->on_call(record);
}

void record_refusal(const CallEnvironment& calls, const agents::AgentRequest& origin,
                    const CallPlan& plan, const Failure& failure, std::string_view call_id) {
    if (!calls.recorder) {
        return;
    }
    CallRecord record{.id = call_id,
                      .tool = failure.tool,
                      .outcome = text_of(failure.code),
                      .message = failure.message};
    note_request(record, origin, plan);
    calls.recorder->on_call(record);
}

std::string_view outcome_of(const downstream::Answer& answer,
                            const policy::ErrorClass* error_class) {
    if (answer.is_error()) {
        return error_class == nullptr ? "tool_error" : text_of(FailureCode::downstream_error);
    }
    return answer.says_error ? "tool_error" : "ok";
}

}  // namespace holdfast::calls
