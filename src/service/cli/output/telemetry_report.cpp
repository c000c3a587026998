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
#include "jsonrpc/json_text.hpp"
#include "record/records.hpp"

namespace holdfast::cli {
namespace {

using base::iso_time;
using jsonrpc::quoted_text;
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
    {.title = "Servers that were given up:",
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

void append_server(std::string& out, const telemetry::ServerReport& server) {
    out += shown_name(server.server) + ": " + std::to_string(server.failures) + " of " +
           std::to_string(server.calls) + " calls failed (" +
           percent(server.failures, server.calls) + ")\n";
    for (std::size_t index = 0; index < std::min(kMaxCauses, server.causes.size()); ++index) {
        const FailureCause& cause = server.causes[index];
        out += "  " + std::to_string(cause.count) + " × " +
               base::shown_line(cause.code, kMaxMessageBytes);
        if (cause.last_at_ms) {
            out += ", last " + shown_time(*cause.last_at_ms) + " at " + shown_name(cause.tool) +
                   ": " + base::shown_line(cause.message, kMaxMessageBytes);
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

std::string json_time(const std::optional<std::int64_t>& at_ms) {
    return at_ms ? quoted_text(iso_time(*at_ms)) : "null";
}

std::string json_of(const FailureCause& cause) {
    return R"({"code":)" + quoted_text(cause.code) + R"(,"count":)" + std::to_string(cause.count) +
           R"(,"last_at":)" + json_time(cause.last_at_ms) + R"(,"tool":)" +
           quoted_text(cause.tool) + R"(,"message":)" + quoted_text(cause.message) + "}";
}

std::string json_of(const telemetry::ServerReport& server) {
    std::string causes;
    for (const FailureCause& cause : server.causes) {
        causes += (causes.empty() ? "" : ",") + json_of(cause);
    }
    return R"({"server":)" + quoted_text(server.server) + R"(,"calls":)" +
           std::to_string(server.calls) + R"(,"failures":)" + std::to_string(server.failures) +
           R"(,"last_failure_at":)" + json_time(server.last_failure_ms) + R"(,"busiest_hour":)" +
           json_time(server.busiest_hour_ms) + R"(,"busiest_hour_failures":)" +
           std::to_string(server.busiest_hour_failures) + R"(,"causes":[)" + causes + "]}";
}

std::string json_of(const EventReport& event) {
    return R"({"kind":)" + quoted_text(event.kind) + R"(,"what":)" + quoted_text(event.what) +
           R"(,"name":)" + quoted_text(event.name) + R"(,"count":)" + std::to_string(event.count) +
           R"(,"last_at":)" + quoted_text(iso_time(event.last_at_ms)) + "}";
}

}  // namespace

std::string text_of(const telemetry::StoreReport& report, std::int64_t since_ms) {
    std::string out = "Since " + shown_time(since_ms) + " UTC\n";
    if (report.servers.empty()) {
        out += "No calls.\n";
    }
    for (const telemetry::ServerReport& server : report.servers) {
        append_server(out, server);
    }
    for (const EventGroup& group : kGroups) {
        append_group(out, group, report.events);
    }
    return out;
}

std::string json_of(const telemetry::StoreReport& report, std::int64_t since_ms) {
    std::string servers;
    for (const telemetry::ServerReport& server : report.servers) {
        servers += (servers.empty() ? "" : ",") + json_of(server);
    }
    std::string events;
    for (const EventReport& event : report.events) {
        events += (events.empty() ? "" : ",") + json_of(event);
    }
    return R"({"since":)" + quoted_text(iso_time(since_ms)) + R"(,"servers":[)" + servers +
           R"(],"events":[)" + events + "]}\n";
}

}  // namespace holdfast::cli
