#include "cli/output/server_report.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <string_view>
#include <variant>

#include "base/secret.hpp"
#include "mcp/revision.hpp"
#include "surface/argument_schema.hpp"
#include "surface/surface.hpp"

namespace holdfast::cli {
namespace {

constexpr std::size_t kLogLines = 5;

std::string state_of(const downstream::DownstreamStatus& status, bool dials_in) {
    switch (status.state) {
        case downstream::LinkState::ready:
            if (!status.list_problems.empty()) {
                return "incomplete";
            }
            return status.unread_lists == 0 ? "ready" : "not ready";
        case downstream::LinkState::waiting:
            return dials_in ? "awaited" : "failed";
        case downstream::LinkState::connecting:
            return dials_in ? "awaited" : "not ready";
        case downstream::LinkState::paused:
            return "paused";
        case downstream::LinkState::idle:
        case downstream::LinkState::stopped:
            break;
    }
    return "not started";
}

std::size_t count_of(const surface::Surface& surface, downstream::ListKind kind,
                     std::string_view server) {
    return static_cast<std::size_t>(
        std::ranges::count(surface.catalogue(kind).items(), server, &catalogue::Item::server));
}

void add_warnings(const surface::Surface& surface, ServerReport& report) {
    for (const surface::Callable& tool : surface.tools()) {
        if (tool.server == nullptr || tool.server->name != report.name) {
            continue;
        }
        if (!tool.exposed_name.ends_with(tool.own_name)) {
            report.warnings.push_back(
                fmt::format("tool \"{}\" is exposed as \"{}\": agents cannot use its own name",
                            tool.own_name, tool.exposed_name));
        }
        if (tool.arguments && !tool.arguments->schema().problem().empty()) {
            report.warnings.push_back(
                fmt::format("tool \"{}\": arguments are not validated, invalid schema at {}",
                            tool.own_name, tool.arguments->schema().problem()));
        }
    }
}

/// Entries that agents would reject, so that they were repaired or skipped.
void add_list_warnings(const downstream::DownstreamStatus& status, ServerReport& report) {
    for (const downstream::ListFaults& list : status.list_faults) {
        std::ranges::copy(list.faults.texts, std::back_inserter(report.warnings));
        const std::size_t more = list.faults.entries - list.faults.texts.size();
        if (more > 0) {
            report.warnings.push_back(fmt::format("{}: {} more invalid entries", list.list, more));
        }
    }
}

std::string why_not_fine(const downstream::DownstreamStatus& status) {
    if (!status.list_problems.empty()) {
        return downstream::list_problems_text(status);
    }
    if (status.state == downstream::LinkState::ready) {
        return "It is connected, and did not list in time what it offers.";
    }
    return status.reason.empty() ? "It did not get ready in time."
                                 : downstream::operator_reason(status);
}

void add_state(const surface::Server& server, bool dials_in, ServerReport& report) {
    const downstream::DownstreamStatus status = server.downstream->status();
    report.state = state_of(status, dials_in);
    report.is_fine = report.state == "ready" || report.state == "awaited";
    if (status.negotiated) {
        report.revision = mcp::text_of(status.negotiated->revision);
    }
    if (report.is_fine) {
        return;
    }
    report.reason = why_not_fine(status);
    report.log = server.downstream->last_log_lines(kLogLines);
}

/// Its tools can be listed, but not called.
void add_missing_credential(const runtime::Service& service, ServerReport& report) {
    const std::string why = service.missing_credential(report.name);
    if (report.is_fine && !why.empty()) {
        report.state = "no credential";
        report.is_fine = false;
        report.reason = why;
    }
}

void add_skipped(const runtime::Service& service, ServerReport& report) {
    report.state = "skipped";
    report.is_fine = false;
    report.reason = service.why_skipped(report.name);
}

/// A server may repeat in its words what it was given.
void hide_secrets(const std::vector<std::string>& secrets, ServerReport& report) {
    report.reason = base::without_secrets(report.reason, secrets);
    for (std::string& line : report.log) {
        line = base::without_secrets(line, secrets);
    }
}

}  // namespace

std::string no_servers_text(const std::string& config_file) {
    return fmt::format(
        "no servers in {}; add one to \"mcpServers\", or import those of your editors with "
        "\"holdfast import\"\n",
        config_file);
}

std::vector<ServerReport> server_reports(runtime::Service& service) {
    const auto secrets = service.gateway().calls()->secrets->all();
    const auto servers = service.gateway().servers();
    const auto surface = service.gateway().surface();
    std::vector<ServerReport> reports;
    reports.reserve(service.config().servers.size() + service.config().skipped.size());
    for (const config::ServerConfig& server : service.config().servers) {
        ServerReport& report = reports.emplace_back();
        report.name = server.name;
        const auto found = std::ranges::find(*servers, server.name, &surface::Server::name);
        if (server.is_disabled) {
            report.state = "disabled";
        } else if (found == servers->end()) {
            add_skipped(service, report);
            hide_secrets(*secrets, report);
        } else {
            add_state(*found, std::holds_alternative<config::WebSocketListenTarget>(server.target),
                      report);
            add_missing_credential(service, report);
            hide_secrets(*secrets, report);
            report.tools = count_of(*surface, downstream::ListKind::tools, server.name);
            report.prompts = count_of(*surface, downstream::ListKind::prompts, server.name);
            report.resources = count_of(*surface, downstream::ListKind::resources, server.name) +
                               count_of(*surface, downstream::ListKind::templates, server.name);
            add_list_warnings(found->downstream->status(), report);
            add_warnings(*surface, report);
        }
    }
    for (const config::SkippedServer& server : service.config().skipped) {
        ServerReport& report = reports.emplace_back();
        report.name = server.name;
        add_skipped(service, report);
        hide_secrets(*secrets, report);
    }
    return reports;
}

}  // namespace holdfast::cli
