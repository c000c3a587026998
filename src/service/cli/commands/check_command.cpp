#include <algorithm>
#include <chrono>
#include <memory>
#include <ostream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "base/printable.hpp"
#include "cli/client/temporary_gateway.hpp"
#include "cli/commands/commands.hpp"
#include "cli/common_options.hpp"
#include "cli/exit_code.hpp"
#include "cli/output/server_report.hpp"
#include "cli/output/text_table.hpp"
#include "holdfast/resilience/time.hpp"
#include "jsonrpc/json_text.hpp"

namespace holdfast::cli {
namespace {

struct CheckOptions {
    std::string config_file = {};  ///< Empty = the usual places.
    bool as_json = false;
    resilience::Duration wait = std::chrono::seconds{10};  ///< For servers to get ready.
};

constexpr std::size_t kMaxReportLineBytes = 500;

std::string json_list(const std::vector<std::string>& texts) {
    std::string list;
    for (const std::string& text : texts) {
        list += (list.empty() ? "" : ",") + jsonrpc::quoted_text(text);
    }
    return "[" + list + "]";
}

std::string server_json(const ServerReport& report) {
    std::string text = R"({"name":)" + jsonrpc::quoted_text(report.name) + R"(,"state":)" +
                       jsonrpc::quoted_text(report.state) + R"(,"ok":)" +
                       (report.is_fine ? "true" : "false");
    if (!report.revision.empty()) {
        text += R"(,"revision":)" + jsonrpc::quoted_text(report.revision);
    }
    text += R"(,"tools":)" + std::to_string(report.tools) + R"(,"prompts":)" +
            std::to_string(report.prompts) + R"(,"resources":)" + std::to_string(report.resources);
    if (!report.reason.empty()) {
        text += R"(,"reason":)" + jsonrpc::quoted_text(report.reason);
    }
    return text + R"(,"log":)" + json_list(report.log) + R"(,"warnings":)" +
           json_list(report.warnings) + "}";
}

/// The messages about the config, one per line, without the name of the program.
std::vector<std::string> message_lines(const std::string& text) {
    constexpr std::string_view kProgram = "holdfast: ";
    std::vector<std::string> lines;
    std::istringstream stream{text};
    for (std::string line; std::getline(stream, line);) {
        lines.push_back(line.starts_with(kProgram) ? line.substr(kProgram.size()) : line);
    }
    return lines;
}

void print_json(const std::vector<ServerReport>& reports, const std::string& messages, bool is_fine,
                std::ostream& out) {
    std::string servers;
    for (const ServerReport& report : reports) {
        servers += (servers.empty() ? "" : ",") + server_json(report);
    }
    out << R"({"ok":)" << (is_fine ? "true" : "false") << R"(,"config":)"
        << json_list(message_lines(messages)) << R"(,"servers":[)" << servers << "]}\n";
}

std::string offers(const ServerReport& report) {
    if (report.state != "ready") {
        return base::shown_line(report.reason, kMaxReportLineBytes);
    }
    const auto counted = [](std::size_t count, std::string_view what) {
        return std::to_string(count) + " " + std::string{what} + (count == 1 ? "" : "s");
    };
    return counted(report.tools, "tool") + ", " + counted(report.prompts, "prompt") + ", " +
           counted(report.resources, "resource");
}

void print_text(const std::vector<ServerReport>& reports, std::ostream& out) {
    TextTable table;
    for (const ServerReport& report : reports) {
        table.add({report.name, report.state, report.revision.empty() ? "-" : report.revision,
                   offers(report)});
    }
    out << table.text();
    for (const ServerReport& report : reports) {
        for (const std::string& line : report.log) {
            out << report.name << ": " << base::shown_line(line, kMaxReportLineBytes) << "\n";
        }
        for (const std::string& warning : report.warnings) {
            out << report.name << ": warning: " << base::shown_line(warning, kMaxReportLineBytes)
                << "\n";
        }
    }
}

int run_check(const CheckOptions& options, std::ostream& out, std::ostream& errors) {
    std::ostringstream messages;
    std::vector<ServerReport> reports;
    const int ran =
        with_temporary_gateway(options.config_file, options.wait,
                               options.as_json ? messages : errors, [&](runtime::Service& service) {
                                   reports = server_reports(service);
                                   service.stop();
                               });
    const bool is_fine =
        ran == kExitSuccess && std::ranges::all_of(reports, &ServerReport::is_fine);
    if (options.as_json) {
        print_json(reports, messages.str(), is_fine, out);
    } else {
        print_text(reports, out);
    }
    return ran == kExitSuccess && !is_fine ? kExitFailure : ran;
}

}  // namespace

Command check_command() {
    const auto options = std::make_shared<CheckOptions>();
    return {.name = "check",
            .help = "Validate a config, start its servers, report problems",
            .examples = {"holdfast check --config servers.json"},
            .options = {{.name = "--config", .help = kConfigHelp, .target = &options->config_file},
                        {.name = "--wait",
                         .help = "How long to wait for the servers",
                         .target = &options->wait},
                        json_option(options->as_json)},
            .run = [options](std::ostream& out, std::ostream& errors) {
                return run_check(*options, out, errors);
            }};
}

}  // namespace holdfast::cli
