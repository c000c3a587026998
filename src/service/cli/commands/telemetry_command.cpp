#include <array>
#include <chrono>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>

#include "cli/commands/commands.hpp"
#include "cli/common_options.hpp"
#include "cli/exit_code.hpp"
#include "cli/output/telemetry_report.hpp"
#include "config/fault_report.hpp"
#include "holdfast/resilience/time.hpp"
#include "jsonrpc/json_writer.hpp"
#include "runtime/config_file.hpp"
#include "runtime/telemetry_side.hpp"
#include "telemetry/store_reader.hpp"
#include "telemetry/telemetry_config.hpp"

namespace holdfast::cli {
namespace {

struct TelemetryOptions {
    std::string file = {};         ///< Empty = that of the config, or else the user's.
    std::string config_file = {};  ///< Empty = none is read.
    resilience::Duration since = std::chrono::hours{24};  ///< How far to look back.
    std::string server = {};                              ///< Empty = all.
    bool as_json = false;
    std::string format = {};  ///< `jsonl` or `csv`: prints rows. Empty = a summary.
    std::string table = "calls";
};

using telemetry::StoredValue;
using telemetry::StoreReader;
using telemetry::StoreTable;

constexpr std::array<std::pair<std::string_view, StoreTable>, 3> kTables{{
    {"calls", StoreTable::calls},
    {"events", StoreTable::events},
    {"totals", StoreTable::totals},
}};

StoreTable table_named(std::string_view name) {
    for (const auto& [known, table] : kTables) {
        if (known == name) {
            return table;
        }
    }
    return StoreTable::calls;
}

/// Nothing if the config is invalid, which has been reported.
std::optional<std::string> file_of(const TelemetryOptions& options, std::ostream& errors) {
    if (!options.file.empty()) {
        return options.file;
    }
    if (options.config_file.empty()) {
        return runtime::telemetry_file({}, {});
    }
    runtime::ConfigMessages messages;
    const auto config = runtime::load_config(options.config_file, messages);
    runtime::print(messages, errors);
    if (!config) {
        return std::nullopt;
    }
    config::FaultReport report{config->file_name};
    const auto section = telemetry::read_telemetry_config(config->section("telemetry"), report);
    for (const config::ConfigFault& fault : report.faults()) {
        errors << "holdfast: " << fault.text() << "\n";
    }
    if (!report.faults().empty()) {
        return std::nullopt;
    }
    return runtime::telemetry_file(section, config->file_name);
}

std::string json_line(StoreReader::Row row) {
    jsonrpc::JsonWriter writer;
    writer.begin_object();
    for (const StoredValue& value : row) {
        writer.key(value.name);
        // The attempts are JSON already.
        if (value.is_number || value.name == "attempts") {
            writer.raw(value.text);
        } else {
            writer.text(value.text);
        }
    }
    writer.end_object();
    return writer.take() + '\n';
}

void append_csv(std::string& line, std::string_view text) {
    if (text.find_first_of(",\"\r\n") == std::string_view::npos) {
        line += text;
        return;
    }
    line += '"';
    for (const char character : text) {
        line += character == '"' ? "\"\"" : std::string{character};
    }
    line += '"';
}

/// One line with that field of each value.
std::string csv_line(StoreReader::Row row, std::string StoredValue::* field) {
    std::string line;
    for (const StoredValue& value : row) {
        line += line.empty() ? "" : ",";
        append_csv(line, value.*field);
    }
    return line + "\r\n";
}

StoreReader::Outcome<std::uint64_t> print_rows(StoreReader& reader, const TelemetryOptions& options,
                                               const telemetry::StoreFilter& filter,
                                               std::ostream& out) {
    bool is_first = true;
    const bool is_csv = options.format == "csv";
    return reader.each_row(table_named(options.table), filter, [&](StoreReader::Row row) {
        if (is_csv && is_first) {
            out << csv_line(row, &StoredValue::name);
        }
        is_first = false;
        out << (is_csv ? csv_line(row, &StoredValue::text) : json_line(row));
    });
}

int report_problem(const std::string& problem, std::ostream& errors) {
    errors << "holdfast: " << problem << ".\n";
    return kExitFailure;
}

int run_telemetry(const TelemetryOptions& options, std::ostream& out, std::ostream& errors) {
    const auto file = file_of(options, errors);
    if (!file) {
        return kExitConfig;
    }
    auto reader = StoreReader::open(*file);
    if (!reader) {
        return report_problem(reader.error(), errors);
    }
    const auto since = std::chrono::system_clock::now() - options.since;
    const telemetry::StoreFilter filter{
        .since_ms = std::chrono::floor<std::chrono::milliseconds>(since.time_since_epoch()).count(),
        .server = options.server};
    if (!options.format.empty()) {
        const auto rows = print_rows(*reader, options, filter, out);
        return rows ? kExitSuccess : report_problem(rows.error(), errors);
    }
    const auto report = reader->report(filter);
    if (!report) {
        return report_problem(report.error(), errors);
    }
    out << (options.as_json ? json_of(*report, filter.since_ms)
                            : text_of(*report, filter.since_ms, line_cut_of_output()));
    return kExitSuccess;
}

}  // namespace

Command telemetry_command() {
    const auto options = std::make_shared<TelemetryOptions>();
    return {.name = "telemetry",
            .help = "Show which servers fail most, when and why",
            .examples = {"holdfast telemetry --since 24h",
                         "holdfast telemetry --server code --export csv > calls.csv"},
            .options =
                {{.name = "--file",
                  .help = "Telemetry file (default: the user's)",
                  .target = &options->file},
                 {.name = "--config",
                  .help = "Use the telemetry file of this config",
                  .target = &options->config_file},
                 {.name = "--since", .help = "How far to look back", .target = &options->since},
                 {.name = "--server", .help = "Show only this server", .target = &options->server},
                 json_option(options->as_json),
                 {.name = "--export",
                  .help = "Print the stored rows",
                  .target = &options->format,
                  .choices = {"jsonl", "csv"},
                  .excludes = "--json"},
                 {.name = "--table",
                  .help = "Rows to export (default: calls)",
                  .target = &options->table,
                  .choices = {"calls", "events", "totals"},
                  .needs = "--export"}},
            .run = [options](std::ostream& out, std::ostream& errors) {
                return run_telemetry(*options, out, errors);
            }};
}

}  // namespace holdfast::cli
