#include <array>
#include <chrono>
#include <memory>
#include <string_view>
#include <utility>

#include "base/uri.hpp"
#include "cli/client/control.hpp"
#include "cli/commands/commands.hpp"
#include "cli/common_options.hpp"

namespace holdfast::cli {
namespace {

struct ServersOptions {
    AdminChoice gateway = {};
    std::string name = {};
    resilience::Duration wait = std::chrono::seconds{60};  ///< For the start of the server.
};

using Options = std::shared_ptr<ServersOptions>;

Command action_command(const Options& options, std::string name, std::string help) {
    Command command{.name = std::move(name),
                    .help = std::move(help),
                    .options = {{.name = "name",
                                 .help = "Server, as in \"holdfast status\"",
                                 .target = &options->name,
                                 .is_required = true}}};
    add_admin_options(command, options->gateway);
    return command;
}

Command starting_command(const Options& options, std::string name, std::string help) {
    Command command = action_command(options, name, std::move(help));
    command.options.push_back({.name = "--wait",
                               .help = "How long to wait until the server is connected",
                               .target = &options->wait});
    command.run = [options, verb = std::move(name)](std::ostream& out, std::ostream& errors) {
        return run_server_start(options->gateway, options->name, verb, options->wait, out, errors);
    };
    return command;
}

Command pause_command(const Options& options) {
    Command command =
        action_command(options, "pause", "Disconnect a server and fail its calls at once");
    command.run = [options](std::ostream& out, std::ostream& errors) {
        return run_control(options->gateway,
                           "/api/servers/" + base::percent_encoded(options->name) + "/pause", out,
                           errors);
    };
    return command;
}

}  // namespace

Command servers_command() {
    const auto options = std::make_shared<ServersOptions>();
    Command command{.name = "servers",
                    .help = "Restart, pause or resume a server of a gateway",
                    .examples = {"holdfast servers restart github"}};
    add_admin_options(command, options->gateway);
    command.commands.push_back(starting_command(options, "restart", "Restart a server"));
    command.commands.push_back(pause_command(options));
    command.commands.push_back(starting_command(options, "resume", "Reconnect a paused server"));
    return command;
}

}  // namespace holdfast::cli
