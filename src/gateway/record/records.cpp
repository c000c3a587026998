#include "record/records.hpp"

#include <array>
#include <cstddef>
#include <new>
#include <type_traits>

namespace holdfast::record {
namespace {

// A block is freed as a whole, without destructors.
static_assert(std::is_trivially_destructible_v<CallRecord>);
static_assert(std::is_trivially_destructible_v<AttemptRecord>);

/// The unit of a block; its alignment and size fit both kinds of records.
using Unit = std::uint64_t;
static_assert(alignof(CallRecord) <= alignof(Unit) && alignof(AttemptRecord) <= alignof(Unit));
static_assert(sizeof(CallRecord) % sizeof(Unit) == 0 && sizeof(AttemptRecord) % sizeof(Unit) == 0);

/// The texts that are copied with a record.
constexpr std::array kTexts{&CallRecord::id,      &CallRecord::principal, &CallRecord::tool,
                            &CallRecord::server,  &CallRecord::message,   &CallRecord::policy,
                            &CallRecord::circuit, &CallRecord::substitute};
constexpr std::array kAttemptTexts{&AttemptRecord::server, &AttemptRecord::end,
                                   &AttemptRecord::detail};

/// Copies the text to `place`, lets it refer to the copy, and advances `place`.
void move_text(std::string_view& text, char*& place) {
    char* const begin = place;
    place += text.copy(begin, text.size());
    text = {begin, text.size()};
}

}  // namespace

std::size_t size_bytes_of(const CallRecord& record) noexcept {
    std::size_t size = sizeof(CallRecord) + record.attempts.size_bytes();
    for (const auto text : kTexts) {
        size += (record.*text).size();
    }
    for (const AttemptRecord& attempt : record.attempts) {
        for (const auto text : kAttemptTexts) {
            size += (attempt.*text).size();
        }
    }
    return size;
}

// Layout: the record, then its attempts, then the texts of both.
std::shared_ptr<CallRecord> kept(const CallRecord& record) {
    const std::size_t units = (size_bytes_of(record) + sizeof(Unit) - 1) / sizeof(Unit);
    const auto block = std::make_shared_for_overwrite<Unit[]>(units);
    auto* const copy = ::new (static_cast<void*>(block.get())) CallRecord{record};
    auto* const attempts =
        reinterpret_cast<AttemptRecord*>(block.get() + sizeof(CallRecord) / sizeof(Unit));
    std::uninitialized_copy(record.attempts.begin(), record.attempts.end(), attempts);
    copy->attempts = {attempts, record.attempts.size()};
    char* place = reinterpret_cast<char*>(attempts + record.attempts.size());
    for (const auto text : kTexts) {
        move_text(copy->*text, place);
    }
    for (AttemptRecord& attempt : std::span{attempts, record.attempts.size()}) {
        for (const auto text : kAttemptTexts) {
            move_text(attempt.*text, place);
        }
    }
    return {block, copy};
}

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
        case resilience::RefusalReason::queue_wait_exceeded:
            return EventWhat::queue_wait_exceeded;
        case resilience::RefusalReason::key_limit_reached:
            return EventWhat::key_limit_reached;
    }
    return EventWhat::none;
}

}  // namespace holdfast::record
