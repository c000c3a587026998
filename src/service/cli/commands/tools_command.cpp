#include "cli/commands/tools_command.hpp"

#include <istream>
#include <ostream>
#include <utility>
#include <vector>

#include "base/printable.hpp"
#include "cli/exit_code.hpp"
#include "cli/output/call_result.hpp"
#include "cli/output/text_table.hpp"
#include "jsonrpc/members.hpp"
#include "jsonrpc/padded_text.hpp"
#include "jsonrpc/thread_reader.hpp"

namespace holdfast::cli {
namespace {

namespace asio = boost::asio;

constexpr std::size_t kMaxListedDescriptionBytes = 100;
constexpr std::size_t kMaxInputBytes = std::size_t{64} * 1024 * 1024;

void print_tools(const std::vector<std::string>& tools, std::ostream& out) {
    TextTable table;
    for (const std::string& tool : tools) {
        table.add({jsonrpc::text_member_of(tool, "name"),
                   base::shown_line(jsonrpc::text_member_of(tool, "description"),
                                    kMaxListedDescriptionBytes)});
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

/// Awaited within the command that owns what it refers to.
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

asio::awaitable<int> call_tool(const CallOptions& options, std::ostream& out, std::ostream& errors,
                               std::shared_ptr<GatewayClient> client,
                               resilience::Deadline deadline) {
    const auto result = co_await client->call(options.tool, options.arguments, deadline);
    if (!result) {
        co_return report_fault(result.error(), options.gateway, errors);
    }
    const bool is_failed = is_failed_result(*result);
    if (options.as_json) {
        out << *result << "\n";
    } else {
        (is_failed ? errors : out) << shown_result(*result, options.is_for_terminal);
    }
    co_return is_failed ? kExitFailure : kExitSuccess;
}

bool is_object(const std::string& text) {
    // The reader takes messages only, so that the object is made part of one.
    const jsonrpc::PaddedText message{R"({"jsonrpc":"2.0","method":"x","params":)" + text + "}"};
    const auto read = jsonrpc::thread_reader().read(message);
    return read && read->kind == jsonrpc::MessageKind::notification && read->body.exists();
}

/// All of it, or one byte too many.
std::string text_from(std::istream& input) {
    std::string text;
    for (char byte = 0; text.size() <= kMaxInputBytes && input.get(byte);) {
        text += byte;
    }
    return text;
}

}  // namespace

int run_tools(const ToolsOptions& options, std::ostream& out, std::ostream& errors) {
    return run_with_client(
        options.gateway,
        [&](std::shared_ptr<GatewayClient> client, resilience::Deadline deadline) {
            return list_tools(options, out, errors, std::move(client), deadline);
        },
        errors);
}

int run_call(CallOptions options, std::istream& input, std::ostream& out, std::ostream& errors) {
    if (options.arguments == "-") {
        options.arguments = text_from(input);
    }
    if (options.arguments.size() > kMaxInputBytes || !is_object(options.arguments)) {
        errors << "holdfast: the arguments must be one JSON object, such as '{\"path\": \"a\"}'.\n";
        return kExitUsage;
    }
    return run_with_client(
        options.gateway,
        [&](std::shared_ptr<GatewayClient> client, resilience::Deadline deadline) {
            return call_tool(options, out, errors, std::move(client), deadline);
        },
        errors);
}

}  // namespace holdfast::cli
