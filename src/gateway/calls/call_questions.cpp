#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <utility>

#include "calls/call.hpp"
#include "jsonrpc/message_writer.hpp"
#include "net/run_on.hpp"

// What the agent is asked during a call. `AgentDialogue` has the questions; here is what they do to
// the state of the call: its clock stops, the guards are left, and it may be parked.

namespace holdfast::calls {
namespace {

namespace json = boost::json;
using downstream::CallFault;
using resilience::Deadline;

json::value parsed(std::string_view text) {
    json::error_code error;
    json::value value = json::parse({text.data(), text.size()}, error);
    return error ? json::value{} : value;
}

json::value arguments_in(std::string_view params_members) {
    for (const auto& [key, value] : members_of("{" + std::string{params_members} + "}")) {
        if (key == "arguments") {
            return parsed(value);
        }
    }
    return json::object{};
}

}  // namespace

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
        return;  // A ping has no agent. The server gets an error when the question is dropped.
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

// The guards are left: a question can take minutes, and shows that the server is healthy.
void Call::stop_clock(resilience::Duration limit) {
    if (!std::holds_alternative<Running>(state_)) {
        return;
    }
    attempt_.pause();
    guarded_->leave();
    state_ = AskingAgent{.remaining = deadline().remaining(now())};
    wait_at_most(limit);
    // What this agent answers is meant for this call alone. Last: a follower may start at once.
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

void Call::park() {
    const resilience::Duration remaining = deadline().remaining(now());
    std::string token = std::string{kParkedPrefix} + environment_->make_secret();
    if (!environment_->parked->try_park(token, shared_from_this())) {
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

bool Call::is_resumed_by(const agents::AgentRequest& origin, const CallPlan& plan) const {
    if (origin.agent->principal != origin_.agent->principal ||
        plan.request.method != plan_.request.method || plan.request.name != plan_.request.name) {
        return false;
    }
    // Compared as values: the agent may write the same arguments in another way.
    return arguments_in(plan_.agent_params()) == arguments_in(plan.request.params_members);
}

void Call::resume(agents::AgentRequest origin, Members answers) {
    net::run_on(loop_, [self = shared_from_this(), origin = std::move(origin),
                        answers = std::move(answers)]() mutable {
        if (!self->is_done()) {
            self->take_answers(std::move(origin), std::move(answers));
            return;
        }
        origin.port->finish(
            jsonrpc::error_text(
                origin.id, {.code = -32602,
                            .message = "The call has ended. Call again without requestState."}),
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
        dialogue_->drop_questions();  // The server has ended the call without waiting for them.
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

// A server of 2025-11-25 may refuse a call until the user has visited some pages. A modern agent
// gets those as questions, and the call is sent again when the agent returns.
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
