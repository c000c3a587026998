#include <memory>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "cli/client/run_with_client.hpp"
#include "cli/commands/commands.hpp"
#include "cli/common_options.hpp"
#include "cli/exit_code.hpp"
#include "cli/output/line_cut.hpp"
#include "cli/output/text_table.hpp"
#include "jsonrpc/members.hpp"

namespace holdfast::cli {
namespace {

namespace asio = boost::asio;

constexpr std::size_t kMaxListedDescriptionBytes = 100;

struct ToolsOptions {
    GatewayChoice gateway = {};
    bool as_json = false;
};

void print_tools(const std::vector<std::string>& tools, std::ostream& out) {
    const LineCut cut = line_cut_of_output();
    TextTable table;
    for (const std::string& tool : tools) {
        table.add({jsonrpc::text_member_of(tool, "name"),
                   cut_line(jsonrpc::text_member_of(tool, "description"),
                            kMaxListedDescriptionBytes, cut)});
    }
    out << table.text();
}

void print_tools_json(const std::vector<std::string>& tools, std::ostream& out) {
    out << "[";
    for (std::size_t index = 0; index < tools.size(); ++index) {
        out << (index == 0 ? "" : ",\n") << tools[index];
    }
    out << "]\n";
}

/// The caller keeps the references alive until it ends.
asio::awaitable<int> list_tools(const ToolsOptions& options, std::ostream& out,
                                std::ostream& errors, std::shared_ptr<GatewayClient> client,
                                resilience::Deadline deadline) {
    const auto tools = co_await client->tools(deadline);
    if (!tools) {
        co_return report_fault(tools.error(), options.gateway, errors);
    }
    options.as_json ? print_tools_json(*tools, out) : print_tools(*tools, out);
    co_return kExitSuccess;
}

int run_tools(const ToolsOptions& options, std::ostream& out, std::ostream& errors) {
    return run_with_client(
        options.gateway,
        [&](std::shared_ptr<GatewayClient> client, resilience::Deadline deadline) {
            return list_tools(options, out, errors, std::move(client), deadline);
        },
        errors);
}

}  // namespace

Command tools_command() {
    const auto options = std::make_shared<ToolsOptions>();
    Command command{.name = "tools",
                    .help = "List the tools of a gateway or a config",
                    .examples = {"holdfast tools --config servers.json"},
                    .run = [options](std::ostream& out, std::ostream& errors) {
                        return run_tools(*options, out, errors);
                    }};
    add_gateway_options(command, options->gateway);
    command.options.push_back(json_option(options->as_json));
    return command;
}

}  // namespace holdfast::cli
