#include <cstddef>
#include <memory>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "base/printable.hpp"
#include "cli/client/run_with_client.hpp"
#include "cli/commands/commands.hpp"
#include "cli/common_options.hpp"
#include "cli/exit_code.hpp"
#include "cli/output/call_result.hpp"
#include "cli/output/text_table.hpp"
#include "dispatch/search_tools.hpp"
#include "jsonrpc/json_text.hpp"
#include "jsonrpc/members.hpp"

namespace holdfast::cli {
namespace {

struct SearchOptions {
    GatewayChoice gateway = {.needs_index = true};
    std::string query = {};
    std::size_t limit = 10;
    bool explains = false;
    bool as_json = false;
};

namespace asio = boost::asio;

constexpr std::size_t kMaxFoundDescriptionBytes = 80;

void print_steps(const std::string& found, std::ostream& out) {
    for (const std::string& left : jsonrpc::items_of(jsonrpc::member_of(found, "why"))) {
        out << jsonrpc::text_member_of(left, "step") << " skipped: "
            << base::shown_line(jsonrpc::text_member_of(left, "reason"),
                                kMaxFoundDescriptionBytes * 2)
            << "\n";
    }
    out << "found by step: " << jsonrpc::text_member_of(found, "step") << "\n";
}

std::vector<std::string> explained_row(const std::string& tool) {
    const std::string parts = jsonrpc::member_of(tool, "parts");
    return {jsonrpc::text_member_of(tool, "name"),
            jsonrpc::member_of(tool, "score"),
            jsonrpc::member_of(parts, "keyword"),
            jsonrpc::member_of(parts, "coverage"),
            jsonrpc::member_of(parts, "nearness"),
            jsonrpc::member_of(parts, "nameCoverage"),
            jsonrpc::member_of(parts, "serverSupport"),
            jsonrpc::member_of(tool, "healthy") == "false" ? "failing" : ""};
}

void print_found(const std::string& found, bool explains, std::ostream& out) {
    print_steps(found, out);
    TextTable table;
    if (explains) {
        table.add({"tool", "score", "keyword", "coverage", "nearness", "name", "server", ""});
    }
    for (const std::string& tool : jsonrpc::items_of(jsonrpc::member_of(found, "tools"))) {
        if (explains) {
            table.add(explained_row(tool));
        } else {
            const std::string mark =
                jsonrpc::member_of(tool, "healthy") == "false" ? "(failing) " : "";
            table.add({jsonrpc::text_member_of(tool, "name"), jsonrpc::member_of(tool, "score"),
                       mark + base::shown_line(jsonrpc::text_member_of(tool, "description"),
                                               kMaxFoundDescriptionBytes)});
        }
    }
    out << table.text();
}

/// Awaited within the command that owns what it refers to.
asio::awaitable<int> search_tools(const SearchOptions& options, std::ostream& out,
                                  std::ostream& errors, std::shared_ptr<GatewayClient> client,
                                  resilience::Deadline deadline) {
    const std::string arguments = R"({"query":)" + jsonrpc::quoted_text(options.query) +
                                  R"(,"limit":)" + std::to_string(options.limit) + "}";
    const auto result =
        co_await client->call(std::string{dispatch::kFindTools}, arguments, deadline);
    if (!result) {
        co_return report_fault(result.error(), options.gateway, errors);
    }
    if (is_failed_result(*result)) {
        errors << shown_result(*result, true);
        co_return kExitFailure;
    }
    const std::string found = jsonrpc::member_of(*result, "structuredContent");
    if (options.as_json) {
        out << found << "\n";
    } else {
        print_found(found, options.explains, out);
    }
    co_return kExitSuccess;
}

int run_search(const SearchOptions& options, std::ostream& out, std::ostream& errors) {
    return run_with_client(
        options.gateway,
        [&](std::shared_ptr<GatewayClient> client, resilience::Deadline deadline) {
            return search_tools(options, out, errors, std::move(client), deadline);
        },
        errors);
}

}  // namespace

Command search_command() {
    const auto options = std::make_shared<SearchOptions>();
    Command command{.name = "search",
                    .help = "Find tools of a gateway or a config",
                    .examples = {"holdfast search \"read a file\" --config servers.json"},
                    .options = {{.name = "words",
                                 .help = "What the tool should do, in plain words",
                                 .target = &options->query,
                                 .is_required = true},
                                {.name = "--explain",
                                 .help = "Show the parts of each score",
                                 .target = &options->explains},
                                {.name = "--limit",
                                 .help = "Number of tools (default: 10)",
                                 .target = &options->limit,
                                 .min = 1,
                                 .max = 50}},
                    .run = [options](std::ostream& out, std::ostream& errors) {
                        return run_search(*options, out, errors);
                    }};
    add_gateway_options(command, options->gateway);
    command.options.push_back(json_option(options->as_json));
    return command;
}

}  // namespace holdfast::cli
