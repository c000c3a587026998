#include "runtime/logs/debug_log.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "base/printable.hpp"
#include "mcp/revision.hpp"
#include "policy/failure_code.hpp"

namespace holdfast::runtime {
namespace {

using downstream::LinkState;
using resilience::TimePoint;

constexpr std::size_t kMaxTextBytes = 500;
constexpr std::int64_t kUsInMs = 1'000;

std::int64_t ms_between(TimePoint from, TimePoint to) {
    return std::chrono::ceil<std::chrono::milliseconds>(resilience::elapsed_between(from, to))
        .count();
}

}  // namespace

std::string DebugLog::shown(std::string_view text) const {
    return base::shown_line(deps_.without_secrets(std::string{text}), kMaxTextBytes);
}

void DebugLog::on_status(const std::string& server, const downstream::DownstreamStatus& status) {
    const TimePoint now = deps_.now();
    switch (status.state) {
        case LinkState::connecting:
            connecting_.with([&](Connecting& since) { since.insert_or_assign(server, now); });
            deps_.log.connecting(server, status.failures_in_row + 1);
            break;
        case LinkState::ready:
            if (status.negotiated) {
                log_handshake(server, *status.negotiated);
            }
            break;
        case LinkState::waiting:
            deps_.log.connect_failed({.server = server,
                                      .reason = shown(downstream::operator_reason(status)),
                                      .retry_ms = status.next_attempt_at
                                                      ? ms_between(now, *status.next_attempt_at)
                                                      : 0});
            break;
        case LinkState::idle:
        case LinkState::paused:
        case LinkState::stopped:
            break;
    }
}

// A ready server reports its status again, for example when a list fails.
void DebugLog::log_handshake(const std::string& server, const downstream::Negotiated& negotiated) {
    const auto began = connecting_.with([&](Connecting& since) {
        const auto found = since.extract(server);
        return found.empty() ? std::nullopt : std::optional{found.mapped()};
    });
    if (began) {
        deps_.log.handshake_done({.server = server,
                                  .era = negotiated.era() == mcp::Era::modern ? "modern" : "legacy",
                                  .revision = mcp::text_of(negotiated.revision),
                                  .took_ms = ms_between(*began, deps_.now())});
    }
}

void DebugLog::on_list(const std::string& server, const downstream::Listing& listing) const {
    deps_.log.list_read(server, downstream::list_member(listing.kind), listing.entries.size());
}

void DebugLog::on_call(const record::CallRecord& record) {
    // The line about the call says the same about its only attempt.
    const bool has_several = record.attempts.size() > 1;
    std::size_t number = 0;
    for (const record::AttemptRecord& attempt : record.attempts) {
        ++number;
        if (has_several) {
            deps_.log.attempt_ended({.call = record.id,
                                     .server = attempt.server,
                                     .outcome = attempt.end,
                                     .reason = shown(attempt.detail),
                                     .took_ms = attempt.took_us / kUsInMs,
                                     .attempt = number});
        }
    }
    // The message about invalid arguments quotes them.
    const bool quotes_arguments =
        record.outcome == policy::text_of(policy::FailureCode::invalid_arguments);
    deps_.log.call_ended({.call = record.id,
                          .tool = shown(record.tool),
                          .server = record.server,
                          .outcome = record.outcome,
                          .reason = quotes_arguments ? std::string{} : shown(record.message),
                          .took_ms = record.total_us / kUsInMs,
                          .attempt = number});
    if (deps_.next) {
        deps_.next->on_call(record);
    }
}

void DebugLog::on_event(record::Event event) {
    if (deps_.next) {
        deps_.next->on_event(std::move(event));
    }
}

}  // namespace holdfast::runtime
