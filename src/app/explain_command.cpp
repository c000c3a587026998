#include "app/explain_command.hpp"

#include <array>
#include <ostream>
#include <utility>

#include "app/exit_code.hpp"
#include "app/json_members.hpp"
#include "app/text_table.hpp"
#include "base/printable.hpp"

namespace holdfast::app {
namespace {

constexpr std::size_t kMaxTextBytes = 1'000;

struct Line {
    std::string_view title;
    std::string_view key;
};

constexpr std::array<Line, 10> kTexts = {{
    {"came", "at"},
    {"from", "principal"},
    {"called", "tool"},
    {"at server", "server"},
    {"because", "route"},
    {"ended", "outcome"},
    {"saying", "message"},
    {"by policy", "policy"},
    {"circuit", "circuit"},
    {"stood in", "stand_in"},
}};

void add_text(TextTable& table, std::string_view title, const std::string& text) {
    if (!text.empty()) {
        table.add({std::string{title}, base::shown_line(text, kMaxTextBytes)});
    }
}

void add_attempts(TextTable& table, std::string_view call) {
    std::size_t number = 0;
    for (const std::string& attempt : items_of(member_of(call, "attempts"))) {
        const std::string detail = text_member_of(attempt, "detail");
        add_text(table, "attempt " + std::to_string(++number),
                 "at " + text_member_of(attempt, "server") + " after " +
                     member_of(attempt, "began_ms") + " ms, for " + member_of(attempt, "took_ms") +
                     " ms: " + text_member_of(attempt, "end") +
                     (detail.empty() ? "" : ", " + detail));
    }
}

void add_policy(TextTable& table, std::string_view call) {
    for (const std::string& value : items_of(member_of(call, "policy_values"))) {
        const std::string text = text_member_of(value, "value");
        add_text(table, text_member_of(value, "key"),
                 (text.empty() ? "-" : text) + "  by " + text_member_of(value, "source"));
    }
}

}  // namespace

std::string shown_call(std::string_view call) {
    TextTable table;
    add_text(table, "call", text_member_of(call, "id"));
    for (const Line& line : kTexts) {
        add_text(table, line.title, text_member_of(call, line.key));
    }
    const std::string before = text_member_of(call, "circuit_before");
    if (!before.empty()) {
        add_text(table, "its state", before + ", then " + text_member_of(call, "circuit_after"));
    }
    add_text(table, "took",
             member_of(call, "total_ms") + " ms, of which " + member_of(call, "queue_ms") +
                 " ms in the queue");
    add_text(
        table, "size",
        member_of(call, "bytes_in") + " bytes in, " + member_of(call, "bytes_out") + " bytes out");
    add_attempts(table, call);
    add_policy(table, call);
    return table.text();
}

int run_explain(const ExplainOptions& options, std::ostream& out, std::ostream& errors) {
    const auto answer = ask_admin(options.gateway, "GET", "/api/calls/" + path_part(options.id));
    if (!is_good(answer)) {
        return report_fault(answer, errors);
    }
    out << (options.as_json ? answer->body + "\n" : shown_call(answer->body));
    return kExitSuccess;
}

}  // namespace holdfast::app
