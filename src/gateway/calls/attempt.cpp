#include "calls/attempt.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <utility>

#include "calls/input_round.hpp"

namespace holdfast::calls {
namespace {

using downstream::CallFault;
using downstream::CallResult;
using resilience::Delivery;

/// A cancelled request ends at once. This limit is for one that does not.
constexpr resilience::Duration kCutOffLimit = std::chrono::seconds{1};

std::string seconds_text(resilience::Duration duration) {
    const double seconds = std::chrono::duration<double>(duration).count();
    std::string text = std::to_string(seconds);
    text.erase(text.find_last_not_of('0') + 1);
    return text.ends_with('.') ? text.substr(0, text.size() - 1) : text;
}

/// The id of the task as written, if the result names one.
std::optional<std::string> task_id_in(const downstream::Answer& answer) {
    for (const auto& [key, task] : members_of(answer.body())) {
        if (key != "task") {
            continue;
        }
        for (auto& [name, value] : members_of(task)) {
            if (name == "taskId") {
                return std::move(value);
            }
        }
    }
    return std::nullopt;
}

/// The agent could not ask for the result of a task, because no agent declares that extension to
/// the server.
CallFault task_fault(std::string_view server) {
    CallFault fault{.kind = CallFault::Kind::malformed,
                    .message = "\"" + std::string{server} +
                               "\" answered with a task, which was not requested. It may still run",
                    .brief = "a task as the answer",
                    .delivery = Delivery::sent};
    fault.is_final = true;
    return fault;
}

}  // namespace

Attempt::~Attempt() {
    if (is_scheduled()) {
        loop_.timekeeper->cancel(*this);
    }
}

void Attempt::start(const std::shared_ptr<Attempt>& self, const surface::Server& server,
                    const downstream::Request& request, const AttemptOptions& options) {
    self_ = self;
    server_ = &server;
    options_ = options;
    is_paused_ = false;
    is_cut_off_ = false;
    if (options.runs_as_task) {
        agent_ = request.agent;
    }
    is_running_ = true;
    loop_.timekeeper->schedule(*this, options.deadline.when());
    started_ = server.downstream->start_call(loop_, request, self);
}

void Attempt::pause() {
    if (is_running_ && !is_paused_) {
        is_paused_ = true;
        remaining_ = options_.deadline.remaining(loop_.timekeeper->now());
        loop_.timekeeper->cancel(*this);
    }
}

void Attempt::resume(resilience::Deadline call_deadline) {
    if (is_running_ && is_paused_) {
        is_paused_ = false;
        options_.call_deadline = call_deadline;
        options_.deadline = resilience::Deadline::after(loop_.timekeeper->now(), remaining_);
        loop_.timekeeper->schedule(*this, options_.deadline.when());
    }
}

void Attempt::abandon() {
    if (std::exchange(is_running_, false)) {
        loop_.timekeeper->cancel(*this);
        cancel_request();
    }
}

void Attempt::on_notification(downstream::Notification notification) {
    if (!is_running_) {
        return;
    }
    const bool resets = options_.progress_resets && !is_paused_ && !is_cut_off_ &&
                        notification.method == "notifications/progress";
    if (resets) {
        options_.deadline =
            options_.call_deadline.tightened(loop_.timekeeper->now(), options_.timeout);
        loop_.timekeeper->schedule(*this, options_.deadline.when());
    }
    owner_.on_notification(std::move(notification));
}

void Attempt::on_question(downstream::Question question) {
    if (is_running_) {
        owner_.on_question(std::move(question));
    }
}

void Attempt::on_time() {
    if (is_cut_off_) {
        // The old request may still run, so the call must not be repeated.
        CallFault fault = timeout_fault(server_->name, options_.timeout, Delivery::sent);
        fault.is_final = true;
        end(std::move(fault));
        return;
    }
    is_cut_off_ = true;
    loop_.timekeeper->schedule(*this,
                               resilience::saturating_add(loop_.timekeeper->now(), kCutOffLimit));
    cancel_request();
}

void Attempt::cancel_request() {
    if (const auto started = started_.lock()) {
        started->cancel();
    }
}

void Attempt::on_result(CallResult result) {
    if (!is_running_ || requests_task_result(result)) {
        return;
    }
    // A request that still waited for a connection was not sent: no server was slow to answer it.
    if (is_cut_off_ && !result && result.error().kind != CallFault::Kind::not_connected) {
        result = timeout_fault(server_->name, options_.timeout, result.error().delivery);
    } else if (is_cut_off_ && options_.runs_as_task && result && task_id_in(*result)) {
        // The task has begun, and nobody asks for its result any more.
        result = timeout_fault(server_->name, options_.timeout, Delivery::sent);
    }
    if (result && !result->is_error() && result->result_type == downstream::ResultType::task) {
        result = task_fault(server_->name);
    }
    end(std::move(result));
}

bool Attempt::requests_task_result(const CallResult& result) {
    const auto self = self_.lock();
    if (!options_.runs_as_task || is_cut_off_ || !self || !result || result->is_error()) {
        return false;
    }
    const auto task_id = task_id_in(*result);
    if (!task_id) {
        return false;
    }
    downstream::Request request{.method = "tasks/result",
                                .params_members = "\"taskId\":" + *task_id};
    request.agent = std::move(agent_);
    options_.runs_as_task = false;
    started_ = server_->downstream->start_call(loop_, request, self);
    return true;
}

void Attempt::end(CallResult result) {
    is_running_ = false;
    if (is_scheduled()) {
        loop_.timekeeper->cancel(*this);
    }
    owner_.on_result(std::move(result));
}

CallFault timeout_fault(std::string_view server, resilience::Duration timeout, Delivery delivery) {
    const std::string limit = seconds_text(timeout) + " s";
    return {.kind = CallFault::Kind::timed_out,
            .message = "\"" + std::string{server} + "\" did not answer within " + limit,
            .brief = "no answer within " + limit,
            .delivery = delivery};
}

}  // namespace holdfast::calls
