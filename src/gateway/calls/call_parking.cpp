#include <utility>

#include "calls/call.hpp"
#include "jsonrpc/message_writer.hpp"
#include "net/run_on.hpp"

// A call waits for a modern agent, which gets the questions as its result: it is parked, and
// resumed when the agent returns with the answers. `ParkedCalls` is the table of the calls that
// wait.

namespace holdfast::calls {

using downstream::CallFault;

namespace {

constexpr std::string_view kEndedWhileParked =
    " It was sent to the server and may have taken effect. Verify before you call again without "
    "requestState.";

}  // namespace

void Call::park() {
    const resilience::Duration remaining = deadline().remaining(now());
    std::string token = std::string{kParkedPrefix} + environment_->make_secret();
    if (!environment_->parked->try_park(
            token, shared_from_this(),
            parked_request_of(origin_, plan_, substitutes_.requested_tool()))) {
        fail_with({.kind = CallFault::Kind::overloaded,
                   .message = "too many calls wait for their agents' answers",
                   .delivery = resilience::Delivery::sent});
        return;
    }
    agents::leave(origin_);
    const auto port = std::exchange(origin_.port, nullptr);
    std::string result = input_required_result(dialogue_->open_questions(), token);
    state_ = Parked{.remaining = remaining, .token = std::move(token)};
    wait_at_most(environment_->parked_for);
    port->finish(jsonrpc::result_text(origin_.id, result), 200);
}

void Call::resume(agents::AgentRequest origin, Members answers) {
    net::run_on(loop_, [self = shared_from_this(), origin = std::move(origin),
                        answers = std::move(answers)]() mutable {
        if (!self->is_done()) {
            self->take_answers(std::move(origin), std::move(answers));
            return;
        }
        const std::string_view advice =
            self->plan_.is_safe ? " Call again without requestState." : kEndedWhileParked;
        origin.port->finish(jsonrpc::error_text(origin.id, {.code = -32602,
                                                            .message = "The call has ended." +
                                                                       std::string{advice}}),
                            200);
    });
}

void Call::take_answers(agents::AgentRequest origin, Members answers) {
    Parked parked = std::move(std::get<Parked>(state_));
    loop_.timekeeper->cancel(timer_);
    state_ = AskingAgent{.remaining = parked.remaining};
    origin_ = std::move(origin);
    if (origin_.session && !origin_.session->try_enter(origin_.id, weak_from_this())) {
        origin_.session.reset();
    }
    watch_port();
    dialogue_->answer(std::move(answers));
    if (parked.outcome) {
        dialogue_->drop_questions();  // The server ended the call without waiting for the answers.
        answer(std::move(*parked.outcome));
        return;
    }
    if (!dialogue_->open_questions().empty()) {
        park();
        return;
    }
    state_ = Running{.deadline = deadline()};
    if (attempt_.is_running()) {
        attempt_.resume(deadline());
    } else {
        begin(deadline());  // The server ended the attempt with the pages to visit.
    }
}

}  // namespace holdfast::calls
