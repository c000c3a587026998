#include <unistd.h>

#include <iostream>
#include <memory>
#include <string>
#include <utility>

#include "cli/client/run_with_client.hpp"
#include "cli/commands/commands.hpp"
#include "cli/common_options.hpp"
#include "cli/exit_code.hpp"
#include "cli/output/call_result.hpp"
#include "jsonrpc/padded_text.hpp"
#include "jsonrpc/thread_reader.hpp"

namespace holdfast::cli {
namespace {

namespace asio = boost::asio;

constexpr std::size_t kMaxInputBytes = std::size_t{64} * 1024 * 1024;

struct CallOptions {
    GatewayChoice gateway = {};
    std::string tool = {};
    std::string arguments = "{}";  ///< A JSON object, or "-" to read it from standard input.
    bool as_json = false;
    bool is_for_terminal = false;
};

/// The caller keeps the references alive until it ends.
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
    // The reader takes only messages, so the object becomes a part of one.
    const jsonrpc::PaddedText message{R"({"jsonrpc":"2.0","method":"x","params":)" + text + "}"};
    const auto read = jsonrpc::thread_reader().read(message);
    return read && read->kind == jsonrpc::MessageKind::notification && read->body.exists();
}

/// Reads everything, but at most one byte more than allowed.
std::string text_from(std::istream& input) {
    std::string text;
    for (char byte = 0; text.size() <= kMaxInputBytes && input.get(byte);) {
        text += byte;
    }
    return text;
}

/// Returns the exit code: failure also if the tool reports an error.
int run_call(CallOptions options, std::istream& input, std::ostream& out, std::ostream& errors) {
    if (options.arguments == "-") {
        options.arguments = text_from(input);
    }
    if (options.arguments.size() > kMaxInputBytes || !is_object(options.arguments)) {
        errors << "holdfast: arguments must be one JSON object, for example '{\"path\": \"a\"}'\n";
        return kExitUsage;
    }
    return run_with_client(
        options.gateway,
        [&](std::shared_ptr<GatewayClient> client, resilience::Deadline deadline) {
            return call_tool(options, out, errors, std::move(client), deadline);
        },
        errors);
}

}  // namespace

Command call_command() {
    const auto options = std::make_shared<CallOptions>();
    Command command{
        .name = "call",
        .help = "Call a tool of a gateway or a config",
        .examples = {"holdfast call read_file '{\"path\": \"README.md\"}' --config servers.json"},
        .options = {{.name = "tool",
                     .help = "Name of the tool, as in \"holdfast tools\"",
                     .target = &options->tool,
                     .is_required = true},
                    {.name = "arguments",
                     .help = "JSON object, or - for standard input (default: {})",
                     .target = &options->arguments}},
        .run = [options](std::ostream& out, std::ostream& errors) {
            options->is_for_terminal = ::isatty(STDOUT_FILENO) != 0;
            return run_call(*options, std::cin, out, errors);
        }};
    add_gateway_options(command, options->gateway);
    command.options.push_back(json_option(options->as_json));
    return command;
}

}  // namespace holdfast::cli
