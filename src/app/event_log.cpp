#include "app/event_log.hpp"

#include <poll.h>

#include <chrono>
#include <ostream>
#include <utility>

namespace holdfast::app {
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
    return std::to_string(std::chrono::ceil<std::chrono::seconds>(duration).count()) + " s left";
}

// A pipe says that it can be written to when it takes some kilobytes: more than one line.
bool has_room(int descriptor) {
    pollfd look{.fd = descriptor, .events = POLLOUT, .revents = 0};
    return ::poll(&look, 1, 0) == 1 && (look.revents & POLLOUT) != 0;
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
                say(circuit + " opens after " + std::to_string(transition.consecutive_failures) +
                    " failures in a row, for " + span_text(transition.open_for));
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
    say(std::to_string(count) + " idle circuits were dropped");
}

void EventLog::say(const std::string& sentence) {
    const std::lock_guard held{lock_};
    if (!has_room(descriptor_)) {
        ++left_out_;
        return;
    }
    std::string lines = "holdfast: " + sentence + "\n";
    if (left_out_ != 0) {
        lines.insert(0, "holdfast: " + std::to_string(std::exchange(left_out_, 0)) +
                            " lines are left out here: nobody read them\n");
    }
    // In one piece, so that lines of several threads do not mix.
    log_ << lines << std::flush;
}

}  // namespace holdfast::app
