#include "calls/relayed_call.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/this_coro.hpp>
#include <charconv>
#include <exception>
#include <tuple>
#include <utility>

#include "agents/log_level.hpp"
#include "calls/failure_mapping.hpp"
#include "calls/repeat_guard.hpp"
#include "calls/stale_answers.hpp"
#include "calls/suggested_tools.hpp"
#include "jsonrpc/json_text.hpp"
#include "jsonrpc/message_writer.hpp"
#include "jsonrpc/object_edit.hpp"
#include "jsonrpc/thread_reader.hpp"
#include "mcp/protocol_error.hpp"
#include "net/expect_no_exception.hpp"
#include "net/run_on.hpp"

// A call lives as long as somebody may still bring it something: its coroutine while the downstream
// works, the table of parked calls while the agent thinks. The coroutine holds the call; the call
// holds its port until the answer. Everything happens on one loop, so a step is never interrupted.

namespace holdfast::calls {
namespace {

namespace asio = boost::asio;
using downstream::Answer;
using downstream::CallFault;
using downstream::CallResult;
using downstream::Notification;
using downstream::Question;
using downstream::QuestionAnswer;
using downstream::ResultType;

std::string progress_params(std::string_view params, std::string_view token) {
    const jsonrpc::PaddedText text{std::string{params}};
    return jsonrpc::ObjectEdit{jsonrpc::part_reader().read_object(text, text.view())}
        .set("progressToken", token)
        .text();
}

/// For an attempt that was cancelled to end.
constexpr resilience::Duration kCutOffLimit = std::chrono::seconds{1};

double progress_in(std::string_view params) {
    double progress = 0;
    for (const auto& [key, value] : members_of(params)) {
        if (key == "progress") {
            std::from_chars(value.data(), value.data() + value.size(), progress);
        }
    }
    return progress;
}

}  // namespace

void RelayedCall::start(std::shared_ptr<const CallEnvironment> environment,
                        agents::AgentRequest&& origin, CallPlan&& plan) {
    const auto call =
        std::make_shared<RelayedCall>(std::move(environment), std::move(origin), std::move(plan));
    if (agents::try_enter(call->origin_, call)) {
        call->launch();
    } else {
        call->is_over_ = true;
    }
}

RelayedCall::RelayedCall(std::shared_ptr<const CallEnvironment> environment,
                         agents::AgentRequest&& origin, CallPlan&& plan)
    : loop_(origin.loop),
      environment_(std::move(environment)),
      call_id_(environment_->call_ids->next()),
      trace_(environment_->recorder.get(), loop_.timekeeper->now()),
      origin_(std::move(origin)),
      plan_(std::move(plan)),
      first_params_bytes_(plan_.request.params_members.size()) {}

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
    environment_->in_flight->fetch_add(1, std::memory_order_relaxed);
    if (!follows_another()) {
        spawn();
    }
}

void RelayedCall::spawn() {
    // The handler holds the call: Asio still looks at the slot after the coroutine has let go of
    // it.
    asio::co_spawn(
        loop_.executor, run(shared_from_this()),
        asio::bind_cancellation_slot(cancellation_.slot(),
                                     [self = shared_from_this()](const std::exception_ptr& error) {
                                         net::expect_no_exception(error);
                                     }));
}

void RelayedCall::cancel() {
    net::run_on(loop_, [self = shared_from_this()] {
        if (self->is_over_) {
            return;
        }
        self->is_cancelled_ = true;
        self->withdraw_questions();
        self->trace_.finish(self->origin_, self->plan_, self->call_id_, {.outcome = "cancelled"},
                            self->loop_.timekeeper->now());
        if (self->origin_.port) {
            self->origin_.port->abandon();
            self->origin_.port.reset();
        }
        self->end();
    });
}

void RelayedCall::wait_until(Waiting what, resilience::TimePoint when) {
    waiting_ = what;
    waited_until_ = when;
    loop_.timekeeper->schedule(timer_, when);
}

void RelayedCall::wait_for(Waiting what, resilience::Duration limit) {
    wait_until(what, resilience::saturating_add(loop_.timekeeper->now(), limit));
}

// The guards are left: a question can take minutes, and shows that the server is alive.
void RelayedCall::pause() {
    if (is_paused_) {
        return;
    }
    is_paused_ = true;
    stop_leading(nullptr);  // What its agent says is meant for this call alone.
    const auto now = loop_.timekeeper->now();
    attempt_left_ = resilience::elapsed_between(now, waited_until_);
    call_left_ = call_deadline_.remaining(now);
    if (guarded_) {
        guarded_->leave();
    }
    wait_for(Waiting::for_agent, environment_->ask_timeout);
}

void RelayedCall::go_on() {
    if (is_paused_) {
        is_paused_ = false;
        call_deadline_ = resilience::Deadline::after(loop_.timekeeper->now(), call_left_);
        wait_for(Waiting::for_downstream, attempt_left_);
    }
}

void RelayedCall::on_time() {
    const auto self = shared_from_this();
    const bool is_parked = !state_.empty();
    if (is_following_) {
        on_fault(cut_off_fault({}));
    } else if (waiting_ == Waiting::for_more_questions) {
        park();
    } else if (is_parked) {
        trace_.finish(origin_, plan_, call_id_,
                      {.outcome = "cancelled", .message = "the agent did not come back"},
                      loop_.timekeeper->now());
        end();
    } else if (waiting_ == Waiting::for_downstream) {
        cut_off();
    } else if (waiting_ == Waiting::for_cut_off) {
        on_fault(cut_off_fault({.delivery = resilience::Delivery::sent}));
    } else {
        on_fault({.kind = CallFault::Kind::timed_out,
                  .message = "the agent did not answer a question of the server in time",
                  .delivery = resilience::Delivery::sent});
    }
}

// The attempt ends by itself at once, and knows how far it got; the second limit is for a bug in
// it.
void RelayedCall::cut_off() {
    is_cut_off_ = true;
    wait_for(Waiting::for_cut_off, kCutOffLimit);
    cancellation_.emit(asio::cancellation_type::terminal);
}

void RelayedCall::on_notification(Notification notification) {
    if (is_over_) {
        return;
    }
    if (notification.method == "notifications/progress") {
        if (plan_.rules->policy().progress_resets && waiting_ == Waiting::for_downstream) {
            const auto limit = plan_.rules->pipeline.options().attempt_timeout;
            wait_until(Waiting::for_downstream,
                       call_deadline_.tightened(loop_.timekeeper->now(), limit).when());
        }
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
        net::Importance::droppable);
}

void RelayedCall::relay_log(const Notification& notification) {
    if (!origin_.port) {
        return;
    }
    const bool wanted =
        is_modern() ? !plan_.request.log_level.empty() &&
                          agents::is_logged(notification.params, plan_.request.log_level)
                    : origin_.session != nullptr &&
                          agents::is_logged(notification.params, origin_.session->log_level());
    if (wanted) {
        origin_.port->send(jsonrpc::notification_text(notification.method, notification.params),
                           net::Importance::droppable);
    }
}

void RelayedCall::on_round_end(PipelineOutcome end) {
    if (is_over_) {
        return;
    }
    if (!origin_.port) {
        // The agent finds it when it comes back, as the answer to the request that it brings.
        kept_round_ = std::move(end);
        return;
    }
    remember(end);
    const std::string substitute = requested_tool_ != nullptr ? plan_.callable->exposed_name : "";
    if (flight_key_.empty()) {
        answer_or_fail(end, substitute);
        return;
    }
    const auto shared = std::make_shared<const SharedEnd>(
        SharedEnd{.round = std::move(end), .substitute = substitute, .rules = plan_.rules});
    stop_leading(shared->round.asks_for_input() ? nullptr : shared);
    answer_or_fail(shared->round, substitute);
}

void RelayedCall::answer_or_fail(const PipelineOutcome& end, std::string_view substitute) {
    error_class_ = end.error_class;
    const Answer* const answer = end.answer();
    if (answer != nullptr && is_passed_on(plan_, end)) {
        on_answer(*answer, substitute);
    } else {
        fail(end);
    }
}

void RelayedCall::on_answer(const Answer& answer, std::string_view substitute) {
    if (is_modern() && answer.is_error() && answer.error_code == mcp::kUrlElicitationRequired) {
        ask_for_urls(answer);
        return;
    }
    AnsweredRequest request = answered();
    request.substitute = substitute;
    finish(answer_text(request, answer), outcome_of(answer, error_class_));
}

void RelayedCall::on_fault(const CallFault& fault) {
    if (!is_over_) {
        fail({.verdict = {.ending = resilience::CallEnding::failed, .attempts = 1},
              .result = fault});
    }
}

// What later calls want to know: a good answer that may stand in, an error that lasts.
void RelayedCall::remember(const PipelineOutcome& end) {
    const Answer* const answer = end.answer();
    const policy::Policy& policy = plan_.rules->policy();
    const bool keeps = plan_.is_read && policy.stale_for > resilience::Duration::zero();
    const bool guards = policy.repeat_guard.is_on;
    if (plan_.request.method != "tools/call" || answer == nullptr || (!keeps && !guards)) {
        return;
    }
    const bool is_error = answer->is_error() || answer->says_error;
    if (keeps && !is_error) {
        environment_->stale->keep(identity_of_call(origin_, plan_), plain_result(*answer),
                                  loop_.timekeeper->now());
    }
    if (guards && is_error && !end.is_of(policy::ErrorClassId::server_error)) {
        environment_->repeats->on_failure(identity_of_call(origin_, plan_), answer->body(),
                                          policy.repeat_guard, loop_.timekeeper->now());
    } else if (guards && !environment_->repeats->is_empty()) {
        environment_->repeats->on_other_end(identity_of_call(origin_, plan_));
    }
}

void RelayedCall::fail(const PipelineOutcome& end) {
    const auto secrets = environment_->secrets->all();
    const auto suggested = suggests_alternatives(plan_, end)
                               ? environment_->suggested->names_for(plan_.callable->exposed_name)
                               : SuggestedTools::Names{};
    const Failure failure = failure_of({.plan = plan_,
                                        .end = end,
                                        .call_id = call_id_,
                                        .secrets = *secrets,
                                        .suggested = suggested},
                                       loop_.timekeeper->now());
    const bool is_tool = plan_.request.method == "tools/call";
    const policy::Policy& policy = plan_.rules->policy();
    if (is_tool && plan_.is_read && policy.stale_for > resilience::Duration::zero()) {
        const auto stale = environment_->stale->find(identity_of_call(origin_, plan_),
                                                     policy.stale_for, loop_.timekeeper->now());
        if (stale) {
            finish({.message = builtin_result_text(answered(), stale_result(*stale, failure))},
                   "stale", failure.message);
            return;
        }
    }
    finish({.message = is_tool ? builtin_result_text(answered(), tool_result_of(failure, plan_))
                               : jsonrpc::relayed_error_text(origin_.id, error_object_of(failure))},
           text_of(failure.code), failure.message);
}

void RelayedCall::finish(AnswerText text, std::string_view outcome, std::string_view message) {
    withdraw_questions();
    trace_.finish(origin_, plan_, call_id_,
                  {.outcome = outcome, .message = message, .bytes_out = text.message.size()},
                  loop_.timekeeper->now());
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
    if (!std::exchange(is_over_, true)) {
        environment_->in_flight->fetch_sub(1, std::memory_order_relaxed);
    }
    stop_leading(nullptr);
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
            .call_id = call_id_,
            .era = origin_.agent->era()};
}

}  // namespace holdfast::calls
