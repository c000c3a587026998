#include <array>
#include <memory>
#include <string_view>
#include <utility>

#include "base/uri.hpp"
#include "cli/client/control.hpp"
#include "cli/commands/commands.hpp"
#include "cli/common_options.hpp"

namespace holdfast::cli {
namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kServerActions = {{
    {"restart", "Restart a server"},
    {"pause", "Disconnect a server and fail its calls at once"},
    {"resume", "Reconnect a paused server"},
}};

struct ServersOptions {
    AdminChoice gateway = {};
    std::string name = {};
};

}  // namespace

Command servers_command() {
    const auto options = std::make_shared<ServersOptions>();
    Command command{.name = "servers",
                    .help = "Restart, pause or resume a server of a gateway",
                    .examples = {"holdfast servers restart github"}};
    add_admin_options(command, options->gateway);
    for (const auto& [action, help] : kServerActions) {
        Command one{
            .name = std::string{action},
            .help = std::string{help},
            .options = {{.name = "name",
                         .help = "Server, as in \"holdfast status\"",
                         .target = &options->name,
                         .is_required = true}},
            .run = [options, verb = std::string{action}](std::ostream& out, std::ostream& errors) {
                return run_control(
                    options->gateway,
                    "/api/servers/" + base::percent_encoded(options->name) + "/" + verb, out,
                    errors);
            }};
        add_admin_options(one, options->gateway);
        command.commands.push_back(std::move(one));
    }
    return command;
}

}  // namespace holdfast::cli
