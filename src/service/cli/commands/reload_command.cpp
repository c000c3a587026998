#include <memory>

#include "cli/client/control.hpp"
#include "cli/commands/commands.hpp"
#include "cli/common_options.hpp"

namespace holdfast::cli {

Command reload_command() {
    const auto gateway = std::make_shared<AdminChoice>();
    Command command{.name = "reload",
                    .help = "Reload the config of a running gateway",
                    .examples = {"holdfast reload"},
                    .run = [gateway](std::ostream& out, std::ostream& errors) {
                        return run_control(*gateway, "/api/reload", out, errors);
                    }};
    add_admin_options(command, *gateway);
    return command;
}

}  // namespace holdfast::cli
