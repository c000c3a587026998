#include <algorithm>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <utility>

#include "calls/relayed_call.hpp"
#include "jsonrpc/json_text.hpp"
#include "jsonrpc/message_writer.hpp"
#include "net/run_on.hpp"

// The questions of a legacy server on the way of a call: sent on to a legacy agent, or turned into
// the result of a modern one.

namespace holdfast::calls {
namespace {

namespace asio = boost::asio;
namespace json = boost::json;
using downstream::CallFault;
using downstream::Question;
using downstream::QuestionAnswer;

QuestionAnswer refusal(std::string_view method) {
    if (method == "elicitation/create") {
        return {.is_error = false, .body = R"({"action":"cancel"})"};
    }
    return {
        .is_error = true,
        .body = R"({"code":-32601,"message":"The agent cannot do this: it did not declare it."})"};
}

QuestionAnswer unreachable() {
    return {.is_error = true,
            .body = R"({"code":-32603,"message":"The agent cannot be asked now: it has no stream )"
                    R"(open for questions."})"};
}

json::value parsed(std::string_view text) {
    json::error_code error;
    json::value value = json::parse({text.data(), text.size()}, error);
    return error ? json::value{} : value;
}

std::string_view arguments_in(const Members& members) {
    for (const auto& [key, value] : members) {
        if (key == "arguments") {
            return value;
        }
    }
    return "{}";
}

}  // namespace

// A legacy agent is asked by real requests, all at once.
asio::awaitable<std::optional<Members>> RelayedCall::asked_of_agent(InputRequired input) {
    struct Round {
        explicit Round(resilience::Timekeeper& timekeeper) : all_answered(timekeeper) {}
        resilience::OneShot all_answered;
        std::vector<std::optional<QuestionAnswer>> answers;
        std::size_t missing = 0;
    };
    const auto round = std::make_shared<Round>(*loop_.timekeeper);
    round->answers.resize(input.questions.size());
    const agents::Abilities abilities = agents::abilities_of(origin_.agent->face->capabilities);
    pause();
    for (std::size_t index = 0; index < input.questions.size(); ++index) {
        const KeyedQuestion& question = input.questions[index];
        if (!abilities.allow(question.method, question.params) || !origin_.session) {
            continue;
        }
        const std::string params =
            params_for_agent(question, origin_.agent->revision, environment_->make_secret());
        const auto number = origin_.session->ask(
            question.method, params, origin_.port.get(),
            [round, index, loop = loop_](QuestionAnswer answer) {
                net::run_on(loop, [round, index, answer = std::move(answer)]() mutable {
                    round->answers[index] = std::move(answer);
                    if (--round->missing == 0) {
                        round->all_answered.signal();
                    }
                });
            });
        if (number) {
            ++round->missing;
            asked_.push_back(*number);
        }
    }
    if (round->missing > 0) {
        const auto limit = loop_.timekeeper->now() + environment_->ask_timeout;
        if (co_await round->all_answered.wait_until(limit) != resilience::WakeReason::signalled) {
            on_fault(
                {.kind = is_cancelled_ ? CallFault::Kind::cancelled : CallFault::Kind::timed_out,
                 .message = "the agent did not answer a question of the server in time",
                 .delivery = resilience::Delivery::answered});
            co_return std::nullopt;
        }
    }
    if (is_over_) {
        co_return std::nullopt;  // Cancelled just after the last answer.
    }
    asked_.clear();
    go_on();
    Members answers;
    for (std::size_t index = 0; index < input.questions.size(); ++index) {
        const KeyedQuestion& question = input.questions[index];
        const auto& answer = round->answers[index];
        if (answer && !answer->is_error) {
            answers.emplace_back(question.key, answer->body);
        } else if (question.method == "elicitation/create") {
            answers.emplace_back(question.key, R"({"action":"cancel"})");
        } else {
            // There is no form for "no": the server cannot go on.
            on_fault({.kind = CallFault::Kind::http_status,
                      .message = "the server asked the agent for " + question.method +
                                 ", and the agent refused or cannot do that",
                      .delivery = resilience::Delivery::answered});
            co_return std::nullopt;
        }
    }
    co_return answers;
}

void RelayedCall::on_question(Question question) {
    if (is_over_) {
        return;
    }
    const agents::Abilities abilities = agents::abilities_of(origin_.agent->face->capabilities);
    if (!abilities.allow(question.method, question.params)) {
        question.answer(refusal(question.method));
        return;
    }
    if (!is_modern()) {
        ask_legacy_agent(std::move(question));
        return;
    }
    OpenQuestion open{.asked = {.key = "q" + std::to_string(++last_key_),
                                .method = question.method,
                                .params = question.params},
                      .question = std::move(question)};
    open_questions_.push_back(std::move(open));
    if (origin_.port && waiting_ != Waiting::for_more_questions) {
        pause();
        wait_for(Waiting::for_more_questions, environment_->gather_questions);
    }
}

void RelayedCall::ask_legacy_agent(Question question) {
    const KeyedQuestion asked{.method = question.method, .params = question.params};
    const std::string params =
        params_for_agent(asked, origin_.agent->revision, environment_->make_secret());
    const auto shared = std::make_shared<Question>(std::move(question));
    const std::weak_ptr<RelayedCall> weak = weak_from_this();
    const auto number =
        origin_.session
            ? origin_.session->ask(shared->method, params, origin_.port.get(),
                                   [weak, shared, loop = loop_](QuestionAnswer answer) {
                                       net::run_on(loop, [weak, shared, answer]() mutable {
                                           if (const auto call = weak.lock()) {
                                               call->on_agent_answer(shared, std::move(answer));
                                           }
                                       });
                                   })
            : std::nullopt;
    if (!number) {
        shared->answer(unreachable());
        return;
    }
    asked_.push_back(*number);
    ++unanswered_;
    pause();
}

void RelayedCall::on_agent_answer(const std::shared_ptr<Question>& question,
                                  QuestionAnswer answer) {
    question->answer(std::move(answer));
    if (--unanswered_ == 0 && !is_over_) {
        asked_.clear();
        go_on();
    }
}

void RelayedCall::park() {
    std::vector<KeyedQuestion> questions;
    questions.reserve(open_questions_.size());
    for (const OpenQuestion& open : open_questions_) {
        questions.push_back(open.asked);
    }
    state_ = std::string{kParkedPrefix} + environment_->make_secret();
    if (!environment_->parked->try_park(state_, shared_from_this())) {
        state_.clear();
        on_fault({.kind = downstream::CallFault::Kind::overloaded,
                  .message = "too many calls wait for their agents' answers",
                  .delivery = resilience::Delivery::sent});
        return;
    }
    if (origin_.session) {
        origin_.session->leave(origin_.id);
    }
    const auto port = std::exchange(origin_.port, nullptr);
    wait_for(Waiting::for_agent, environment_->parked_for);
    port->finish(jsonrpc::result_text(origin_.id, input_required_result(questions, state_)), 200);
}

bool RelayedCall::is_resumed_by(const agents::AgentRequest& origin, const CallPlan& plan) const {
    if (origin.agent->principal != origin_.agent->principal ||
        plan.request.method != plan_.request.method || plan.request.name != plan_.request.name) {
        return false;
    }
    // Compared as values: the agent may have written the same arguments another way.
    const Members first = members_of("{" + std::string{first_params()} + "}");
    const Members now = members_of("{" + plan.request.params_members + "}");
    return parsed(arguments_in(first)) == parsed(arguments_in(now));
}

void RelayedCall::resume(agents::AgentRequest origin, Members answers) {
    net::run_on(loop_, [self = shared_from_this(), origin = std::move(origin),
                        answers = std::move(answers)]() mutable {
        self->state_.clear();
        if (self->is_over_) {
            origin.port->finish(
                jsonrpc::error_text(origin.id, {.code = -32602,
                                                .message = "The call that this continues is over; "
                                                           "call again without requestState."}),
                200);
            return;
        }
        self->take_answers(std::move(origin), std::move(answers));
    });
}

void RelayedCall::take_answers(agents::AgentRequest origin, Members answers) {
    origin_ = std::move(origin);
    last_progress_.reset();
    if (origin_.session && !origin_.session->try_enter(origin_.id, weak_from_this())) {
        origin_.session.reset();
    }
    const std::weak_ptr<RelayedCall> weak = weak_from_this();
    origin_.port->on_gone([weak] {
        if (const auto call = weak.lock()) {
            call->cancel();
        }
    });
    for (auto& [key, answer] : answers) {
        const auto open = std::ranges::find_if(
            open_questions_, [&key](const OpenQuestion& one) { return one.asked.key == key; });
        if (open != open_questions_.end()) {
            if (open->question.answer) {
                open->question.answer({.is_error = false, .body = std::move(answer)});
            }
            open_questions_.erase(open);
        }
    }
    if (kept_round_) {
        open_questions_.clear();  // Their asker has ended the call without waiting for them.
        PipelineOutcome end = std::move(*kept_round_);
        kept_round_.reset();
        on_round_end(std::move(end));
    } else if (!open_questions_.empty()) {
        park();
    } else {
        go_on();
        if (std::exchange(runs_again_on_resume_, false)) {
            spawn();
        }
    }
}

// A server of 2025-11-25 may refuse a call until the user has been to some pages. A modern agent
// gets those as questions, and its coming back runs the call anew.
void RelayedCall::ask_for_urls(const downstream::Answer& answer) {
    open_questions_.clear();  // Those of a call that is over.
    Members data;
    for (const auto& [key, value] : members_of(answer.body())) {
        if (key == "data") {
            data = members_of(value);
        }
    }
    for (const auto& [key, value] : data) {
        if (key != "elicitations") {
            continue;
        }
        // Only the params are needed; the list is small, so a tree does no harm to their meaning.
        const json::value list = parsed(value);
        const json::array* urls = list.if_array();
        for (const json::value& url : urls != nullptr ? *urls : json::array{}) {
            open_questions_.push_back({.asked = {.key = "q" + std::to_string(++last_key_),
                                                 .method = "elicitation/create",
                                                 .params = json::serialize(url)},
                                       .question = {}});
        }
    }
    const bool can_visit = agents::abilities_of(origin_.agent->face->capabilities).urls;
    if (!can_visit || open_questions_.empty()) {
        finish(answer_text(answered(), answer), outcome_of(answer, error_class_));
        return;
    }
    runs_again_on_resume_ = true;
    pause();
    park();
}

}  // namespace holdfast::calls
