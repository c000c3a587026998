#include "runtime/logs/connection_log.hpp"

#include "base/printable.hpp"

namespace holdfast::runtime {
namespace {

using record::Event;
using record::EventWhat;

constexpr std::size_t kMaxReasonBytes = 500;

std::string name_of(const Event& event) {
    return "the server \"" + event.server + "\"";
}

std::string shown_reason(const Event& event) {
    std::string reason = base::shown_line(event.reason, kMaxReasonBytes);
    reason += reason.ends_with('.') ? "" : ".";
    return reason;
}

std::string list_sentence(const Event& event) {
    if (event.what == EventWhat::list_read) {
        return name_of(event) + " answers " + event.subject + " again.";
    }
    return event.subject + " of " + name_of(event) + " failed: " + shown_reason(event);
}

std::string junk_sentence(const Event& event) {
    return name_of(event) +
           " sent a line that is not JSON-RPC; such lines are skipped, this is the first: " +
           base::shown_line(event.reason, kMaxReasonBytes);
}

/// Connecting at once, too, if there is something that led to it.
bool tells_loss(const Event& event) {
    return event.what == EventWhat::waiting || event.what == EventWhat::given_up ||
           (event.what == EventWhat::connecting && !event.reason.empty());
}

}  // namespace

void ConnectionLog::on_event(const Event& event) {
    if (event.kind != record::EventKind::connection) {
        return;
    }
    const std::string sentence =
        servers_.with([&event](Servers& servers) { return sentence_of(event, servers); });
    if (!sentence.empty()) {
        say_(sentence);
    }
}

std::string ConnectionLog::sentence_of(const Event& event, Servers& servers) {
    if (event.what == EventWhat::junk) {
        return event.attempt == 1 ? junk_sentence(event) : std::string{};
    }
    const auto known = servers.find(event.server);
    if (!event.subject.empty()) {
        // One that comes and goes would tell of its lists each time.
        return known == servers.end() ? list_sentence(event) : std::string{};
    }
    if (tells_loss(event)) {
        if (known != servers.end()) {
            return {};
        }
        // Earlier failures count until a connection has lasted.
        const bool is_again = event.attempt > 1;
        servers.emplace(event.server, is_again ? Known::unsteady : Known::lost);
        return name_of(event) +
               (is_again ? " is lost again, soon after it was connected: "
                         : " is not connected: ") +
               shown_reason(event);
    }
    if (event.what == EventWhat::connecting || known == servers.end()) {
        return {};
    }
    const bool is_back =
        event.what == EventWhat::ready && (known->second == Known::lost || event.attempt == 0);
    // An operator or the end of the gateway is behind any other state.
    if (is_back || event.what != EventWhat::ready) {
        servers.erase(known);
    }
    return is_back ? name_of(event) + " is connected." : std::string{};
}

}  // namespace holdfast::runtime
