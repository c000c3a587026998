#include "cli/output/telemetry_report.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string_view>
#include <vector>

#include "base/iso_time.hpp"
#include "base/printable.hpp"
#include "cli/output/text_table.hpp"
#include "jsonrpc/json_writer.hpp"
#include "record/event.hpp"

namespace holdfast::cli {
namespace {

using base::iso_time;
using jsonrpc::JsonWriter;
using record::EventKind;
using record::EventWhat;
using telemetry::EventReport;
using telemetry::FailureCause;

constexpr std::size_t kMaxCauses = 3;
constexpr std::size_t kMaxEvents = 5;
constexpr std::size_t kMaxMessageBytes = 100;

/// The events that are reported, in this order.
struct EventGroup {
    std::string_view title;
    EventKind kind;
    EventWhat what;  // none = all
};
constexpr std::array<EventGroup, 6> kGroups{{
    {.title = "Circuits that opened:", .kind = EventKind::circuit, .what = EventWhat::opened},
    {.title = "Retries:", .kind = EventKind::retry, .what = EventWhat::none},
    {.title = "Calls that safeguards refused:",
     .kind = EventKind::refusal,
     .what = EventWhat::none},
    {.title = "Connections that failed:",
     .kind = EventKind::connection,
     .what = EventWhat::waiting},
    {.title = "Servers that used up their attempts:",
     .kind = EventKind::connection,
     .what = EventWhat::given_up},
    {.title = "Searches that fell back:", .kind = EventKind::fallback, .what = EventWhat::none},
}};

/// To the second, and without the letter between.
std::string shown_time(std::int64_t at_ms) {
    std::string time = iso_time(at_ms);
    time.replace(time.find('T'), 1, " ");
    return time.substr(0, time.find('.'));
}

std::string shown_hour(std::int64_t at_ms) {
    constexpr std::size_t kUpToMinute = 16;
    return shown_time(at_ms).substr(0, kUpToMinute);
}

std::string shown_name(const std::string& name) {
    constexpr std::size_t kMaxNameBytes = 60;
    return name.empty() ? "(no server)" : base::shown_line(name, kMaxNameBytes);
}

std::string percent(std::uint64_t part, std::uint64_t whole) {
    constexpr double kThousand = 1'000;
    constexpr std::uint64_t kTen = 10;
    const double share = whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
    const auto tenths = static_cast<std::uint64_t>(std::llround(share * kThousand));
    return std::to_string(tenths / kTen) + "." + std::to_string(tenths % kTen) + " %";
}

void append_server(std::string& out, const telemetry::ServerReport& server, LineCut cut) {
    out += shown_name(server.server) + ": " + std::to_string(server.failures) + " of " +
           std::to_string(server.calls) + " calls failed (" +
           percent(server.failures, server.calls) + ")\n";
    for (std::size_t index = 0; index < std::min(kMaxCauses, server.causes.size()); ++index) {
        const FailureCause& cause = server.causes[index];
        out += "  " + std::to_string(cause.count) + " × " +
               base::shown_line(cause.code, kMaxMessageBytes);
        if (cause.last_at_ms) {
            out += ", last " + shown_time(*cause.last_at_ms) + " at " + shown_name(cause.tool) +
                   ": " + cut_line(cause.message, kMaxMessageBytes, cut);
        }
        out += "\n";
    }
    if (server.busiest_hour_ms) {
        out += "  most in the hour of " + shown_hour(*server.busiest_hour_ms) + ": " +
               std::to_string(server.busiest_hour_failures) + "\n";
    }
}

void append_group(std::string& out, const EventGroup& group,
                  const std::vector<EventReport>& events) {
    const bool has_all = group.what == EventWhat::none;
    TextTable table;
    std::size_t count = 0;
    for (const EventReport& event : events) {
        const bool belongs = event.kind == record::text_of(group.kind) &&
                             (has_all || event.what == record::text_of(group.what));
        if (belongs && ++count <= kMaxEvents) {
            const std::string what =
                has_all ? base::shown_line(event.what, kMaxMessageBytes) + ", " : "";
            table.add({"  " + shown_name(event.name), std::to_string(event.count),
                       what + "last " + shown_time(event.last_at_ms)});
        }
    }
    if (count > 0) {
        out.append(group.title).append("\n").append(table.text());
    }
}

std::string time_or_empty(const std::optional<std::int64_t>& at_ms) {
    return at_ms ? iso_time(*at_ms) : std::string{};
}

void write(JsonWriter& writer, const FailureCause& cause) {
    writer.begin_object();
    writer.key("code").text(cause.code);
    writer.key("count").number(cause.count);
    writer.key("last_at").text_or_null(time_or_empty(cause.last_at_ms));
    writer.key("tool").text(cause.tool);
    writer.key("message").text(cause.message);
    writer.end_object();
}

void write(JsonWriter& writer, const telemetry::ServerReport& server) {
    writer.begin_object();
    writer.key("server").text(server.server);
    writer.key("calls").number(server.calls);
    writer.key("failures").number(server.failures);
    writer.key("last_failure_at").text_or_null(time_or_empty(server.last_failure_ms));
    writer.key("busiest_hour").text_or_null(time_or_empty(server.busiest_hour_ms));
    writer.key("busiest_hour_failures").number(server.busiest_hour_failures);
    writer.key("causes").begin_array();
    for (const FailureCause& cause : server.causes) {
        write(writer, cause);
    }
    writer.end_array().end_object();
}

void write(JsonWriter& writer, const EventReport& event) {
    writer.begin_object();
    writer.key("kind").text(event.kind);
    writer.key("what").text(event.what);
    writer.key("name").text(event.name);
    writer.key("count").number(event.count);
    writer.key("last_at").text(iso_time(event.last_at_ms));
    writer.end_object();
}

}  // namespace

std::string text_of(const telemetry::StoreReport& report, std::int64_t since_ms, LineCut cut) {
    std::string out = "Since " + shown_time(since_ms) + " UTC\n";
    if (report.servers.empty()) {
        out += "No calls.\n";
    }
    for (const telemetry::ServerReport& server : report.servers) {
        append_server(out, server, cut);
    }
    for (const EventGroup& group : kGroups) {
        append_group(out, group, report.events);
    }
    return out;
}

std::string json_of(const telemetry::StoreReport& report, std::int64_t since_ms) {
    JsonWriter writer;
    writer.begin_object();
    writer.key("since").text(iso_time(since_ms));
    writer.key("servers").begin_array();
    for (const telemetry::ServerReport& server : report.servers) {
        write(writer, server);
    }
    writer.end_array().key("events").begin_array();
    for (const EventReport& event : report.events) {
        write(writer, event);
    }
    writer.end_array().end_object();
    return writer.take() + '\n';
}

}  // namespace holdfast::cli
