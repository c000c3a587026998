#include "gateway/relayed_call.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/this_coro.hpp>
#include <charconv>
#include <exception>
#include <tuple>
#include <utility>

#include "gateway/failure.hpp"
#include "gateway/log_level.hpp"
#include "gateway/on_loop.hpp"
#include "jsonrpc/json_text.hpp"
#include "jsonrpc/message_writer.hpp"
#include "jsonrpc/object_edit.hpp"
#include "jsonrpc/thread_reader.hpp"
#include "mcp/edge_fault.hpp"

// A call lives as long as somebody may still bring it something: its coroutine while the downstream
// works, the table of parked calls while the agent thinks. The coroutine holds the call; the call
// holds its port until the answer. Everything happens on one loop, so a step is never interrupted.

namespace holdfast::gateway {
namespace {

namespace asio = boost::asio;
using downstream::Answer;
using downstream::CallFault;
using downstream::CallResult;
using downstream::Notification;
using downstream::Question;
using downstream::QuestionAnswer;
using downstream::ResultType;

void expect_no_exception(const std::exception_ptr& error) {
    HOLDFAST_EXPECT(error == nullptr);
}

std::string progress_params(std::string_view params, std::string_view token) {
    const jsonrpc::PaddedText text{std::string{params}};
    return jsonrpc::ObjectEdit{jsonrpc::part_reader().read_object(text, text.view())}
        .set("progressToken", token)
        .text();
}

double progress_in(std::string_view params) {
    double progress = 0;
    for (const auto& [key, value] : members_of(params)) {
        if (key == "progress") {
            std::from_chars(value.data(), value.data() + value.size(), progress);
        }
    }
    return progress;
}

std::string seconds_text(resilience::Duration duration) {
    return std::to_string(std::chrono::duration_cast<std::chrono::seconds>(duration).count());
}

}  // namespace

void RelayedCall::start(net::OwningLoop loop, std::shared_ptr<const CallEnvironment> environment,
                        CallOrigin origin, CallPlan plan) {
    const auto call = std::make_shared<RelayedCall>(std::move(loop), std::move(environment),
                                                    std::move(origin), std::move(plan));
    const std::shared_ptr<AgentSession> session = call->origin_.session;
    if (session && !session->try_enter(call->origin_.id, call)) {
        call->is_over_ = true;
        call->origin_.port->finish(
            jsonrpc::error_text(call->origin_.id,
                                {.code = jsonrpc::kInvalidRequest,
                                 .message = "A request with this id is still being worked on, or "
                                            "too many are; use another id for each request."}),
            200);
        return;
    }
    call->launch();
}

RelayedCall::RelayedCall(net::OwningLoop loop, std::shared_ptr<const CallEnvironment> environment,
                         CallOrigin origin, CallPlan plan)
    : loop_(std::move(loop)),
      environment_(std::move(environment)),
      origin_(std::move(origin)),
      plan_(std::move(plan)),
      first_params_(plan_.request.params_members) {}

RelayedCall::~RelayedCall() {
    if (timer_.is_scheduled()) {
        loop_.timekeeper->cancel(timer_);
    }
}

void RelayedCall::launch() {
    const std::weak_ptr<RelayedCall> weak = weak_from_this();
    origin_.port->on_gone([weak] {
        if (const auto call = weak.lock()) {
            call->cancel();
        }
    });
    wait_for(Waiting::for_downstream, environment_->call_timeout);
    spawn();
}

void RelayedCall::spawn() {
    // The handler holds the call: Asio still looks at the slot after the coroutine has let go of
    // it.
    asio::co_spawn(
        loop_.executor, run(shared_from_this()),
        asio::bind_cancellation_slot(cancellation_.slot(),
                                     [self = shared_from_this()](const std::exception_ptr& error) {
                                         expect_no_exception(error);
                                     }));
}

asio::awaitable<void> RelayedCall::run(std::shared_ptr<RelayedCall> self) {
    co_await asio::this_coro::throw_if_cancelled(false);
    while (!self->is_over_) {
        downstream::Request request = self->plan_.request;
        auto result =
            co_await self->plan_.server->downstream->call(self->loop_, std::move(request), self);
        if (auto follow_up = self->request_for_task(result)) {
            result = co_await self->plan_.server->downstream->call(self->loop_,
                                                                   std::move(*follow_up), self);
        }
        const bool asks =
            result && !result->is_error() && result->result_type == ResultType::input_required;
        if (!asks || self->is_modern()) {
            self->on_result(std::move(result));
            break;
        }
        auto input = input_required_in(*result);
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
        self->plan_.request.params_members =
            self->first_params_ + ',' + retry_members(*answers, state);
    }
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
    const Abilities abilities = abilities_of(origin_.agent->face->capabilities);
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
                on_loop(loop, [round, index, answer = std::move(answer)]() mutable {
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

void RelayedCall::cancel() {
    on_loop(loop_, [self = shared_from_this()] {
        if (self->is_over_) {
            return;
        }
        self->is_cancelled_ = true;
        self->withdraw_questions();
        if (self->origin_.port) {
            self->origin_.port->abandon();
            self->origin_.port.reset();
        }
        self->end();
    });
}

void RelayedCall::wait_for(Waiting what, resilience::Duration limit) {
    waiting_ = what;
    deadline_ = resilience::saturating_add(loop_.timekeeper->now(), limit);
    loop_.timekeeper->schedule(timer_, deadline_);
}

void RelayedCall::pause() {
    if (!is_paused_) {
        is_paused_ = true;
        left_ = resilience::elapsed_between(loop_.timekeeper->now(), deadline_);
        wait_for(Waiting::for_agent, environment_->ask_timeout);
    }
}

void RelayedCall::go_on() {
    if (is_paused_) {
        is_paused_ = false;
        wait_for(Waiting::for_downstream, left_);
    }
}

void RelayedCall::on_time() {
    const auto self = shared_from_this();
    if (waiting_ == Waiting::for_more_questions) {
        park();
        return;
    }
    const bool is_parked = !state_.empty();
    if (is_parked) {
        end();
        return;
    }
    const bool by_agent = waiting_ == Waiting::for_agent;
    on_fault({.kind = CallFault::Kind::timed_out,
              .message = by_agent ? "the agent did not answer a question of the server in time"
                                  : plan_.server->name + " did not answer within " +
                                        seconds_text(environment_->call_timeout) + " s",
              .delivery = resilience::Delivery::sent});
}

void RelayedCall::on_notification(Notification notification) {
    if (is_over_) {
        return;
    }
    if (notification.method == "notifications/progress") {
        relay_progress(notification);
    } else if (notification.method == "notifications/message") {
        relay_log(notification);
    } else if (environment_->on_stray) {
        environment_->on_stray(*plan_.server, origin_.agent->face->key, std::move(notification));
    }
}

void RelayedCall::relay_progress(const Notification& notification) {
    if (!origin_.port || origin_.progress_token.empty()) {
        return;
    }
    // Each round of questions is a request of its own to the server, which begins to count anew.
    const double progress = progress_in(notification.params);
    if (last_progress_ && progress <= *last_progress_) {
        return;
    }
    last_progress_ = progress;
    origin_.port->send(
        jsonrpc::notification_text(notification.method,
                                   progress_params(notification.params, origin_.progress_token)),
        Importance::droppable);
}

void RelayedCall::relay_log(const Notification& notification) {
    if (!origin_.port) {
        return;
    }
    const bool wanted = is_modern()
                            ? !plan_.request.log_level.empty() &&
                                  is_logged(notification.params, plan_.request.log_level)
                            : origin_.session != nullptr &&
                                  is_logged(notification.params, origin_.session->log_level());
    if (wanted) {
        origin_.port->send(jsonrpc::notification_text(notification.method, notification.params),
                           Importance::droppable);
    }
}

void RelayedCall::on_result(CallResult result) {
    if (is_over_) {
        return;
    }
    if (!origin_.port) {
        // The agent finds it when it comes back, as the answer to the request that it brings.
        kept_result_ = std::move(result);
    } else if (result) {
        on_answer(*result);
    } else {
        on_fault(result.error());
    }
}

void RelayedCall::on_answer(const Answer& answer) {
    if (is_modern() && answer.is_error() && answer.error_code == mcp::kUrlElicitationRequired) {
        ask_for_urls(answer);
        return;
    }
    finish(answer_text(answered(), answer));
}

void RelayedCall::on_fault(const CallFault& fault) {
    if (is_over_) {
        return;
    }
    Failure failure = failure_of(fault, plan_.server->name, plan_.is_safe);
    const bool is_tool = plan_.request.method == "tools/call";
    if (is_tool && plan_.callable != nullptr) {
        failure.tool = plan_.callable->exposed_name;
        const std::string result = tool_result_of(failure, !plan_.callable->has_output_schema);
        finish({.message = own_result_text(answered(), result)});
        return;
    }
    finish({.message = jsonrpc::relayed_error_text(origin_.id, error_object_of(failure))});
}

void RelayedCall::finish(AnswerText text) {
    withdraw_questions();
    origin_.port->finish(std::move(text.message), text.http_status);
    origin_.port.reset();
    end();
}

// Ahead of the answer, since nothing of a request can follow that.
void RelayedCall::withdraw_questions() {
    for (const std::uint64_t question : std::exchange(asked_, {})) {
        origin_.session->withdraw(question, origin_.port.get());
    }
}

void RelayedCall::end() {
    is_over_ = true;
    loop_.timekeeper->cancel(timer_);
    if (!state_.empty()) {
        std::ignore = environment_->parked->take(state_);  // It may just have been taken.
        state_.clear();
    }
    if (origin_.session) {
        origin_.session->leave(origin_.id);
    }
    open_questions_.clear();
    // Ends the attempt if it still runs. Its coroutine is not waited for.
    cancellation_.emit(asio::cancellation_type::terminal);
}

AnsweredRequest RelayedCall::answered() const {
    return {.id = origin_.id,
            .method = plan_.request.method,
            .uri = plan_.uri,
            .era = origin_.agent->era()};
}

}  // namespace holdfast::gateway
