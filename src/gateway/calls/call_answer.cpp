#include <tuple>
#include <utility>

#include "calls/call.hpp"
#include "calls/call_memory.hpp"
#include "calls/failure_mapping.hpp"
#include "calls/suggested_tools.hpp"
#include "jsonrpc/message_writer.hpp"
#include "mcp/protocol_error.hpp"

// From the outcome of a call to its end: the answer or failure for the agent, what later calls
// remember, and the release of everything that the call holds.

namespace holdfast::calls {

using downstream::Answer;

void Call::answer(PipelineOutcome outcome) {
    if (auto* const parked = std::get_if<Parked>(&state_)) {
        parked->outcome = std::move(outcome);
        return;
    }
    environment_->memory->on_outcome(origin_, plan_, outcome, now());
    const std::string_view substitute = substitutes_.requested_tool() != nullptr
                                            ? std::string_view{plan_.callable->exposed_name}
                                            : std::string_view{};
    if (shared_read_.is_empty()) {
        answer_or_fail(outcome, substitute);
        return;
    }
    const auto shared =
        std::make_shared<const SharedOutcome>(SharedOutcome{.outcome = std::move(outcome),
                                                            .substitute = std::string{substitute},
                                                            .rules = plan_.rules});
    if (shared->outcome.asks_for_input()) {
        shared_read_.leave();  // Only this agent can answer the questions.
    } else {
        shared_read_.finish(shared);
    }
    answer_or_fail(shared->outcome, substitute);
}

void Call::answer_or_fail(const PipelineOutcome& outcome, std::string_view substitute) {
    const Answer* const answer = outcome.answer();
    if (answer == nullptr || !is_passed_on(plan_, outcome)) {
        fail(outcome);
        return;
    }
    if (origin_.is_modern() && answer->is_error() &&
        answer->error_code == mcp::kUrlElicitationRequired) {
        ask_for_urls(*answer, outcome.error_class);
        return;
    }
    AnsweredRequest request = answered();
    request.substitute = substitute;
    if (answer->says_error) {
        request.call_id = trace_.call_id();
    }
    finish(answer_text(request, *answer), outcome_of(*answer, outcome.error_class));
}

void Call::fail_with(const downstream::CallFault& fault) {
    fail({.verdict = {.ending = resilience::CallEnding::failed, .attempts = 1}, .result = fault});
}

void Call::fail(const PipelineOutcome& outcome) {
    const auto secrets = environment_->secrets->all();
    const auto suggested = suggests_alternatives(plan_, outcome)
                               ? environment_->suggested->names_for(plan_.callable->exposed_name)
                               : SuggestedTools::Names{};
    const Failure failure = failure_of({.plan = plan_,
                                        .end = outcome,
                                        .call_id = trace_.call_id(),
                                        .secrets = *secrets,
                                        .suggested = suggested},
                                       now());
    if (const auto stale = environment_->memory->stale_answer(origin_, plan_, now())) {
        finish({.message = builtin_result_text(answered(), stale_result(*stale, failure))}, "stale",
               failure.message);
        return;
    }
    finish({.message = plan_.is_tool_call()
                           ? builtin_result_text(answered(), tool_result_of(failure, plan_))
                           : jsonrpc::relayed_error_text(origin_.id, error_object_of(failure))},
           text_of(failure.code), failure.message);
}

void Call::finish(AnswerText text, std::string_view outcome, std::string_view message) {
    if (dialogue_) {
        dialogue_->withdraw(origin_);  // Nothing about a request may follow its answer.
    }
    trace_.finish(origin_, plan_,
                  {.outcome = outcome, .message = message, .bytes_out = text.message.size()},
                  now());
    origin_.port->finish(std::move(text.message), text.http_status);
    origin_.port.reset();
    end();
}

void Call::finish_cancelled(std::string_view message) {
    if (dialogue_) {
        dialogue_->withdraw(origin_);
    }
    trace_.finish(origin_, plan_, {.outcome = "cancelled", .message = message}, now());
    if (origin_.port) {
        origin_.port->abandon();
        origin_.port.reset();
    }
    end();
}

void Call::end() {
    if (const auto* const parked = std::get_if<Parked>(&state_)) {
        // Not found if the agent has just returned and taken the call.
        std::ignore = environment_->parked->take(parked->token);
    }
    const auto* const waiting = std::get_if<Waiting>(&state_);
    const auto coroutine = waiting != nullptr ? waiting->cancellation : nullptr;
    const auto* const probing = std::get_if<Probing>(&state_);
    const auto ping = probing != nullptr ? probing->ping.lock() : nullptr;
    state_ = Done{};
    environment_->in_flight->fetch_sub(1, std::memory_order_relaxed);
    loop_.timekeeper->cancel(timer_);
    agents::leave(origin_);
    if (dialogue_) {
        dialogue_->drop_questions();  // The server gets an error for each.
    }
    attempt_.abandon();
    if (ping) {
        ping->abandon();
    }
    if (coroutine) {
        coroutine->emit(boost::asio::cancellation_type::terminal);  // It releases the guard.
    } else {
        guarded_.reset();
    }
    shared_read_.leave();  // Last: a follower may start at once and need the permit or the slot.
}

AnsweredRequest Call::answered() const {
    return {.id = origin_.id,
            .method = plan_.request.method,
            .uri = plan_.uri,
            .call_id = plan_.wants_call_id ? trace_.call_id() : std::string_view{},
            .era = origin_.agent->era()};
}

}  // namespace holdfast::calls
