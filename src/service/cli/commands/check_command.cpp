#include "cli/commands/check_command.hpp"

#include <algorithm>
#include <ostream>
#include <sstream>
#include <string_view>
#include <vector>

#include "base/printable.hpp"
#include "cli/client/temporary_gateway.hpp"
#include "cli/exit_code.hpp"
#include "cli/output/server_report.hpp"
#include "cli/output/text_table.hpp"
#include "jsonrpc/json_text.hpp"

namespace holdfast::cli {
namespace {

constexpr std::size_t kMaxLineBytes = 500;

std::string json_list(const std::vector<std::string>& texts) {
    std::string list;
    for (const std::string& text : texts) {
        list += (list.empty() ? "" : ",") + jsonrpc::quoted_text(text);
    }
    return "[" + list + "]";
}

std::string json_of(const ServerReport& report) {
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

/// What was told about the config, a line each, without the name of the program.
std::vector<std::string> told_lines(const std::string& told) {
    constexpr std::string_view kProgram = "holdfast: ";
    std::vector<std::string> lines;
    std::istringstream stream{told};
    for (std::string line; std::getline(stream, line);) {
        lines.push_back(line.starts_with(kProgram) ? line.substr(kProgram.size()) : line);
    }
    return lines;
}

void print_json(const std::vector<ServerReport>& reports, const std::string& told, bool is_fine,
                std::ostream& out) {
    std::string servers;
    for (const ServerReport& report : reports) {
        servers += (servers.empty() ? "" : ",") + json_of(report);
    }
    out << R"({"ok":)" << (is_fine ? "true" : "false") << R"(,"config":)"
        << json_list(told_lines(told)) << R"(,"servers":[)" << servers << "]}\n";
}

std::string offers(const ServerReport& report) {
    if (report.state != "ready") {
        return base::shown_line(report.reason, kMaxLineBytes);
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
            out << report.name << " said: " << base::shown_line(line, kMaxLineBytes) << "\n";
        }
        for (const std::string& warning : report.warnings) {
            out << report.name << ": warning: " << base::shown_line(warning, kMaxLineBytes) << "\n";
        }
    }
}

}  // namespace

int run_check(const CheckOptions& options, std::ostream& out, std::ostream& errors) {
    std::ostringstream told;
    std::vector<ServerReport> reports;
    const int ran =
        with_temporary_gateway(options.config_file, options.wait, options.as_json ? told : errors,
                               [&](runtime::Service& service) {
                                   reports = server_reports(service);
                                   service.stop();
                               });
    const bool is_fine =
        ran == kExitSuccess && std::ranges::all_of(reports, &ServerReport::is_fine);
    if (options.as_json) {
        print_json(reports, told.str(), is_fine, out);
    } else {
        print_text(reports, out);
    }
    return ran == kExitSuccess && !is_fine ? kExitFailure : ran;
}

}  // namespace holdfast::cli
