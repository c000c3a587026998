#include <utility>

#include "calls/call.hpp"

// Questions to the agent during a call. `AgentDialogue` has the questions; this file has their
// effect on the state of the call: its clock stops, and it leaves the guards. `call_parking.cpp`
// parks it for a modern agent.

namespace holdfast::calls {

using downstream::CallFault;
using resilience::Deadline;

std::shared_ptr<AgentDialogue> Call::dialogue() {
    if (!dialogue_) {
        dialogue_ = std::make_unique<AgentDialogue>(
            loop_, AgentDialogue::Options{.make_secret = environment_->make_secret,
                                          .max_rounds = environment_->max_rounds,
                                          .on_answered = [this] { on_agent_answered(); }});
    }
    return {shared_from_this(), dialogue_.get()};
}

void Call::on_question(downstream::Question question) {
    if (std::holds_alternative<Probing>(state_)) {
        return;  // A ping has no agent. Dropping the question sends an error to the server.
    }
    if (refuse_if_unable(origin_, question)) {
        return;
    }
    if (origin_.is_modern()) {
        dialogue()->collect(std::move(question));
        stop_clock(environment_->gather_questions);
        return;
    }
    const auto asking = dialogue();
    if (asking->forward(asking, origin_, std::move(question))) {
        stop_clock(environment_->ask_timeout);
    }
}

// Leaves the guards: an answer can take minutes, and a server that asks a question is healthy.
void Call::stop_clock(resilience::Duration limit) {
    if (!std::holds_alternative<Running>(state_)) {
        return;
    }
    attempt_.pause();
    guarded_->leave();
    state_ = AskingAgent{.remaining = deadline().remaining(now())};
    wait_at_most(limit);
    // This agent's answers must not affect other calls. Last: a follower may start at once.
    shared_read_.leave();
}

void Call::ask_for_input(const downstream::Answer& answer) {
    stop_clock(environment_->ask_timeout);
    const auto asking = dialogue();
    if (!asking->begin_round(asking, origin_, answer)) {
        fail_with({.kind = CallFault::Kind::malformed,
                   .message = "the server asks for input again and again",
                   .delivery = resilience::Delivery::sent});
    }
}

void Call::on_agent_answered() {
    if (!std::holds_alternative<AskingAgent>(state_)) {
        return;
    }
    loop_.timekeeper->cancel(timer_);
    state_ = Running{.deadline = deadline()};
    if (!dialogue_->has_round()) {
        attempt_.resume(deadline());
        return;
    }
    if (const auto input = dialogue_->end_round(plan_); !input) {
        fail_with(input.error());
        return;
    }
    begin(deadline());
}

// A server of 2025-11-25 may refuse a call until the user has visited some pages. A modern agent
// receives the pages as questions, and the call is sent again when the agent returns.
void Call::ask_for_urls(const downstream::Answer& answer, const policy::ErrorClass* error_class) {
    const bool can_visit = agents::abilities_of(origin_.agent->face->capabilities).urls;
    if (!dialogue()->collect_urls(answer) || !can_visit) {
        finish(answer_text(answered(), answer), outcome_of(answer, error_class));
        return;
    }
    stop_clock(environment_->gather_questions);
    park();
}

}  // namespace holdfast::calls
