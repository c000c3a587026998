#include "dispatch/connection_event.hpp"

#include <algorithm>
#include <chrono>
#include <limits>

namespace holdfast::dispatch {
namespace {

using downstream::LinkState;

record::EventWhat what_of(const downstream::DownstreamStatus& status) {
    switch (status.state) {
        case LinkState::idle:
            return record::EventWhat::idle;
        case LinkState::connecting:
            return record::EventWhat::connecting;
        case LinkState::ready:
            return record::EventWhat::ready;
        case LinkState::waiting:
            return status.is_given_up ? record::EventWhat::given_up : record::EventWhat::waiting;
        case LinkState::paused:
            return record::EventWhat::paused;
        case LinkState::stopped:
            return record::EventWhat::stopped;
    }
    return record::EventWhat::none;
}

}  // namespace

record::Event connection_event(const std::string& server,
                               const downstream::DownstreamStatus& status,
                               resilience::TimePoint now) {
    record::Event event{.kind = record::EventKind::connection,
                        .server = server,
                        .what = what_of(status),
                        .reason = downstream::operator_reason(status),
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
            .what = problem.reason.empty() ? record::EventWhat::list_read
                                           : record::EventWhat::list_failed,
            .reason = problem.reason};
}

record::Event list_event(const std::string& server, const downstream::ListFaults& list) {
    return {.kind = record::EventKind::connection,
            .server = server,
            .subject = std::string{list.list},
            .what = record::EventWhat::list_faults,
            .reason = downstream::list_faults_text(list)};
}

record::Event junk_event(const std::string& server, const downstream::JunkNotice& notice) {
    constexpr std::uint64_t kMost = std::numeric_limits<std::uint32_t>::max();
    return {.kind = record::EventKind::connection,
            .server = server,
            .what = record::EventWhat::junk,
            .reason = notice.quote,
            .attempt = static_cast<std::uint32_t>(std::min(notice.count, kMost))};
}

}  // namespace holdfast::dispatch
