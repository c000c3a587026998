#include "gateway/call_trace.hpp"

#include <array>
#include <charconv>
#include <chrono>
#include <functional>
#include <utility>

namespace holdfast::gateway {
namespace {

using telemetry::AttemptRecord;
using telemetry::CallRecord;

/// A larger result is not looked into for the sake of its record.

std::int64_t us_between(resilience::TimePoint from, resilience::TimePoint to) {
    return std::chrono::duration_cast<std::chrono::microseconds>(
               resilience::elapsed_between(from, to))
        .count();
}

// The key itself is what an agent is known by: it is not for other eyes.
std::string shown_session(const CallOrigin& origin) {
    if (!origin.session) {
        return {};
    }
    std::array<char, 16> digits{};
    constexpr int kHexadecimal = 16;
    const auto [end, fault] =
        std::to_chars(digits.data(), digits.data() + digits.size(),
                      std::hash<std::string_view>{}(origin.session->key()), kHexadecimal);
    return {digits.data(), end};
}

void note_request(CallRecord& record, const CallOrigin& origin, const CallPlan& plan) {
    record.principal = origin.agent->principal;
    record.session = shown_session(origin);
    record.method = plan.request.method;
    record.bytes_in = plan.request.params_members.size();
    record.route = plan.route;
    if (plan.server != nullptr) {
        record.server = plan.server->name;
    }
    if (record.tool.empty()) {
        record.tool = plan.callable != nullptr ? plan.callable->exposed_name : plan.uri;
    }
    if (plan.rules) {
        record.policy = plan.rules->resolved.policy_source;
        record.circuit = plan.rules->resolved.circuit ? plan.rules->resolved.circuit->name : "";
    }
}

std::string state_text(std::optional<resilience::CircuitState> state) {
    return state ? std::string{resilience::name_of(*state)} : std::string{};
}

}  // namespace

CallTrace::CallTrace(telemetry::Recorder* recorder, resilience::TimePoint now)
    : recorder_(recorder), came_at_(now) {}

void CallTrace::on_attempt_start(const std::string& server, resilience::TimePoint now) {
    if (recorder_ != nullptr) {
        record_.attempts.push_back({.server = server, .began_us = us_between(came_at_, now)});
    }
}

void CallTrace::on_attempt_end(const downstream::CallResult& result, std::string_view error_class,
                               resilience::TimePoint now) {
    if (recorder_ == nullptr || record_.attempts.empty()) {
        return;
    }
    AttemptRecord& attempt = record_.attempts.back();
    attempt.took_us = us_between(came_at_, now) - attempt.began_us;
    if (!error_class.empty()) {
        attempt.end = error_class;
    }
    if (!result) {
        attempt.end = error_class.empty() ? std::string{"failed"} : std::string{error_class};
        attempt.detail = result.error().message;
    }
}

void CallTrace::on_ping_end(const downstream::CallResult& result, std::string_view error_class,
                            resilience::TimePoint now) {
    on_attempt_end(result, error_class, now);
    if (recorder_ != nullptr && !record_.attempts.empty()) {
        std::string& detail = record_.attempts.back().detail;
        detail.insert(0, detail.empty() ? "a ping" : "a ping: ");
    }
}

void CallTrace::on_queued(resilience::Duration waited) {
    record_.queue_us += std::chrono::duration_cast<std::chrono::microseconds>(waited).count();
}

void CallTrace::on_round_end(const guard::GuardedCall& guarded) {
    if (recorder_ == nullptr) {
        return;
    }
    if (record_.circuit_before.empty()) {
        record_.circuit_before = state_text(guarded.circuit_before());
    }
    record_.circuit_after = state_text(guarded.circuit_after());
}

void CallTrace::on_stand_in(const Callable& tool) {
    if (record_.tool.empty()) {
        record_.tool = tool.exposed_name;
    }
}

void CallTrace::finish(const CallOrigin& origin, const CallPlan& plan, std::string_view call_id,
                       const TracedEnd& end, resilience::TimePoint now) {
    telemetry::Recorder* const recorder = std::exchange(recorder_, nullptr);
    if (recorder == nullptr) {
        return;
    }
    record_.id = call_id;
    // Before the request is noted the record has a tool only if another one stands in for it.
    if (!record_.tool.empty() && plan.callable != nullptr) {
        record_.stand_in = plan.callable->exposed_name;
    }
    note_request(record_, origin, plan);
    record_.outcome = end.outcome;
    record_.message = end.message;
    record_.bytes_out = end.bytes_out;
    record_.total_us = us_between(came_at_, now);
    recorder->on_call(std::move(record_));
}

void record_refusal(const CallEnvironment& calls, const CallOrigin& origin, const CallPlan& plan,
                    const Failure& failure, std::string_view call_id) {
    if (!calls.recorder) {
        return;
    }
    CallRecord record;
    record.id = call_id;
    record.tool = failure.tool;
    note_request(record, origin, plan);
    record.outcome = text_of(failure.code);
    record.message = failure.message;
    calls.recorder->on_call(std::move(record));
}

std::string_view outcome_of(const downstream::Answer& answer, std::string_view error_class) {
    if (answer.is_error()) {
        return error_class.empty() ? "tool_error" : text_of(FailureCode::downstream_error);
    }
    return answer.says_error ? "tool_error" : "ok";
}

}  // namespace holdfast::gateway
