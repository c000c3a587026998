#include <array>
#include <memory>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>

#include "base/printable.hpp"
#include "base/uri.hpp"
#include "cli/client/admin_client.hpp"
#include "cli/commands/commands.hpp"
#include "cli/common_options.hpp"
#include "cli/exit_code.hpp"
#include "cli/output/text_table.hpp"
#include "jsonrpc/members.hpp"

namespace holdfast::cli {
namespace {

struct ExplainOptions {
    AdminChoice gateway = {};
    std::string id = {};
    bool as_json = false;
};

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

void add_text(TextTable& table, std::string_view title, const std::string& text) {
    if (!text.empty()) {
        table.add({std::string{title}, base::shown_line(text, kMaxTextBytes)});
    }
}

void add_attempts(TextTable& table, std::string_view call) {
    std::size_t number = 0;
    for (const std::string& attempt : jsonrpc::items_of(jsonrpc::member_of(call, "attempts"))) {
        const std::string detail = jsonrpc::text_member_of(attempt, "detail");
        add_text(table, "attempt " + std::to_string(++number),
                 "at " + jsonrpc::text_member_of(attempt, "server") + " after " +
                     jsonrpc::member_of(attempt, "began_ms") + " ms, for " +
                     jsonrpc::member_of(attempt, "took_ms") +
                     " ms: " + jsonrpc::text_member_of(attempt, "end") +
                     (detail.empty() ? "" : ", " + detail));
    }
}

void add_policy(TextTable& table, std::string_view call) {
    for (const std::string& value : jsonrpc::items_of(jsonrpc::member_of(call, "policy_values"))) {
        const std::string text = jsonrpc::text_member_of(value, "value");
        add_text(
            table, jsonrpc::text_member_of(value, "key"),
            (text.empty() ? "-" : text) + "  from " + jsonrpc::text_member_of(value, "source"));
    }
}

std::string shown_call(std::string_view call) {
    TextTable table;
    add_text(table, "call", jsonrpc::text_member_of(call, "id"));
    for (const Line& line : kTexts) {
        add_text(table, line.title, jsonrpc::text_member_of(call, line.key));
    }
    const std::string before = jsonrpc::text_member_of(call, "circuit_before");
    if (!before.empty()) {
        add_text(table, "circuit state",
                 before + ", then " + jsonrpc::text_member_of(call, "circuit_after"));
    }
    add_text(table, "took",
             jsonrpc::member_of(call, "total_ms") + " ms, of which " +
                 jsonrpc::member_of(call, "queue_ms") + " ms in the queue");
    add_text(table, "size",
             jsonrpc::member_of(call, "bytes_in") + " bytes in, " +
                 jsonrpc::member_of(call, "bytes_out") + " bytes out");
    add_attempts(table, call);
    add_policy(table, call);
    return table.text();
}

int run_explain(const ExplainOptions& options, std::ostream& out, std::ostream& errors) {
    const auto answer =
        ask_admin(options.gateway, "GET", "/api/calls/" + base::percent_encoded(options.id));
    if (!is_good(answer)) {
        return report_fault(answer, errors);
    }
    out << (options.as_json ? answer->body + "\n" : shown_call(answer->body));
    return kExitSuccess;
}

}  // namespace

Command explain_command() {
    const auto options = std::make_shared<ExplainOptions>();
    Command command{.name = "explain",
                    .help = "Show what happened to one call",
                    .examples = {"holdfast explain 01J9ZK3V6Q"},
                    .options = {{.name = "id",
                                 .help = "Call id, from a failure or the log",
                                 .target = &options->id,
                                 .is_required = true},
                                json_option(options->as_json)},
                    .run = [options](std::ostream& out, std::ostream& errors) {
                        return run_explain(*options, out, errors);
                    }};
    add_admin_options(command, options->gateway);
    return command;
}

}  // namespace holdfast::cli
