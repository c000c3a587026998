#include "calls/call.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/this_coro.hpp>
#include <exception>
#include <tuple>
#include <utility>

#include "calls/failure_mapping.hpp"
#include "calls/notification_relay.hpp"
#include "calls/suggested_tools.hpp"
#include "net/expect_no_exception.hpp"
#include "net/run_on.hpp"

// From the start of a call to the outcome of its pass through the safeguards.
//
// A call is owned by the source of its next event: the request in flight, the coroutine of a wait,
// the question to its agent, the table of parked calls, or the read that it follows. Everything
// happens on one loop, and the result of an attempt never arrives within the call that starts it.
// So each function here ends with the step that changes the state, and touches nothing after it.

namespace holdfast::calls {
namespace {

namespace asio = boost::asio;
using downstream::CallFault;
using downstream::CallResult;
using resilience::CallVerdict;
using resilience::Deadline;
using resilience::PipelineStep;
using resilience::StartAttempt;

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

template <class... Cases>
struct Overloaded : Cases... {
    using Cases::operator()...;
};

}  // namespace

void Call::start(std::shared_ptr<const CallEnvironment> environment, agents::AgentRequest&& origin,
                 CallPlan&& plan) {
    const auto call =
        std::make_shared<Call>(std::move(environment), std::move(origin), std::move(plan));
    if (agents::try_enter(call->origin_, call)) {
        call->launch();
    } else {
        call->state_ = Done{};
    }
}

Call::Call(std::shared_ptr<const CallEnvironment> environment, agents::AgentRequest&& origin,
           CallPlan&& plan)
    : loop_(origin.loop),
      environment_(std::move(environment)),
      origin_(std::move(origin)),
      plan_(std::move(plan)),
      trace_(environment_->recorder.get(), environment_->call_ids->next(), now()),
      state_(Running{}) {}

Call::~Call() {
    if (timer_.is_scheduled()) {
        loop_.timekeeper->cancel(timer_);
    }
}

void Call::launch() {
    watch_port();
    environment_->in_flight->fetch_add(1, std::memory_order_relaxed);
    if (!follows_identical_read()) {
        begin(Deadline::never());
    }
}

void Call::watch_port() {
    origin_.port->on_gone([weak = weak_from_this()] {
        if (const auto call = weak.lock()) {
            call->cancel();
        }
    });
}

void Call::cancel() {
    net::run_on(loop_, [self = shared_from_this()] {
        if (!self->is_done()) {
            self->finish_cancelled({});
        }
    });
}

bool Call::follows_identical_read() {
    const auto key = shared_read_key(origin_, plan_);
    if (!key) {
        return false;
    }
    shared_read_ = environment_->sharing->join(*key, [self = shared_from_this()] {
        net::run_on(self->loop_, [self] { self->on_shared_read(); });
    });
    if (!shared_read_.is_following()) {
        return false;
    }
    plan_.route = "shared with an identical call in flight";
    const resilience::Duration timeout = plan_.rules->policy().timeout;
    state_ = Following{.deadline = Deadline::after(now(), timeout)};
    wait_at_most(timeout);
    return true;
}

void Call::on_shared_read() {
    const auto* const following = std::get_if<Following>(&state_);
    if (following == nullptr) {
        return;
    }
    if (const auto shared = shared_read_.outcome()) {
        shared_read_.leave();
        answer_or_fail(shared->outcome, shared->substitute);
    } else if (!shared_read_.is_following()) {
        loop_.timekeeper->cancel(timer_);
        begin(following->deadline);
    }
}

void Call::begin(Deadline deadline) {
    const policy::Policy& policy = plan_.rules->policy();
    plan_.request.connection_wait = connection_wait_of(policy.wait_for_connection);
    if (policy.circuit.probe_by == policy::ProbeBy::ping) {
        probe(deadline, policy.circuit.figures.successes);
    } else {
        enter_pipeline(deadline);
    }
}

// With `probeBy: ping` a half-open circuit is probed by pings instead of an agent's call.
void Call::probe(Deadline deadline, std::uint32_t pings) {
    guard::ServerGuard& guard = *plan_.server->guard;
    if (pings == 0 || !guard.awaits_probe(*plan_.rules, now())) {
        enter_pipeline(deadline);
        return;
    }
    enter_guards(guard::ServerGuard::rules_for_probe(*plan_.rules), deadline);
    const PipelineStep step = guarded_->start();
    const auto* const start = std::get_if<StartAttempt>(&step);
    if (start == nullptr) {
        enter_pipeline(deadline);  // Another probe is in flight, or there is no slot for this one.
        return;
    }
    start_ping(*start, pings - 1);
}

void Call::start_ping(const StartAttempt& start, std::uint32_t pings_left) {
    // An attempt of its own: if the ping gets stuck, its late result must not be taken for that of
    // the call, which has gone on by then.
    struct Ping {
        explicit Ping(std::shared_ptr<Call> call)
            : owner(std::move(call)), attempt(owner->loop_, *owner) {}
        const std::shared_ptr<Call> owner;
        Attempt attempt;
    };
    const auto ping = std::make_shared<Ping>(shared_from_this());
    const std::shared_ptr<Attempt> attempt{ping, &ping->attempt};
    state_ = Probing{.deadline = guarded_->deadline(), .pings_left = pings_left, .ping = attempt};
    const auto status = plan_.server->downstream->status();
    const bool is_modern = status.negotiated && status.negotiated->era() == mcp::Era::modern;
    start_attempt(attempt,
                  {.method = is_modern ? "server/discover" : "ping",
                   .connection_wait = plan_.request.connection_wait},
                  start);
}

void Call::on_ping_end(const CallResult& result) {
    const Probing probing = std::get<Probing>(state_);
    // An answer that the gateway made says nothing about the server, so the call itself probes it.
    if (result && result->delivery != resilience::Delivery::answered) {
        enter_pipeline(probing.deadline);
        return;
    }
    std::ignore = guarded_->on_attempt_end(result);  // Probes are not retried.
    trace_.on_ping_end(result, guarded_->error_class(), now());
    probe(probing.deadline, probing.pings_left);
}

void Call::enter_pipeline(Deadline deadline) {
    enter_guards(plan_.rules, deadline);
    const PipelineStep step = guarded_->start();
    state_ = Running{.deadline = guarded_->deadline()};
    advance(step, std::nullopt);
}

void Call::enter_guards(std::shared_ptr<const guard::CallRules> rules, Deadline deadline) {
    const std::string& name =
        plan_.callable != nullptr ? plan_.callable->exposed_name : plan_.server->name;
    guarded_.emplace(plan_.server->guard, std::move(rules),
                     guard::CallFacts{.name = name,
                                      .principal = origin_.agent->principal,
                                      .deadline = deadline,
                                      .is_safe_to_repeat = plan_.is_safe},
                     loop_);
}

void Call::advance(const PipelineStep& step, std::optional<CallResult> last_result) {
    if (const auto* const start = std::get_if<StartAttempt>(&step)) {
        start_attempt({shared_from_this(), &attempt_}, plan_.request, *start);
    } else if (const auto* const verdict = std::get_if<CallVerdict>(&step)) {
        trace_.on_round_end(*guarded_);
        conclude({.verdict = *verdict,
                  .result = std::move(last_result),
                  .error_class = guarded_->error_class()});
    } else {
        wait(step, std::move(last_result));
    }
}

void Call::start_attempt(const std::shared_ptr<Attempt>& attempt,
                         const downstream::Request& request, const StartAttempt& start) {
    trace_.on_attempt_start(plan_.server->name, now());
    attempt->start(attempt, *plan_.server, request,
                   {.deadline = start.deadline,
                    .call_deadline = guarded_->deadline(),
                    .timeout = plan_.rules->pipeline.options().attempt_timeout,
                    .progress_resets = plan_.rules->policy().progress_resets,
                    .runs_as_task = plan_.callable != nullptr && plan_.callable->needs_task});
}

void Call::on_result(CallResult result) {
    if (std::holds_alternative<Probing>(state_)) {
        on_ping_end(result);
        return;
    }
    const PipelineStep step = guarded_->on_attempt_end(result);
    trace_.on_attempt_end(result, guarded_->error_class(), now());
    advance(step, std::move(result));
}

void Call::on_notification(downstream::Notification notification) {
    if (notification.method == "notifications/progress") {
        relay_progress(origin_, notification);
    } else if (notification.method == "notifications/message") {
        relay_log(origin_, plan_.request.log_level, notification);
    } else if (environment_->on_stray) {
        environment_->on_stray(*plan_.server, origin_.agent->face->key, std::move(notification));
    }
}

void Call::wait(const PipelineStep& step, std::optional<CallResult> last_result) {
    state_ = Waiting{.deadline = deadline(), .result = std::move(last_result)};
    spawn(wait_for_guard(shared_from_this(), step));
}

asio::awaitable<void> Call::wait_for_guard(std::shared_ptr<Call> self, PipelineStep step) {
    co_await asio::this_coro::throw_if_cancelled(false);
    const auto* const slot = std::get_if<resilience::WaitForSlot>(&step);
    const auto began = self->now();
    const auto next =
        slot != nullptr
            ? co_await self->guarded_->wait(*slot)
            : co_await self->guarded_->wait(std::get<resilience::WaitBeforeRetry>(step));
    if (!next || self->is_done()) {
        self->guarded_.reset();  // Gives back what a cancelled call still holds.
        co_return;
    }
    if (slot != nullptr) {
        self->trace_.on_queued(resilience::elapsed_between(began, self->now()));
    }
    auto last_result = std::move(std::get<Waiting>(self->state_).result);
    self->state_ = Running{.deadline = self->deadline()};
    self->advance(*next, std::move(last_result));
}

asio::awaitable<void> Call::wait_for_suggestions(std::shared_ptr<Call> self,
                                                 PipelineOutcome outcome) {
    co_await asio::this_coro::throw_if_cancelled(false);
    co_await self->environment_->suggested->look_up(self->loop_, self->plan_.surface,
                                                    self->plan_.callable->exposed_name,
                                                    self->deadline().when());
    if (!self->is_done()) {
        self->state_ = Running{.deadline = self->deadline()};
        self->answer(std::move(outcome));
    }
}

/// Runs the coroutine of the state `Waiting`.
void Call::spawn(asio::awaitable<void> coroutine) {
    // The handler holds the signal, because Asio uses its slot until the handler has run.
    const auto cancellation = std::get<Waiting>(state_).cancellation;
    asio::co_spawn(loop_.executor, std::move(coroutine),
                   asio::bind_cancellation_slot(cancellation->slot(),
                                                [cancellation](const std::exception_ptr& error) {
                                                    net::expect_no_exception(error);
                                                }));
}

void Call::conclude(PipelineOutcome outcome) {
    if (substitutes_.retarget(plan_, outcome, now())) {
        trace_.on_substitute(*substitutes_.requested_tool());
        begin(deadline());
        return;
    }
    if (outcome.asks_for_input() && !origin_.is_modern()) {
        ask_for_input(*outcome.answer());
        return;
    }
    if (!origin_.port || !suggests_alternatives(plan_, outcome)) {
        answer(std::move(outcome));
        return;
    }
    if (dialogue_) {
        // The server is unavailable, so it does not wait for answers.
        dialogue_->withdraw(origin_);
        dialogue_->drop_questions();
    }
    loop_.timekeeper->cancel(timer_);
    state_ = Waiting{.deadline = deadline()};
    spawn(wait_for_suggestions(shared_from_this(), std::move(outcome)));
}

void Call::on_time() {
    const auto self = shared_from_this();
    std::visit(
        Overloaded{
            [this](const Following&) {
                const auto& options = plan_.rules->pipeline.options();
                fail_with(timeout_fault(plan_.server->name, options.attempt_timeout,
                                        resilience::Delivery::not_sent));
            },
            [this](const AskingAgent&) {
                if (origin_.is_modern()) {
                    park();
                } else {
                    fail_with(
                        {.kind = CallFault::Kind::timed_out,
                         .message = "the agent did not answer a question of the server in time",
                         .delivery = resilience::Delivery::sent});
                }
            },
            [this](const Parked&) { finish_cancelled("the agent did not come back"); },
            [](const auto&) {},  // In the other states the timer is not scheduled.
        },
        state_);
}

void Call::wait_at_most(resilience::Duration limit) {
    loop_.timekeeper->schedule(timer_, resilience::saturating_add(now(), limit));
}

Deadline Call::deadline() const {
    const resilience::TimePoint at = now();
    return std::visit(
        Overloaded{
            [at](const AskingAgent& state) { return Deadline::after(at, state.remaining); },
            [at](const Parked& state) { return Deadline::after(at, state.remaining); },
            [](const Done&) { return Deadline::never(); },
            [](const auto& state) { return state.deadline; },
        },
        state_);
}

}  // namespace holdfast::calls
