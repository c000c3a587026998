#include "calls/agent_dialogue.hpp"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <utility>

#include "net/run_on.hpp"

namespace holdfast::calls {
namespace {

namespace json = boost::json;
using downstream::CallFault;
using downstream::Question;
using downstream::QuestionAnswer;

constexpr std::string_view kElicitation = "elicitation/create";
constexpr std::string_view kCancelled = R"({"action":"cancel"})";

bool allows(const agents::AgentRequest& origin, std::string_view method, std::string_view params) {
    return agents::abilities_of(origin.agent->face->capabilities).allow(method, params);
}

QuestionAnswer refusal(std::string_view method) {
    if (method == kElicitation) {
        return {.is_error = false, .body = std::string{kCancelled}};
    }
    return {
        .is_error = true,
        .body = R"({"code":-32601,"message":"The agent did not declare that it can do this."})"};
}

QuestionAnswer unreachable() {
    return {.is_error = true,
            .body = R"({"code":-32603,"message":"The agent cannot be asked: it has no stream )"
                    R"(open for questions."})"};
}

}  // namespace

bool refuse_if_unable(const agents::AgentRequest& origin, const Question& question) {
    if (allows(origin, question.method, question.params)) {
        return false;
    }
    question.answer(refusal(question.method));
    return true;
}

bool AgentDialogue::forward(const std::shared_ptr<AgentDialogue>& self,
                            const agents::AgentRequest& origin, Question question) {
    const KeyedQuestion asked{.method = question.method, .params = question.params};
    const auto shared = std::make_shared<Question>(std::move(question));
    const bool is_asked = ask(self, origin, asked, [shared](QuestionAnswer answer) {
        shared->answer(std::move(answer));
    });
    if (!is_asked) {
        shared->answer(unreachable());
    }
    return is_asked;
}

bool AgentDialogue::begin_round(const std::shared_ptr<AgentDialogue>& self,
                                const agents::AgentRequest& origin,
                                const downstream::Answer& answer) {
    auto input = input_required_in(answer);
    if (!input || ++rounds_ > options_.max_rounds) {
        return false;
    }
    round_ = std::make_unique<Round>(Round{.input = std::move(*input), .answers = {}});
    const std::vector<KeyedQuestion>& questions = round_->input.questions;
    round_->answers.resize(questions.size());
    for (std::size_t index = 0; index < questions.size(); ++index) {
        if (!allows(origin, questions[index].method, questions[index].params)) {
            continue;
        }
        std::ignore = ask(self, origin, questions[index], [this, index](QuestionAnswer said) {
            if (round_) {
                round_->answers[index] = std::move(said);
            }
        });  // An agent that cannot be asked gives no answer, which `end_round` handles.
    }
    if (unanswered_ == 0) {
        report_answered(self);
    }
    return true;
}

bool AgentDialogue::ask(const std::shared_ptr<AgentDialogue>& self,
                        const agents::AgentRequest& origin, const KeyedQuestion& question,
                        Handler handler) {
    if (!origin.session) {
        return false;
    }
    const std::string params =
        params_for_agent(question, origin.agent->revision, options_.make_secret());
    const auto number = origin.session->ask(
        question.method, params, origin.port.get(),
        [self, handler = std::move(handler), loop = loop_](QuestionAnswer answer) {
            net::run_on(loop, [self, handler, answer = std::move(answer)]() mutable {
                self->on_answer(self, handler, std::move(answer));
            });
        });
    if (number) {
        asked_.push_back(*number);
        ++unanswered_;
    }
    return number.has_value();
}

void AgentDialogue::on_answer(const std::shared_ptr<AgentDialogue>& self, const Handler& handler,
                              QuestionAnswer answer) {
    handler(std::move(answer));
    if (--unanswered_ == 0) {
        asked_.clear();
        report_answered(self);
    }
}

// The end of a round is posted: if the agent has cancelled the call together with its last answer,
// the server must not be called again.
void AgentDialogue::report_answered(const std::shared_ptr<AgentDialogue>& self) {
    if (!round_) {
        options_.on_answered();
        return;
    }
    boost::asio::post(loop_.executor, [self] { self->options_.on_answered(); });
}

resilience::Result<void, CallFault> AgentDialogue::end_round(CallPlan& plan) {
    const auto round = std::exchange(round_, nullptr);
    Members answers;
    for (std::size_t index = 0; index < round->answers.size(); ++index) {
        const KeyedQuestion& question = round->input.questions[index];
        const auto& answer = round->answers[index];
        if (answer && !answer->is_error) {
            answers.emplace_back(question.key, answer->body);
        } else if (question.method == kElicitation) {
            answers.emplace_back(question.key, kCancelled);
        } else {
            // The protocol has no way to decline this question, so the server cannot continue.
            return CallFault{.kind = CallFault::Kind::http_status,
                             .message = "the server asked the agent for " + question.method +
                                        ", and the agent refused or cannot do that",
                             .delivery = resilience::Delivery::answered};
        }
    }
    plan.set_input(answers, round->input.state);
    return {};
}

void AgentDialogue::withdraw(const agents::AgentRequest& origin) {
    for (const std::uint64_t question : std::exchange(asked_, {})) {
        origin.session->withdraw(question, origin.port.get());
    }
}

void AgentDialogue::collect(Question question) {
    open_.push_back({.asked = {.key = "q" + std::to_string(++last_key_),
                               .method = question.method,
                               .params = question.params},
                     .question = std::move(question)});
}

bool AgentDialogue::collect_urls(const downstream::Answer& error) {
    open_.clear();  // The attempt that asked them has ended.
    Members data;
    for (const auto& [key, value] : members_of(error.body())) {
        if (key == "data") {
            data = members_of(value);
        }
    }
    for (const auto& [key, value] : data) {
        if (key != "elicitations") {
            continue;
        }
        json::error_code parse_error;
        const json::value list = json::parse(value, parse_error);
        const json::array* const urls = parse_error ? nullptr : list.if_array();
        for (const json::value& url : urls != nullptr ? *urls : json::array{}) {
            open_.push_back({.asked = {.key = "q" + std::to_string(++last_key_),
                                       .method = std::string{kElicitation},
                                       .params = json::serialize(url)},
                             .question = {}});
        }
    }
    return !open_.empty();
}

std::vector<KeyedQuestion> AgentDialogue::open_questions() const {
    std::vector<KeyedQuestion> questions;
    questions.reserve(open_.size());
    for (const OpenQuestion& open : open_) {
        questions.push_back(open.asked);
    }
    return questions;
}

void AgentDialogue::answer(Members answers) {
    for (auto& [key, body] : answers) {
        const auto open = std::ranges::find_if(
            open_, [&key](const OpenQuestion& one) { return one.asked.key == key; });
        if (open == open_.end()) {
            continue;
        }
        if (open->question.answer) {
            open->question.answer({.is_error = false, .body = std::move(body)});
        }
        open_.erase(open);
    }
}

}  // namespace holdfast::calls
