#include "dispatch/connection_event.hpp"

#include <algorithm>
#include <chrono>
#include <limits>
#include <string_view>

namespace holdfast::dispatch {
namespace {

using downstream::LinkState;

std::string_view word_for(const downstream::DownstreamStatus& status) {
    switch (status.state) {
        case LinkState::idle:
            return "idle";
        case LinkState::connecting:
            return "connecting";
        case LinkState::ready:
            return "ready";
        case LinkState::waiting:
            return status.is_given_up ? "given_up" : "waiting";
        case LinkState::paused:
            return "paused";
        case LinkState::stopped:
            return "stopped";
    }
    return "";
}

}  // namespace

record::Event connection_event(const std::string& server,
                               const downstream::DownstreamStatus& status,
                               resilience::TimePoint now) {
    record::Event event{.kind = record::EventKind::connection,
                        .server = server,
                        .what = std::string{word_for(status)},
                        .reason = status.reason,
                        .attempt = status.failures_in_row};
    if (status.next_attempt_at) {
        event.wait_ms = std::chrono::ceil<std::chrono::milliseconds>(
                            resilience::elapsed_between(now, *status.next_attempt_at))
                            .count();
    }
    return event;
}

record::Event list_event(const std::string& server, const downstream::ListProblem& problem) {
    return {.kind = record::EventKind::connection,
            .server = server,
            .subject = std::string{problem.list},
            .what = problem.reason.empty() ? "list_read" : "list_failed",
            .reason = problem.reason};
}

record::Event junk_event(const std::string& server, const downstream::JunkNotice& notice) {
    constexpr std::uint64_t kMost = std::numeric_limits<std::uint32_t>::max();
    return {.kind = record::EventKind::connection,
            .server = server,
            .what = "junk",
            .reason = notice.quote,
            .attempt = static_cast<std::uint32_t>(std::min(notice.count, kMost))};
}

}  // namespace holdfast::dispatch
