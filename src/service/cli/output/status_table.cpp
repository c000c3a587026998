#include "cli/output/status_table.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <cmath>
#include <cstdint>
#include <sstream>
#include <vector>

#include "base/counted.hpp"
#include "cli/output/server_report.hpp"
#include "cli/output/text_table.hpp"

namespace holdfast::cli {
namespace {

namespace json = boost::json;

constexpr std::size_t kMaxReasonBytes = 120;
constexpr std::size_t kMaxConfigErrorBytes = 300;
constexpr std::string_view kRed = "\x1b[31m";
constexpr std::string_view kYellow = "\x1b[33m";
constexpr std::string_view kGreen = "\x1b[32m";
constexpr std::string_view kPlain = "\x1b[0m";

json::value parsed(std::string_view text) {
    json::error_code error;
    json::value value = json::parse({text.data(), text.size()}, error);
    return error ? json::value{json::object{}} : value;
}

const json::value& at(const json::value& object, std::string_view key) {
    static const json::value nothing;
    const json::object* const members = object.if_object();
    const json::value* const found =
        members == nullptr ? nullptr : members->if_contains({key.data(), key.size()});
    return found == nullptr ? nothing : *found;
}

std::string text_at(const json::value& object, std::string_view key) {
    const json::string* const text = at(object, key).if_string();
    return text == nullptr ? std::string{} : std::string{text->data(), text->size()};
}

std::int64_t count_at(const json::value& object, std::string_view key) {
    json::error_code error;
    const auto number = at(object, key).to_number<std::int64_t>(error);
    return error ? 0 : number;
}

std::string counted_at(const json::value& object, std::string_view key, std::string_view noun) {
    return base::counted(static_cast<std::uint64_t>(count_at(object, key)), noun);
}

/// Whole seconds, rounded up; empty for zero.
std::string seconds_at(const json::value& object, std::string_view key) {
    json::error_code error;
    const double seconds = at(object, key).to_number<double>(error);
    return error ? std::string{}
                 : std::to_string(static_cast<std::int64_t>(std::ceil(seconds))) + " s";
}

bool is_true(const json::value& value) {
    return value.is_bool() && value.get_bool();
}

std::string coloured(std::string text, std::string_view state, bool has_colours) {
    if (!has_colours) {
        return text;
    }
    const std::string_view colour = state == "connected" ? kGreen
                                    : state == "error"   ? kRed
                                                         : kYellow;
    return std::string{colour} + text + std::string{kPlain};
}

std::string circuit_words(const json::value& circuit) {
    const bool is_forced = text_at(circuit, "mode") == "forced_open";
    std::string words = is_forced ? "forced open" : text_at(circuit, "state");
    if (const std::string left = seconds_at(circuit, "remaining_s"); !left.empty()) {
        words += ", " + left + " left";
    }
    return words;
}

void add_server(TextTable& table, std::string_view name, const json::value& server, LineCut cut) {
    const bool has_colours = cut == LineCut::for_terminal;
    const std::string state = text_at(server, "status");
    const std::string next = seconds_at(server, "next_attempt_in_s");
    std::string shown_state = is_true(at(server, "paused")) ? "paused" : state;
    table.add({std::string{name}, coloured(std::move(shown_state), state, has_colours),
               text_at(server, "transport"), std::to_string(count_at(server, "tool_count")),
               circuit_words(at(server, "circuit_breaker")), next.empty() ? "-" : "in " + next,
               std::to_string(count_at(server, "in_flight")) + "+" +
                   std::to_string(count_at(server, "queued")),
               std::to_string(count_at(server, "calls")) + " (" +
                   std::to_string(count_at(server, "failures")) + " failed)",
               cut_line(text_at(server, "reason"), kMaxReasonBytes, cut)});
}

std::string heading(const json::value& status) {
    const json::value& gateway = at(status, "server");
    const json::value& calls = at(status, "calls");
    std::string line = text_at(gateway, "name") + " " + text_at(gateway, "version") + ", process " +
                       std::to_string(count_at(gateway, "pid")) + ", up for " +
                       seconds_at(gateway, "uptime_s");
    line += is_true(at(gateway, "draining")) ? ", draining" : "";
    line += ": " + counted_at(calls, "total", "call") + ", " +
            std::to_string(count_at(calls, "failed")) + " failed, " +
            std::to_string(count_at(calls, "in_flight")) + " in flight; " +
            counted_at(at(status, "tool_zoo"), "total_tools", "tool") + "\n";
    return line;
}

/// Why the running config is older than the file; empty if it is not.
std::string rejected_text(const json::value& gateway, LineCut cut) {
    const json::value& rejected = at(gateway, "config_rejected");
    if (!rejected.is_object()) {
        return {};
    }
    std::string text = "config rejected at " + text_at(rejected, "at") +
                       "; the gateway runs an older one than " + text_at(gateway, "config") + "\n";
    std::istringstream reasons{text_at(rejected, "reason")};
    for (std::string line; std::getline(reasons, line);) {
        text += "  " + cut_line(line, kMaxConfigErrorBytes, cut) + "\n";
    }
    return text;
}

void add_circuit(TextTable& table, const json::value& circuit) {
    table.add({text_at(circuit, "name"), circuit_words(circuit), text_at(circuit, "mode"),
               std::to_string(count_at(circuit, "failure_count")) + " of " +
                   std::to_string(count_at(circuit, "failures_to_open")),
               std::to_string(count_at(circuit, "opened"))});
}

bool is_trouble(const json::value& circuit) {
    return !is_true(at(circuit, "can_attempt"));
}

std::vector<json::value> circuits_in(const json::value& status) {
    const json::array* const list = at(status, "circuits").if_array();
    return list == nullptr ? std::vector<json::value>{}
                           : std::vector<json::value>{list->begin(), list->end()};
}

}  // namespace

std::string shown_status(std::string_view text, LineCut cut) {
    const bool has_colours = cut == LineCut::for_terminal;
    const json::value status = parsed(text);
    std::string shown = heading(status) + rejected_text(at(status, "server"), cut);
    const json::object* const servers = at(status, "downstream_servers").if_object();
    if (servers == nullptr || servers->empty()) {
        return shown + no_servers_text(text_at(at(status, "server"), "config"));
    }
    TextTable table;
    table.add({"SERVER", coloured("STATUS", "", has_colours), "BY", "TOOLS", "CIRCUIT", "NEXT TRY",
               "BUSY", "CALLS", "WHY"});
    for (const auto& [name, server] : *servers) {
        add_server(table, {name.data(), name.size()}, server, cut);
    }
    shown += table.text();
    for (const json::value& circuit : circuits_in(status)) {
        if (is_trouble(circuit)) {
            shown += "circuit \"" + text_at(circuit, "name") +
                     "\" refuses calls: " + circuit_words(circuit) + "\n";
        }
    }
    return shown;
}

std::string shown_circuits(std::string_view text) {
    TextTable table;
    table.add({"CIRCUIT", "STATE", "MODE", "FAILURES", "OPENED"});
    for (const json::value& circuit : circuits_in(parsed(text))) {
        add_circuit(table, circuit);
    }
    return table.text();
}

std::optional<ShownServer> server_in(std::string_view json, std::string_view name) {
    const json::value status = parsed(json);
    const json::value& server = at(at(status, "downstream_servers"), name);
    if (!server.is_object()) {
        return std::nullopt;
    }
    return ShownServer{.state = text_at(server, "status"),
                       .reason = text_at(server, "reason"),
                       .tools = static_cast<std::uint64_t>(count_at(server, "tool_count"))};
}

bool is_status(std::string_view text) {
    return at(parsed(text), "downstream_servers").is_object();
}

bool has_problem(std::string_view text) {
    const json::value status = parsed(text);
    if (at(at(status, "server"), "config_rejected").is_object()) {
        return true;
    }
    if (const json::object* const servers = at(status, "downstream_servers").if_object()) {
        for (const auto& [name, server] : *servers) {
            // One that is connected has a reason only if something is wrong with its lists.
            const std::string state = text_at(server, "status");
            if (state == "error" || state == "skipped" ||
                (state == "connected" && !text_at(server, "reason").empty())) {
                return true;
            }
        }
    }
    for (const json::value& circuit : circuits_in(status)) {
        if (is_trouble(circuit)) {
            return true;
        }
    }
    return false;
}

}  // namespace holdfast::cli
