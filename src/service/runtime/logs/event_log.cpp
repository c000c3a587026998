#include "runtime/logs/event_log.hpp"

#include <algorithm>
#include <chrono>
#include <ostream>

#include "base/counted.hpp"

namespace holdfast::runtime {
namespace {

using resilience::CircuitState;

std::string quoted(std::string_view name) {
    return "\"" + std::string{name} + "\"";
}

// In the unit that people would use.
std::string span_text(resilience::Duration duration) {
    const auto ms = std::chrono::ceil<std::chrono::milliseconds>(duration).count();
    constexpr int kSecond = 1'000;
    if (ms >= kSecond && ms % kSecond == 0) {
        return std::to_string(ms / kSecond) + " s";
    }
    return std::to_string(ms) + " ms";
}

std::string seconds_left(resilience::Duration duration) {
    const auto seconds = std::chrono::ceil<std::chrono::seconds>(duration).count();
    return std::to_string(std::max<std::int64_t>(1, seconds)) + " s left";
}

}  // namespace

void EventLog::on_transition(std::string_view name,
                             const resilience::CircuitTransition& transition) {
    const std::string circuit = "circuit " + quoted(name);
    switch (transition.to) {
        case CircuitState::open:
            if (transition.from == CircuitState::half_open) {
                say(circuit + " is open again: its test call failed; for " +
                    span_text(transition.open_for));
            } else {
                say(circuit + " opens after " +
                    base::counted(transition.consecutive_failures, "failure") + " in a row, for " +
                    span_text(transition.open_for));
            }
            break;
        case CircuitState::half_open:
            say(circuit + " is half-open: it lets a test call through");
            break;
        case CircuitState::closed:
            say(circuit + " is closed");
            break;
    }
}

void EventLog::on_refusal(std::string_view name, const resilience::Refusal& refusal) {
    std::string sentence =
        quoted(name) + " refuses a call: " + std::string{resilience::name_of(refusal.reason)};
    if (refusal.retry_after) {
        sentence += ", " + seconds_left(*refusal.retry_after);
    }
    say(sentence);
}

void EventLog::on_retry(std::string_view name, const resilience::ScheduledRetry& retry) {
    say(quoted(name) + " is tried again: attempt " + std::to_string(retry.attempt) + " of " +
        std::to_string(retry.max_attempts) + " in " + span_text(retry.delay));
}

void EventLog::on_swept(std::size_t count) {
    say(base::counted(count, "idle circuit") + (count == 1 ? " was dropped" : " were dropped"));
}

void EventLog::say(const std::string& sentence) {
    // In one piece, so that lines of several threads do not mix.
    log_ << "holdfast: " + sentence + "\n" << std::flush;
}

}  // namespace holdfast::runtime
