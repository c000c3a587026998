#include <boost/asio/this_coro.hpp>
#include <chrono>
#include <tuple>
#include <utility>

#include "calls/failure_mapping.hpp"
#include "calls/relayed_call.hpp"
#include "calls/suggested_tools.hpp"
#include "jsonrpc/json_text.hpp"
#include "jsonrpc/object_edit.hpp"

// The way of a call to its downstream: rounds of questions, each of them a way through the
// safeguards, each of those one attempt or several.

namespace holdfast::calls {
namespace {

namespace asio = boost::asio;
using downstream::CallFault;
using downstream::CallResult;
using resilience::CallVerdict;
using resilience::PipelineStep;
using resilience::StartAttempt;

std::string seconds_text(resilience::Duration duration) {
    const double seconds = std::chrono::duration<double>(duration).count();
    std::string text = std::to_string(seconds);
    text.erase(text.find_last_not_of('0') + 1);
    return text.ends_with('.') ? text.substr(0, text.size() - 1) : text;
}

constexpr downstream::ConnectionWait connection_wait_of(policy::WaitForConnection wait) noexcept {
    switch (wait) {
        case policy::WaitForConnection::never:
            return downstream::ConnectionWait::never;
        case policy::WaitForConnection::first_try:
            break;
        case policy::WaitForConnection::always:
            return downstream::ConnectionWait::always;
    }
    return downstream::ConnectionWait::first_try;
}

std::string with_name(std::string_view params_members, const std::string& name) {
    const std::string changed = jsonrpc::with_member("{" + std::string{params_members} + "}",
                                                     "name", jsonrpc::quoted_text(name));
    return changed.substr(1, changed.size() - 2);
}

}  // namespace

asio::awaitable<void> RelayedCall::run(std::shared_ptr<RelayedCall> self) {
    co_await asio::this_coro::throw_if_cancelled(false);
    while (!self->is_over_) {
        PipelineOutcome end = co_await self->run_round();
        if (self->is_over_) {
            break;
        }
        if (self->turn_to_alternative(end)) {
            continue;
        }
        if (!end.asks_for_input() || self->is_modern()) {
            if (self->plan_.rules->policy().suggests_alternatives && self->origin_.port &&
                suggests_alternatives(self->plan_, end)) {
                // The server is gone: its questions are no longer worth an answer.
                self->withdraw_questions();
                self->open_questions_.clear();
                self->loop_.timekeeper->cancel(self->timer_);
                co_await self->environment_->suggested->look_up(self->loop_, self->plan_.surface,
                                                                self->plan_.callable->exposed_name,
                                                                self->call_deadline_.when());
            }
            self->on_round_end(std::move(end));
            break;
        }
        auto input = input_required_in(*end.answer());
        if (!input || ++self->rounds_ > self->environment_->max_rounds) {
            self->on_fault({.kind = CallFault::Kind::malformed,
                            .message = "the server asks for input again and again",
                            .delivery = resilience::Delivery::sent});
            break;
        }
        std::string state = input->state;
        auto answers = co_await self->asked_of_agent(std::move(*input));
        if (!answers) {
            break;
        }
        std::string& params = self->plan_.request.params_members;
        params.resize(self->first_params_bytes_);
        params.append(",").append(retry_members(*answers, state));
    }
    self->guarded_.reset();  // gives back what a call that was cancelled still holds
}

void RelayedCall::enter_guards(std::shared_ptr<const guard::CallRules> rules) {
    const std::string& name =
        plan_.callable != nullptr ? plan_.callable->exposed_name : plan_.server->name;
    guarded_.emplace(plan_.server->guard, std::move(rules),
                     guard::CallFacts{.name = name,
                                      .principal = origin_.agent->principal,
                                      .deadline = call_deadline_,
                                      .is_safe_to_repeat = plan_.is_safe},
                     loop_);
}

// Where the policy says so, no agent's call is what finds out whether a server is well again.
asio::awaitable<void> RelayedCall::ping_before_call() {
    guard::ServerGuard& guard = *plan_.server->guard;
    for (std::uint32_t count = plan_.rules->policy().circuit.figures.successes;
         count > 0 && !is_over_ && guard.awaits_probe(*plan_.rules, loop_.timekeeper->now());
         --count) {
        enter_guards(guard::ServerGuard::rules_for_probe(*plan_.rules));
        const PipelineStep step = guarded_->start();
        const auto* start = std::get_if<StartAttempt>(&step);
        if (start == nullptr) {
            co_return;  // Another probe is under way, or there is no place for this one.
        }
        call_deadline_ = guarded_->deadline();
        const auto status = plan_.server->downstream->status();
        const bool is_modern = status.negotiated && status.negotiated->era() == mcp::Era::modern;
        downstream::Request call =
            std::exchange(plan_.request, {.method = is_modern ? "server/discover" : "ping"});
        const CallResult result = co_await attempt(*start);
        plan_.request = std::move(call);
        // What did not come from the server says nothing about it: the call itself has to find out.
        if (is_over_ || (result && result->delivery != resilience::Delivery::answered)) {
            co_return;
        }
        std::ignore = guarded_->on_attempt_end(result);
        trace_.on_ping_end(result, guarded_->error_class(), loop_.timekeeper->now());
    }
}

asio::awaitable<PipelineOutcome> RelayedCall::run_round() {
    if (plan_.rules->policy().circuit.probe_by == policy::ProbeBy::ping) {
        co_await ping_before_call();
    }
    enter_guards(plan_.rules);
    PipelineOutcome end;
    PipelineStep step = guarded_->start();
    call_deadline_ = guarded_->deadline();
    while (!is_over_ && !std::holds_alternative<CallVerdict>(step)) {
        if (const auto* start = std::get_if<StartAttempt>(&step)) {
            end.result = co_await attempt(*start);
            if (!is_over_) {
                step = guarded_->on_attempt_end(*end.result);
                trace_.on_attempt_end(*end.result, guarded_->error_class(),
                                      loop_.timekeeper->now());
            }
            continue;
        }
        const auto* slot = std::get_if<resilience::WaitForSlot>(&step);
        const auto began = loop_.timekeeper->now();
        auto next = slot != nullptr
                        ? co_await guarded_->wait(*slot)
                        : co_await guarded_->wait(std::get<resilience::WaitBeforeRetry>(step));
        if (!next) {
            break;  // The call is over.
        }
        if (slot != nullptr) {
            trace_.on_queued(resilience::elapsed_between(began, loop_.timekeeper->now()));
        }
        step = *next;
    }
    if (const auto* verdict = std::get_if<CallVerdict>(&step)) {
        end.verdict = *verdict;
    }
    end.error_class = guarded_->error_class();
    trace_.on_round_end(*guarded_);
    co_return end;
}

asio::awaitable<CallResult> RelayedCall::attempt(StartAttempt start) {
    is_cut_off_ = false;
    wait_until(Waiting::for_downstream, start.deadline.when());
    trace_.on_attempt_start(plan_.server->name, loop_.timekeeper->now());
    CallResult result = co_await sent();
    if (auto follow_up = request_for_task(result); follow_up && !is_over_) {
        result = co_await plan_.server->downstream->call(loop_, std::move(*follow_up),
                                                         shared_from_this());
    }
    if (is_over_) {
        co_return result;
    }
    if (waiting_ == Waiting::for_downstream || waiting_ == Waiting::for_cut_off) {
        loop_.timekeeper->cancel(timer_);
    }
    if (is_cut_off_) {
        // What comes next is not cancelled by what ended this attempt.
        co_await asio::this_coro::reset_cancellation_state(asio::enable_terminal_cancellation());
        // A call that waited for the connection was not sent, and no server was slow to answer it.
        if (!result && result.error().kind != CallFault::Kind::not_connected) {
            result = cut_off_fault(result.error());
        }
    }
    co_return result;
}

// Not a coroutine: no call should pay for another frame.
asio::awaitable<CallResult> RelayedCall::sent() {
    plan_.request.connection_wait = connection_wait_of(plan_.rules->policy().wait_for_connection);
    return plan_.server->downstream->call(loop_, plan_.request, shared_from_this());
}

CallFault RelayedCall::cut_off_fault(const CallFault& fault) const {
    const auto& options = plan_.rules->pipeline.options();
    const std::string limit = seconds_text(options.attempt_timeout) + " s";
    return {.kind = CallFault::Kind::timed_out,
            .message = "\"" + plan_.server->name + "\" did not answer within " + limit,
            .brief = "no answer within " + limit,
            .delivery = fault.delivery};
}

// While the circuit of a tool is open, one that is declared to do the same stands in for it.
bool RelayedCall::turn_to_alternative(const PipelineOutcome& end) {
    if (!end.is_refused_by_circuit() || plan_.callable == nullptr || end.result) {
        return false;
    }
    if (requested_tool_ == nullptr) {
        asked_rules_ = plan_.rules;
    }
    const policy::ResolvedTool& rules = asked_rules_->resolved;
    while (next_alternative_ <= rules.alternatives.size()) {
        const std::size_t index = next_alternative_++;
        const std::string& name =
            index < rules.alternatives.size() ? rules.alternatives[index] : rules.fallback;
        const surface::Callable* const other =
            name.empty() ? nullptr : plan_.surface->find_tool(name);
        const auto now = loop_.timekeeper->now();
        if (other == nullptr || other == plan_.callable || !is_healthy(*other, now)) {
            continue;
        }
        trace_.on_stand_in(*plan_.callable);
        requested_tool_ = requested_tool_ != nullptr ? requested_tool_ : plan_.callable;
        plan_.retarget(*other, other->server->guard->rules_for_tool(other->own_name, now));
        plan_.request.params_members = with_name(first_params(), other->own_name);
        first_params_bytes_ = plan_.request.params_members.size();
        return true;
    }
    return false;
}

// A tool that runs as a task only answers with the task's name; its result is asked for by that.
std::optional<downstream::Request> RelayedCall::request_for_task(
    const downstream::CallResult& result) const {
    if (plan_.callable == nullptr || !plan_.callable->needs_task || !result || result->is_error()) {
        return std::nullopt;
    }
    for (const auto& [key, task] : members_of(result->body())) {
        if (key != "task") {
            continue;
        }
        for (const auto& [name, value] : members_of(task)) {
            if (name == "taskId") {
                downstream::Request request{.method = "tasks/result",
                                            .params_members = "\"taskId\":" + value};
                request.agent = plan_.request.agent;
                return request;
            }
        }
    }
    return std::nullopt;
}

}  // namespace holdfast::calls
