#include "agents/replay_log.hpp"

#include <charconv>
#include <utility>

namespace holdfast::agents {
namespace {

struct EventId {
    std::uint64_t stream = 0;
    std::uint64_t number = 0;
};

std::string text_of(const EventId& id) {
    return std::to_string(id.stream) + "-" + std::to_string(id.number);
}

std::optional<EventId> parsed_id(std::string_view text) {
    EventId id;
    const char* begin = text.data();
    const char* end = begin + text.size();
    const auto stream = std::from_chars(begin, end, id.stream);
    if (stream.ec != std::errc{} || stream.ptr == end || *stream.ptr != '-') {
        return std::nullopt;
    }
    const auto number = std::from_chars(stream.ptr + 1, end, id.number);
    const bool is_whole = number.ec == std::errc{} && number.ptr == end;
    return is_whole ? std::optional{id} : std::nullopt;
}

}  // namespace

std::optional<std::uint64_t> ReplayLog::open() {
    return state_.with([this](State& state) -> std::optional<std::uint64_t> {
        if (state.open.size() >= limits_.max_streams) {
            return std::nullopt;
        }
        state.open.emplace(++state.last_stream, Stream{});
        return state.last_stream;
    });
}

bool ReplayLog::can_open() const {
    return state_.with(
        [this](const State& state) { return state.open.size() < limits_.max_streams; });
}

std::string ReplayLog::first_id(std::uint64_t stream) {
    return text_of({.stream = stream, .number = 0});
}

std::string ReplayLog::add(std::uint64_t stream, std::string_view message, bool is_last,
                           resilience::TimePoint now) {
    Follower follower;
    Event event{.message = std::string{message}, .is_last = is_last};
    state_.with([&](State& state) {
        const auto open = state.open.find(stream);
        if (open == state.open.end()) {
            return;
        }
        const std::uint64_t number = ++open->second.last_number;
        event.id = text_of({.stream = stream, .number = number});
        state.bytes += event.message.size();
        state.kept.push_back({.stream = stream, .number = number, .at = now, .event = event});
        if (is_last) {
            follower.swap(open->second.follower);
            state.open.erase(open);
        } else {
            follower = open->second.follower;
        }
        drop_old(state, now);
    });
    if (follower) {
        follower(event);
    }
    return event.id;
}

void ReplayLog::close(std::uint64_t stream) {
    const auto node = state_.with([stream](State& state) { return state.open.extract(stream); });
    if (!node.empty() && node.mapped().follower) {
        node.mapped().follower({.is_last = true});
    }
}

bool ReplayLog::resume(std::string_view last_id, Follower follower, resilience::TimePoint now) {
    const auto id = parsed_id(last_id);
    if (!id) {
        return false;
    }
    std::vector<Event> missed;
    Follower replaced;
    const bool is_known = state_.with([&](State& state) {
        drop_old(state, now);
        bool is_gapless = false;
        for (const Kept& kept : state.kept) {
            if (kept.stream == id->stream && kept.number > id->number) {
                is_gapless = is_gapless || kept.number == id->number + 1;
                missed.push_back(kept.event);
            }
        }
        const auto open = state.open.find(id->stream);
        const bool is_open = open != state.open.end();
        if (!is_gapless && !(is_open && open->second.last_number == id->number)) {
            missed.clear();
            return false;
        }
        if (is_open) {
            replaced.swap(open->second.follower);
            open->second.follower = follower;
        }
        return true;
    });
    if (replaced) {
        replaced({.is_last = true});
    }
    for (const Event& event : missed) {
        follower(event);
    }
    return is_known;
}

void ReplayLog::drop_old(State& state, resilience::TimePoint now) const {
    while (!state.kept.empty() &&
           (state.kept.size() > limits_.max_events || state.bytes > limits_.max_bytes ||
            resilience::elapsed_between(state.kept.front().at, now) >= limits_.keep_for ||
            !state.share.try_resize(state.bytes))) {
        state.bytes -= state.kept.front().event.message.size();
        state.kept.pop_front();
    }
    state.share.resize(state.bytes);
}

}  // namespace holdfast::agents
