#include <cstddef>
#include <memory>
#include <ostream>
#include <string>
#include <utility>

#include "cli/client/run_with_client.hpp"
#include "cli/commands/commands.hpp"
#include "cli/common_options.hpp"
#include "cli/exit_code.hpp"
#include "cli/output/call_result.hpp"
#include "cli/output/found_tools.hpp"
#include "dispatch/search_tools.hpp"
#include "jsonrpc/json_writer.hpp"
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

/// Awaited within the command that owns what it refers to.
asio::awaitable<int> search_tools(const SearchOptions& options, std::ostream& out,
                                  std::ostream& errors, std::shared_ptr<GatewayClient> client,
                                  resilience::Deadline deadline) {
    jsonrpc::JsonWriter arguments;
    arguments.begin_object();
    arguments.key("query").text(options.query);
    arguments.key("limit").number(options.limit);
    arguments.key("details").boolean(true);
    arguments.end_object();
    const auto result =
        co_await client->call(std::string{dispatch::kFindTools}, arguments.take(), deadline);
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
        out << shown_found(found, {.explains = options.explains, .cut = line_cut_of_output()});
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
