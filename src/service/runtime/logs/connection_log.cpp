#include "runtime/logs/connection_log.hpp"

#include <algorithm>
#include <cstddef>

#include "base/printable.hpp"

namespace holdfast::runtime {
namespace {

using record::Event;
using record::EventWhat;

constexpr std::size_t kMaxReasonBytes = 500;
/// A program may state another reason each time.
constexpr std::size_t kMaxReasons = 8;

/// One line, without the full stop that ends a sentence.
std::string reason_of(const Event& event) {
    std::string reason = base::shown_line(event.reason, kMaxReasonBytes);
    if (reason.ends_with('.')) {
        reason.pop_back();
    }
    return reason;
}

/// The same for reasons that differ in times, process ids and the like. Single digits stay: they
/// may be an exit code.
std::string pattern_of(const std::string& reason) {
    std::string pattern;
    std::size_t index = 0;
    while (index < reason.size()) {
        const std::size_t end =
            std::min(reason.find_first_not_of("0123456789", index), reason.size());
        if (end - index > 1) {
            pattern += '#';
            index = end;
        } else {
            pattern += reason[index++];
        }
    }
    return pattern;
}

/// Also a reconnect without a delay, if something led to it.
bool is_loss(const Event& event) {
    return event.what == EventWhat::waiting || event.what == EventWhat::given_up ||
           (event.what == EventWhat::connecting && !event.reason.empty());
}

void log_junk(const logging::Log& log, const Event& event) {
    const std::string line = base::shown_line(event.reason, kMaxReasonBytes);
    log.warn("junk_skipped", {{"server", event.server}, {"line", line}},
             "server \"{}\" sent a line that is not JSON-RPC; skipping such lines: {}",
             event.server, line);
}

void log_list(const logging::Log& log, const Event& event, const std::string& reason) {
    if (event.what == EventWhat::list_read) {
        log.info("list_available", {{"server", event.server}, {"list", event.subject}},
                 "server \"{}\": {} works again", event.server, event.subject);
    } else if (event.what == EventWhat::list_faults) {
        log.warn("list_faults",
                 {{"server", event.server}, {"list", event.subject}, {"reason", reason}},
                 "server \"{}\": {} has invalid entries: {}", event.server, event.subject, reason);
    } else {
        log.warn("list_failed",
                 {{"server", event.server}, {"list", event.subject}, {"reason", reason}},
                 "server \"{}\": {} failed: {}", event.server, event.subject, reason);
    }
}

}  // namespace

void ConnectionLog::on_event(const Event& event) {
    if (event.kind != record::EventKind::connection) {
        return;
    }
    const std::string& server = event.server;
    const std::string reason = reason_of(event);
    switch (servers_.with([&event](Servers& servers) { return line_for(event, servers); })) {
        case Line::none:
            break;
        case Line::junk:
            log_junk(log_, event);
            break;
        case Line::list:
            log_list(log_, event, reason);
            break;
        case Line::lost:
            log_.warn("server_disconnected", {{"server", server}, {"reason", reason}},
                      "server \"{}\" is not connected: {}", server, reason);
            break;
        case Line::lost_again:
            log_.warn("server_disconnected", {{"server", server}, {"reason", reason}},
                      "server \"{}\" disconnected again shortly after connecting: {}", server,
                      reason);
            break;
        case Line::still_lost:
            log_.warn("server_disconnected", {{"server", server}, {"reason", reason}},
                      "server \"{}\" is still not connected: {}", server, reason);
            break;
        case Line::connected:
            log_.info("server_connected", {{"server", server}}, "server \"{}\" connected", server);
            break;
    }
}

bool ConnectionLog::is_new_reason(const Event& event, Outage& outage) {
    return event.what != EventWhat::connecting && outage.reasons.size() < kMaxReasons &&
           outage.reasons.insert(pattern_of(event.reason)).second;
}

ConnectionLog::Line ConnectionLog::line_for(const Event& event, Servers& servers) {
    if (event.what == EventWhat::junk) {
        return event.attempt == 1 ? Line::junk : Line::none;
    }
    const auto known = servers.find(event.server);
    if (!event.subject.empty()) {
        // A server that connects and disconnects would repeat the line about its lists each time.
        return known == servers.end() ? Line::list : Line::none;
    }
    if (is_loss(event)) {
        if (known != servers.end()) {
            return is_new_reason(event, known->second) ? Line::still_lost : Line::none;
        }
        // Earlier failures count until a connection has lasted.
        const bool is_again = event.attempt > 1;
        servers.emplace(event.server, Outage{.known = is_again ? Known::unsteady : Known::lost,
                                             .reasons = {pattern_of(event.reason)}});
        return is_again ? Line::lost_again : Line::lost;
    }
    if (event.what == EventWhat::connecting || known == servers.end()) {
        return Line::none;
    }
    const bool is_back = event.what == EventWhat::ready &&
                         (known->second.known == Known::lost || event.attempt == 0);
    // Any other state was caused by an operator or by the end of the gateway.
    if (is_back || event.what != EventWhat::ready) {
        servers.erase(known);
    }
    return is_back ? Line::connected : Line::none;
}

}  // namespace holdfast::runtime
