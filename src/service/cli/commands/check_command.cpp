#include <algorithm>
#include <chrono>
#include <memory>
#include <ostream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "cli/client/temporary_gateway.hpp"
#include "cli/commands/commands.hpp"
#include "cli/common_options.hpp"
#include "cli/exit_code.hpp"
#include "cli/output/line_cut.hpp"
#include "cli/output/server_report.hpp"
#include "cli/output/text_table.hpp"
#include "holdfast/resilience/time.hpp"
#include "jsonrpc/json_writer.hpp"

namespace holdfast::cli {
namespace {

struct CheckOptions {
    std::string config_file = {};  ///< Empty = the usual places.
    bool trusts_folder = false;
    bool as_json = false;
    resilience::Duration wait = std::chrono::seconds{10};  ///< For servers without progress.
};

constexpr std::size_t kMaxReportLineBytes = 500;

void write(jsonrpc::JsonWriter& writer, const ServerReport& report) {
    writer.begin_object();
    writer.key("name").text(report.name);
    writer.key("state").text(report.state);
    writer.key("ok").boolean(report.is_fine);
    writer.text_unless_empty("revision", report.revision);
    writer.key("tools").number(report.tools);
    writer.key("prompts").number(report.prompts);
    writer.key("resources").number(report.resources);
    writer.text_unless_empty("reason", report.reason);
    writer.key("log").texts(report.log);
    writer.key("warnings").texts(report.warnings);
    writer.end_object();
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
    jsonrpc::JsonWriter writer;
    writer.begin_object();
    writer.key("ok").boolean(is_fine);
    writer.key("config").texts(message_lines(messages));
    writer.key("servers").begin_array();
    for (const ServerReport& report : reports) {
        write(writer, report);
    }
    writer.end_array().end_object();
    out << writer.take() << '\n';
}

std::string offers(const ServerReport& report, LineCut cut) {
    if (report.state != "ready") {
        return cut_line(report.reason, kMaxReportLineBytes, cut);
    }
    const auto counted = [](std::size_t count, std::string_view what) {
        return std::to_string(count) + " " + std::string{what} + (count == 1 ? "" : "s");
    };
    return counted(report.tools, "tool") + ", " + counted(report.prompts, "prompt") + ", " +
           counted(report.resources, "resource");
}

void print_text(const std::vector<ServerReport>& reports, std::ostream& out) {
    const LineCut cut = line_cut_of_output();
    TextTable table;
    for (const ServerReport& report : reports) {
        table.add({report.name, report.state, report.revision.empty() ? "-" : report.revision,
                   offers(report, cut)});
    }
    out << table.text();
    for (const ServerReport& report : reports) {
        for (const std::string& line : report.log) {
            out << report.name << ": " << cut_line(line, kMaxReportLineBytes, cut) << "\n";
        }
        for (const std::string& warning : report.warnings) {
            out << report.name << ": warning: " << cut_line(warning, kMaxReportLineBytes, cut)
                << "\n";
        }
    }
}

int run_check(const CheckOptions& options, std::ostream& out, std::ostream& errors) {
    if (!has_trusted(options.trusts_folder, errors)) {
        return kExitConfig;
    }
    std::ostringstream messages;
    std::vector<ServerReport> reports;
    std::string config_file;
    const int ran =
        with_temporary_gateway(options.config_file, options.wait,
                               options.as_json ? messages : errors, [&](runtime::Service& service) {
                                   reports = server_reports(service);
                                   config_file = service.config().file_name;
                                   service.stop();
                               });
    const bool is_fine =
        ran == kExitSuccess && std::ranges::all_of(reports, &ServerReport::is_fine);
    if (options.as_json) {
        print_json(reports, messages.str(), is_fine, out);
    } else if (ran == kExitSuccess && reports.empty()) {
        out << no_servers_text(config_file);
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
                        trust_option(options->trusts_folder),
                        {.name = "--wait",
                         .help = "Wait this long for servers without progress",
                         .target = &options->wait},
                        json_option(options->as_json)},
            .run = [options](std::ostream& out, std::ostream& errors) {
                return run_check(*options, out, errors);
            }};
}

}  // namespace holdfast::cli
