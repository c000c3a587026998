#include "cli/client/control.hpp"

#include <fmt/core.h>

#include <chrono>
#include <optional>
#include <ostream>
#include <thread>

#include "base/counted.hpp"
#include "base/uri.hpp"
#include "cli/exit_code.hpp"
#include "cli/output/status_table.hpp"
#include "jsonrpc/members.hpp"

namespace holdfast::cli {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kLookEvery{100};

int report_failure(const std::string& server, const std::string& why, std::ostream& errors) {
    errors << fmt::format("holdfast: server \"{}\" {}{}\n", server, why,
                          why.ends_with('.') ? "" : ".");
    return kExitFailure;
}

/// Returns the exit code once the outcome is known.
std::optional<int> outcome_of(const std::string& server, const ShownServer& shown,
                              std::ostream& out, std::ostream& errors) {
    if (shown.state == "connected") {
        out << fmt::format("The server \"{}\" is connected: {}.\n", server,
                           base::counted(shown.tools, "tool"));
        return kExitSuccess;
    }
    if (shown.state == "connecting") {
        return std::nullopt;
    }
    return report_failure(server, "does not work: " + shown.reason, errors);
}

}  // namespace

int run_control(const AdminChoice& gateway, const std::string& path, std::ostream& out,
                std::ostream& errors) {
    const auto answer = ask_admin(gateway, "POST", path);
    if (!is_good(answer)) {
        return report_fault(answer, errors);
    }
    out << jsonrpc::text_member_of(answer->body, "message") << "\n";
    return kExitSuccess;
}

int run_server_start(const AdminChoice& gateway, const std::string& server, std::string_view verb,
                     resilience::Duration wait, std::ostream& out, std::ostream& errors) {
    const auto place = find_gateway(gateway);
    if (!place) {
        return report_fault(place.error(), errors);
    }
    const auto begun = ask_admin(
        *place, "POST", fmt::format("/api/servers/{}/{}", base::percent_encoded(server), verb),
        gateway.timeout);
    if (!is_good(begun)) {
        return report_fault(begun, errors);
    }
    const auto until = Clock::now() + wait;
    while (true) {
        const auto answer = ask_admin(*place, "GET", "/api/status", gateway.timeout);
        if (!is_good(answer)) {
            return report_fault(answer, errors);
        }
        const auto shown = server_in(answer->body, server);
        if (!shown) {
            return report_failure(server, "has been removed from the config", errors);
        }
        if (const auto code = outcome_of(server, *shown, out, errors)) {
            return *code;
        }
        if (Clock::now() >= until) {
            return report_failure(server, "is still starting; see \"holdfast status\"", errors);
        }
        std::this_thread::sleep_for(kLookEvery);
    }
}

}  // namespace holdfast::cli
