#include "downstream/supervision/connection_text.hpp"

#include <algorithm>
#include <chrono>

#include "downstream/starting_fault.hpp"

namespace holdfast::downstream {
namespace {

/// The remaining time of a running dial is unknown; most dials take less.
constexpr resilience::Duration kRetryDuringDial = std::chrono::seconds{1};
/// Of a first start, whose end is unknown too: the longer it has taken, the longer it may take.
constexpr resilience::Duration kMinRetryDuringStart = std::chrono::seconds{1};
constexpr resilience::Duration kMaxRetryDuringStart = std::chrono::seconds{30};

}  // namespace

CallFault not_connected_fault(const std::string& server, const DownstreamStatus& status,
                              resilience::TimePoint now) {
    CallFault fault{.kind = CallFault::Kind::not_connected,
                    .message = "The server \"" + server + "\" is not connected",
                    .is_given_up = status.is_given_up,
                    .is_final = true};
    if (!status.reason.empty()) {
        fault.message += ": " + status.reason;
    }
    if (!fault.message.ends_with('.')) {
        fault.message += '.';
    }
    if (status.is_given_up) {
        fault.message += status.failed_dials == 1 ? " 1 connection attempt has failed."
                                                  : " " + std::to_string(status.failed_dials) +
                                                        " connection attempts have failed.";
    }
    if (status.state == LinkState::connecting) {
        fault.retry_after = kRetryDuringDial;
        fault.message += " A connection attempt is running.";
    }
    if (status.next_attempt_at) {
        const auto left = resilience::elapsed_between(now, *status.next_attempt_at);
        fault.retry_after = left;
        // At least 1, as in `retryAfter`: 0 would invite an agent to a busy loop.
        const auto seconds =
            std::max(std::chrono::seconds{1}, std::chrono::ceil<std::chrono::seconds>(left));
        fault.message +=
            " The next connection attempt is in " + std::to_string(seconds.count()) + " s.";
    }
    return fault;
}

CallFault starting_fault(const std::string& server, resilience::Duration started_for) {
    const auto seconds = std::chrono::floor<std::chrono::seconds>(started_for).count();
    return {.kind = CallFault::Kind::not_connected,
            .message = "\"" + server + "\" is still starting (" + std::to_string(seconds) + " s).",
            .brief = "the server is still starting",
            .retry_after = std::clamp(started_for, kMinRetryDuringStart, kMaxRetryDuringStart),
            .is_starting = true};
}

CallFault paused_fault(const std::string& server) {
    return {.kind = CallFault::Kind::not_connected,
            .message = "The server \"" + server +
                       "\" was paused by an operator and is unavailable until it is resumed.",
            .is_final = true};
}

CallFault restarted_fault(const std::string& server) {
    return {.kind = CallFault::Kind::not_connected,
            .message = "The server \"" + server + "\" is being restarted by an operator."};
}

CallFault session_over_fault() {
    return {.kind = CallFault::Kind::not_connected,
            .message = "The session with the server has ended."};
}

CallFault stopping_fault(const std::string& server) {
    return {.kind = CallFault::Kind::stopping,
            .message = "The server \"" + server + "\" is being shut down."};
}

}  // namespace holdfast::downstream
