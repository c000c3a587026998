#include "runtime/logs/event_log.hpp"

#include <algorithm>
#include <chrono>
#include <string>

#include "base/counted.hpp"

namespace holdfast::runtime {
namespace {

using resilience::CircuitState;
using resilience::RefusalReason;
using resilience::TransitionCause;

constexpr std::int64_t kMsInSecond = 1'000;

std::int64_t whole_ms(resilience::Duration duration) {
    return std::chrono::ceil<std::chrono::milliseconds>(duration).count();
}

// In the unit that people would use.
std::string span_text(resilience::Duration duration) {
    const std::int64_t ms = whole_ms(duration);
    return ms >= kMsInSecond && ms % kMsInSecond == 0 ? fmt::format("{} s", ms / kMsInSecond)
                                                      : fmt::format("{} ms", ms);
}

std::string_view reason_text(RefusalReason reason) {
    switch (reason) {
        case RefusalReason::circuit_open:
            return "its circuit is open";
        case RefusalReason::circuit_probing:
            return "its circuit is half-open and waits for a probe";
        case RefusalReason::circuit_forced_open:
            return "an operator opened its circuit";
        case RefusalReason::rate_limited:
            return "the rate limit is reached";
        case RefusalReason::queue_full:
            return "the queue is full";
        case RefusalReason::queue_too_slow:
            return "the queue is too long for its deadline";
        case RefusalReason::queue_wait_exceeded:
            return "no slot became free in time";
        case RefusalReason::key_limit_reached:
            return "there are too many circuits";
    }
    return "";
}

std::string cause_text(const resilience::CircuitTransition& transition) {
    switch (transition.cause) {
        case TransitionCause::failure_rate:
            return ": too many calls failed";
        case TransitionCause::slow_call_rate:
            return ": too many calls were slow";
        case TransitionCause::probe_failed:
            return ": the probe failed";
        case TransitionCause::probe_lease_expired:
            return ": the probe did not end in time";
        case TransitionCause::consecutive_failures:
            return " after " + base::counted(transition.consecutive_failures, "failure");
        case TransitionCause::open_time_over:
        case TransitionCause::probes_succeeded:
        case TransitionCause::reset:
        case TransitionCause::restored:
        case TransitionCause::reconfigured:
            break;
    }
    return "";
}

}  // namespace

void EventLog::on_transition(std::string_view name,
                             const resilience::CircuitTransition& transition) {
    switch (transition.to) {
        case CircuitState::open:
            on_open(name, transition);
            break;
        case CircuitState::half_open:
            log_.info("circuit_half_open", {{"circuit", name}},
                      "circuit \"{}\" half-open: the next call is a probe", name);
            break;
        case CircuitState::closed:
            log_.info("circuit_closed", {{"circuit", name}}, "circuit \"{}\" closed", name);
            break;
    }
}

void EventLog::on_open(std::string_view name,
                       const resilience::CircuitTransition& transition) const {
    const bool is_again = transition.from == CircuitState::half_open;
    log_.warn(is_again ? "circuit_reopened" : "circuit_opened",
              {{"circuit", name},
               {"cause", resilience::name_of(transition.cause)},
               {"failures", transition.consecutive_failures},
               {"open_ms", whole_ms(transition.open_for)}},
              "circuit \"{}\" {} for {}{}", name, is_again ? "reopened" : "opened",
              span_text(transition.open_for), cause_text(transition));
}

void EventLog::on_refusal(std::string_view name, const resilience::Refusal& refusal) {
    const std::string_view reason = resilience::name_of(refusal.reason);
    if (!refusal.retry_after) {
        log_.info("call_rejected", {{"name", name}, {"reason", reason}},
                  "call to \"{}\" rejected: {}", name, reason_text(refusal.reason));
        return;
    }
    const auto seconds = std::chrono::ceil<std::chrono::seconds>(*refusal.retry_after).count();
    log_.info("call_rejected",
              {{"name", name}, {"reason", reason}, {"retry_ms", whole_ms(*refusal.retry_after)}},
              "call to \"{}\" rejected: {} (retry in {} s)", name, reason_text(refusal.reason),
              std::max<std::int64_t>(1, seconds));
}

void EventLog::on_retry(std::string_view name, const resilience::ScheduledRetry& retry) {
    log_.info("retry",
              {{"name", name},
               {"delay_ms", whole_ms(retry.delay)},
               {"attempt", retry.attempt},
               {"max_attempts", retry.max_attempts}},
              "retrying \"{}\" in {} (attempt {} of {})", name, span_text(retry.delay),
              retry.attempt, retry.max_attempts);
}

void EventLog::on_swept(std::size_t count) const {
    log_.info("circuits_removed", {{"count", count}}, "removed {}",
              base::counted(count, "idle circuit"));
}

}  // namespace holdfast::runtime
