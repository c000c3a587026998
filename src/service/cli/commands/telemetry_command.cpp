#include "cli/commands/telemetry_command.hpp"

#include <array>
#include <optional>
#include <ostream>
#include <string_view>
#include <utility>

#include "cli/exit_code.hpp"
#include "cli/output/telemetry_report.hpp"
#include "config/fault_report.hpp"
#include "jsonrpc/json_text.hpp"
#include "runtime/config_file.hpp"
#include "runtime/telemetry_side.hpp"
#include "telemetry/store_reader.hpp"
#include "telemetry/telemetry_config.hpp"

namespace holdfast::cli {
namespace {

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

/// Nothing if the config cannot be used; that has been told.
std::optional<std::string> file_of(const TelemetryOptions& options, std::ostream& errors) {
    if (!options.file.empty()) {
        return options.file;
    }
    if (options.config_file.empty()) {
        return runtime::telemetry_file({}, {});
    }
    const auto config = runtime::load_config(options.config_file, errors);
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
    std::string line;
    for (const StoredValue& value : row) {
        line += line.empty() ? '{' : ',';
        jsonrpc::append_quoted(line, value.name);
        line += ':';
        // The attempts are JSON already.
        if (value.is_number || value.name == "attempts") {
            line += value.text;
        } else {
            jsonrpc::append_quoted(line, value.text);
        }
    }
    return line + "}\n";
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

/// `field` gives what stands in the line of each value.
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

int tell(const std::string& problem, std::ostream& errors) {
    errors << "holdfast: " << problem << ".\n";
    return kExitFailure;
}

}  // namespace

int run_telemetry(const TelemetryOptions& options, std::ostream& out, std::ostream& errors) {
    const auto file = file_of(options, errors);
    if (!file) {
        return kExitConfig;
    }
    auto reader = StoreReader::open(*file);
    if (!reader) {
        return tell(reader.error(), errors);
    }
    const auto since = std::chrono::system_clock::now() - options.since;
    const telemetry::StoreFilter filter{
        .since_ms = std::chrono::floor<std::chrono::milliseconds>(since.time_since_epoch()).count(),
        .server = options.server};
    if (!options.format.empty()) {
        const auto rows = print_rows(*reader, options, filter, out);
        return rows ? kExitSuccess : tell(rows.error(), errors);
    }
    const auto report = reader->report(filter);
    if (!report) {
        return tell(report.error(), errors);
    }
    out << (options.as_json ? json_of(*report, filter.since_ms)
                            : text_of(*report, filter.since_ms));
    return kExitSuccess;
}

}  // namespace holdfast::cli
