#include "record/event.hpp"

namespace holdfast::record {

std::string_view text_of(EventKind kind) noexcept {
    switch (kind) {
        case EventKind::call:
            return "call";
        case EventKind::connection:
            return "connection";
        case EventKind::circuit:
            return "circuit";
        case EventKind::retry:
            return "retry";
        case EventKind::refusal:
            return "refusal";
        case EventKind::router:
            return "router";
        case EventKind::fallback:
            return "fallback";
        case EventKind::gateway:
            return "gateway";
    }
    return "";
}

std::string_view text_of(EventWhat what) noexcept {
    switch (what) {
        case EventWhat::none:
            return "";
        case EventWhat::idle:
            return "idle";
        case EventWhat::connecting:
            return "connecting";
        case EventWhat::ready:
            return "ready";
        case EventWhat::waiting:
            return "waiting";
        case EventWhat::given_up:
            return "given_up";
        case EventWhat::paused:
            return "paused";
        case EventWhat::stopped:
            return "stopped";
        case EventWhat::restarted:
            return "restarted";
        case EventWhat::resumed:
            return "resumed";
        case EventWhat::list_failed:
            return "list_failed";
        case EventWhat::list_faults:
            return "list_faults";
        case EventWhat::list_read:
            return "list_read";
        case EventWhat::junk:
            return "junk";
        case EventWhat::opened:
            return "opened";
        case EventWhat::closed:
            return "closed";
        case EventWhat::half_open:
            return "half_open";
        case EventWhat::reset:
            return "reset";
        case EventWhat::forced_open:
            return "forced_open";
        case EventWhat::disabled:
            return "disabled";
        case EventWhat::metrics_only:
            return "metrics_only";
        case EventWhat::normal:
            return "normal";
        case EventWhat::retry:
            return "retry";
        case EventWhat::circuit_open:
            return "circuit_open";
        case EventWhat::circuit_probing:
            return "circuit_probing";
        case EventWhat::circuit_forced_open:
            return "circuit_forced_open";
        case EventWhat::rate_limited:
            return "rate_limited";
        case EventWhat::queue_full:
            return "queue_full";
        case EventWhat::queue_too_slow:
            return "queue_too_slow";
        case EventWhat::queue_wait_exceeded:
            return "queue_wait_exceeded";
        case EventWhat::key_limit_reached:
            return "key_limit_reached";
        case EventWhat::listed:
            return "listed";
        case EventWhat::called:
            return "called";
        case EventWhat::left:
            return "left";
        case EventWhat::draining:
            return "draining";
        case EventWhat::on:
            return "on";
        case EventWhat::counters_only:
            return "counters_only";
    }
    return "";
}

EventWhat event_what(resilience::CircuitState state) noexcept {
    switch (state) {
        case resilience::CircuitState::closed:
            return EventWhat::closed;
        case resilience::CircuitState::open:
            return EventWhat::opened;
        case resilience::CircuitState::half_open:
            return EventWhat::half_open;
    }
    return EventWhat::none;
}

EventWhat event_what(resilience::RefusalReason reason) noexcept {
    switch (reason) {
        case resilience::RefusalReason::circuit_open:
            return EventWhat::circuit_open;
        case resilience::RefusalReason::circuit_probing:
            return EventWhat::circuit_probing;
        case resilience::RefusalReason::circuit_forced_open:
            return EventWhat::circuit_forced_open;
        case resilience::RefusalReason::rate_limited:
            return EventWhat::rate_limited;
        case resilience::RefusalReason::queue_full:
            return EventWhat::queue_full;
        case resilience::RefusalReason::queue_too_slow:
            return EventWhat::queue_too_slow;
        case resilience::RefusalReason::queue_wait_exceeded:
            return EventWhat::queue_wait_exceeded;
        case resilience::RefusalReason::key_limit_reached:
            return EventWhat::key_limit_reached;
    }
    return EventWhat::none;
}

}  // namespace holdfast::record
