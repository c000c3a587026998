#include "admin/status_text.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/counted.hpp"
#include "surface/tool_documents.hpp"

namespace holdfast::admin {
namespace {

constexpr std::size_t kMaxBytes = 1'500;
/// The line that says what is omitted.
constexpr std::size_t kMaxNoteBytes = 80;
constexpr std::size_t kMaxReasonBytes = 120;
constexpr std::size_t kMaxWholeReasonBytes = 600;

enum class Health : std::uint8_t { works, starts, fails };

Health health_of(const ServerStatus& server) {
    switch (server.state) {
        case ServerState::connected:
            return server.circuit.can_attempt ? Health::works : Health::fails;
        case ServerState::connecting:
            return server.starting_s || server.failures_in_row == 0 ? Health::starts
                                                                    : Health::fails;
        case ServerState::disconnected:
            return server.is_paused ? Health::fails : Health::starts;
        case ServerState::skipped:
        case ServerState::error:
            break;
    }
    return Health::fails;
}

std::string seconds_text(double seconds) {
    return fmt::format("{:.0f} s", std::max(1.0, std::ceil(seconds)));
}

std::string reason_of(const ServerStatus& server, std::size_t max_bytes) {
    std::string reason = surface::shown_text(server.reason, max_bytes);
    if (reason.ends_with('.')) {
        reason.pop_back();
    }
    if (server.state == ServerState::skipped) {
        reason.insert(0, "skipped: ");
    } else if (server.is_paused) {
        reason = "paused by an operator";
    } else if (reason.empty() && !server.circuit.can_attempt) {
        reason = "its circuit is open after repeated failures";
    }
    if (server.next_attempt_in_s) {
        reason += (reason.empty() ? "" : ", ") +
                  ("next try in " + seconds_text(*server.next_attempt_in_s));
    } else if (server.circuit.remaining_s && !server.circuit.can_attempt) {
        reason += ", next try in " + seconds_text(*server.circuit.remaining_s);
    }
    return reason;
}

std::string with_note(const std::string& name, const std::string& note) {
    return note.empty() ? name : fmt::format("{} ({})", name, note);
}

/// `Not working: a (why), b (why).`, as many as fit.
std::string sentence_of(std::string_view title, const std::vector<std::string>& parts,
                        std::size_t max_bytes) {
    if (parts.empty()) {
        return {};
    }
    std::string text = fmt::format(" {}: ", title);
    std::size_t count = 0;
    for (const std::string& part : parts) {
        if (count > 0 && text.size() + part.size() > max_bytes) {
            text += fmt::format(", … and {} more", parts.size() - count);
            break;
        }
        text.append(count++ == 0 ? "" : ", ").append(part);
    }
    return text + ".";
}

std::string_view word_of(Health health) {
    switch (health) {
        case Health::works:
            return "works";
        case Health::starts:
            return "starting";
        case Health::fails:
            break;
    }
    return "not working";
}

std::string line_of(const ServerStatus& server) {
    std::string line = fmt::format("\n{}: {}, {}", server.name, word_of(health_of(server)),
                                   base::counted(server.tools, "tool"));
    if (server.calls.calls > 0) {
        line += fmt::format(", {}, {} failed", base::counted(server.calls.calls, "call"),
                            server.calls.failures);
    }
    // A server that works may still have an invalid list or entry.
    if (health_of(server) == Health::works && !server.reason.empty()) {
        line += "; " + reason_of(server, kMaxReasonBytes);
    }
    return line;
}

std::string conclusion_of(const Status& status) {
    std::size_t working = 0;
    std::vector<std::string> failing;
    std::vector<std::string> starting;
    for (const ServerStatus& server : status.servers) {
        switch (health_of(server)) {
            case Health::works:
                ++working;
                break;
            case Health::starts:
                starting.push_back(with_note(
                    server.name, server.starting_s ? seconds_text(*server.starting_s) : ""));
                break;
            case Health::fails:
                failing.push_back(with_note(server.name, reason_of(server, kMaxReasonBytes)));
                break;
        }
    }
    const std::size_t all = status.servers.size();
    std::string text = all == 0 ? "There are no servers."
                                : fmt::format("{} of {} {}.", working, base::counted(all, "server"),
                                              all == 1 ? "works" : "work");
    if (status.is_draining) {
        text = "The gateway is shutting down and takes no new calls. " + text;
    }
    return text + sentence_of("Not working", failing, kMaxBytes / 2) +
           sentence_of("Starting", starting, kMaxBytes / 4);
}

}  // namespace

std::string overview_text(const Status& status) {
    std::string text = conclusion_of(status);
    std::size_t shown = 0;
    for (const ServerStatus& server : status.servers) {
        const std::string line = line_of(server);
        if (text.size() + line.size() + kMaxNoteBytes > kMaxBytes) {
            return text + fmt::format("\n… and {} more; ask with \"server\" for one of them",
                                      status.servers.size() - shown);
        }
        text += line;
        ++shown;
    }
    return text;
}

std::string server_text(const ServerStatus& server) {
    const Health health = health_of(server);
    std::string text = fmt::format("{}: {}.", server.name, word_of(health));
    const std::string reason = reason_of(server, kMaxWholeReasonBytes);
    text += reason.empty() ? "" : " " + reason + ".";
    if (server.starting_s) {
        text += " Starting for " + seconds_text(*server.starting_s) + ".";
    }
    text += fmt::format("\nLists: {}, {}, {}", base::counted(server.tools, "tool"),
                        base::counted(server.prompts, "prompt"),
                        base::counted(server.resources, "resource"));
    text += fmt::format("\nCircuit: {}, {}", server.circuit.state,
                        base::counted(server.circuit.failure_count, "failure"));
    text += fmt::format("\nCalls: {}, {} failed", server.calls.calls, server.calls.failures);
    if (server.uptime_s) {
        text += "\nConnected for " + seconds_text(*server.uptime_s);
    }
    text += server.restarts > 0 ? fmt::format("\nReconnected {} times", server.restarts) : "";
    text += server.is_given_up ? "\nToo many connection attempts have failed." : "";
    if (server.last_error) {
        text += "\nLast failure: " + std::string{server.last_error->code};
    }
    return text;
}

}  // namespace holdfast::admin
