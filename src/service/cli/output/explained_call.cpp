#include "cli/output/explained_call.hpp"

#include <array>
#include <cstddef>
#include <string>

#include "cli/output/text_table.hpp"
#include "jsonrpc/members.hpp"

namespace holdfast::cli {
namespace {

constexpr std::size_t kMaxTextBytes = 1'000;

struct Line {
    std::string_view title;
    std::string_view key;
};

constexpr std::array<Line, 10> kTexts = {{
    {"received", "at"},
    {"agent", "principal"},
    {"tool", "tool"},
    {"server", "server"},
    {"route", "route"},
    {"outcome", "outcome"},
    {"message", "message"},
    {"policy", "policy"},
    {"circuit", "circuit"},
    {"substitute", "substitute"},
}};

/// Rows of a title and a text.
struct Rows {
    TextTable table = {};
    LineCut cut = LineCut::none;

    void add(std::string_view title, const std::string& text) {
        if (!text.empty()) {
            table.add({std::string{title}, cut_line(text, kMaxTextBytes, cut)});
        }
    }
};

void add_attempts(Rows& rows, std::string_view call) {
    std::size_t number = 0;
    for (const std::string& attempt : jsonrpc::items_of(jsonrpc::member_of(call, "attempts"))) {
        const std::string detail = jsonrpc::text_member_of(attempt, "detail");
        rows.add("attempt " + std::to_string(++number),
                 "at " + jsonrpc::text_member_of(attempt, "server") + " after " +
                     jsonrpc::member_of(attempt, "began_ms") + " ms, for " +
                     jsonrpc::member_of(attempt, "took_ms") +
                     " ms: " + jsonrpc::text_member_of(attempt, "end") +
                     (detail.empty() ? "" : ", " + detail));
    }
}

/// A table of its own: some keys, such as `circuit`, are also facts of the call.
std::string shown_policy(std::string_view call, LineCut cut) {
    const auto values = jsonrpc::items_of(jsonrpc::member_of(call, "policy_values"));
    if (values.empty()) {
        return {};
    }
    TextTable table;
    // A value may be long, so it is the last column.
    table.add({"POLICY KEY", "FROM", "VALUE"});
    for (const std::string& value : values) {
        const std::string text = jsonrpc::text_member_of(value, "value");
        table.add({jsonrpc::text_member_of(value, "key"), jsonrpc::text_member_of(value, "source"),
                   text.empty() ? "-" : cut_line(text, kMaxTextBytes, cut)});
    }
    return "\n" + table.text();
}

}  // namespace

std::string shown_call(std::string_view json, LineCut cut) {
    Rows rows{.cut = cut};
    rows.add("call", jsonrpc::text_member_of(json, "id"));
    for (const Line& line : kTexts) {
        rows.add(line.title, jsonrpc::text_member_of(json, line.key));
    }
    const std::string before = jsonrpc::text_member_of(json, "circuit_before");
    if (!before.empty()) {
        rows.add("circuit state",
                 before + ", then " + jsonrpc::text_member_of(json, "circuit_after"));
    }
    rows.add("took", jsonrpc::member_of(json, "total_ms") + " ms, of which " +
                         jsonrpc::member_of(json, "queue_ms") + " ms in the queue");
    rows.add("size", jsonrpc::member_of(json, "bytes_in") + " bytes in, " +
                         jsonrpc::member_of(json, "bytes_out") + " bytes out");
    add_attempts(rows, json);
    return rows.table.text() + shown_policy(json, cut);
}

}  // namespace holdfast::cli
