#include "guard/guarded_call.hpp"

#include <utility>

#include "guard/attempt_outcome.hpp"
#include "guard/safeguards.hpp"
#include "holdfast/resilience/asio/one_shot.hpp"

namespace holdfast::guard {

namespace asio = boost::asio;
using resilience::PipelineStep;
using resilience::StartAttempt;
using resilience::WaitBeforeRetry;
using resilience::WaitForSlot;
using resilience::WakeReason;

GuardedCall::GuardedCall(std::shared_ptr<ServerGuard> guard, std::shared_ptr<const CallRules> rules,
                         const CallFacts& facts, const net::OwningLoop& loop)
    : guard_(std::move(guard)),
      rules_(std::move(rules)),
      facts_(facts),
      loop_(loop),
      waiter_(guard_->owner_.waiters_.next_id()) {}

GuardedCall::~GuardedCall() {
    if (call_) {
        guard_->owner_.lock_.with([this] { call_.reset(); });
    }
}

PipelineStep GuardedCall::start() {
    const auto now = loop_.timekeeper->now();
    return guard_->owner_.lock_.with([&] {
        auto parts = guard_->parts_for(*rules_, facts_.principal, now);
        parts.name = facts_.name;
        call_.emplace(rules_->pipeline, parts,
                      resilience::CallTraits{.waiter = waiter_,
                                             .deadline = facts_.deadline,
                                             .safe_to_repeat = facts_.is_safe_to_repeat});
        circuit_before_ = circuit_state(now);
        PipelineStep step = call_->start(now);
        deadline_ = call_->deadline();
        return noted(step, now);
    });
}

PipelineStep GuardedCall::on_attempt_end(const downstream::CallResult& result) {
    const auto now = loop_.timekeeper->now();
    // Reads and classifies the answer before taking the lock, because that takes long.
    std::string error_text;
    policy::Classified classified =
        rules_->classifier->classified(ending_of(result, rules_->policy(), error_text));
    error_class_ = classified.error_class;
    if (has_left_) {
        return resilience::CallVerdict{.ending = classified.failure
                                                     ? resilience::CallEnding::failed
                                                     : resilience::CallEnding::answered,
                                       .attempts = attempts_};
    }
    const std::uint64_t loss = result ? 0 : result.error().lost_connection;
    return guard_->owner_.lock_.with([&] {
        CircuitUse* const use = rules_->circuit;
        if (loss != 0 && use != nullptr) {
            // Calls that were lost with one connection count as one failure.
            if (use->counted_loss == loss) {
                classified.outcome.reset();
            }
            use->counted_loss = loss;
        }
        guard_->note(classified, now);
        return noted(call_->on_attempt_end(classified.attempt_end(), now, guard_->owner_.random_),
                     now);
    });
}

PipelineStep GuardedCall::resume() {
    const auto now = loop_.timekeeper->now();
    return guard_->owner_.lock_.with([&] { return noted(call_->resume(now), now); });
}

std::optional<resilience::CircuitState> GuardedCall::circuit_state(
    resilience::TimePoint now) const {
    if (rules_->circuit == nullptr) {
        return std::nullopt;
    }
    return rules_->circuit->circuit->breaker().state(now);
}

PipelineStep GuardedCall::noted(PipelineStep step, resilience::TimePoint now) {
    circuit_after_ = circuit_state(now);
    is_in_attempt_ = std::holds_alternative<StartAttempt>(step);
    attempts_ = call_->attempts();
    if (std::holds_alternative<resilience::CallVerdict>(step)) {
        call_.reset();  // The lock is held here anyway.
    }
    return step;
}

asio::awaitable<std::optional<PipelineStep>> GuardedCall::wait(WaitForSlot step) {
    const auto slot =
        std::make_shared<resilience::SlotWaiter>(waiter_, loop_.executor, *loop_.timekeeper);
    const auto registration = guard_->owner_.waiters_.add(slot);
    // A slot may have been granted before the registration; nobody was woken then.
    PipelineStep next = resume();
    if (std::holds_alternative<WaitForSlot>(next)) {
        if (co_await slot->wait_until(step.until) == WakeReason::cancelled) {
            co_return std::nullopt;
        }
        next = resume();
    }
    co_return next;
}

asio::awaitable<std::optional<PipelineStep>> GuardedCall::wait(WaitBeforeRetry step) {
    resilience::OneShot nothing{*loop_.timekeeper};
    if (co_await nothing.wait_until(step.until) == WakeReason::cancelled) {
        co_return std::nullopt;
    }
    co_return resume();
}

void GuardedCall::leave() {
    if (!is_in_attempt_ || has_left_) {
        return;
    }
    has_left_ = true;
    const auto now = loop_.timekeeper->now();
    guard_->owner_.lock_.with([&] {
        // A server that asks a question is healthy.
        std::ignore = call_->on_attempt_end({}, now, guard_->owner_.random_);
    });
}

}  // namespace holdfast::guard
