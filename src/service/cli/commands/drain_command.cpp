#include <memory>

#include "cli/client/control.hpp"
#include "cli/commands/commands.hpp"
#include "cli/common_options.hpp"

namespace holdfast::cli {

Command drain_command() {
    const auto gateway = std::make_shared<AdminChoice>();
    Command command{.name = "drain",
                    .help = "Stop accepting calls and finish those in flight",
                    .examples = {"holdfast drain"},
                    .run = [gateway](std::ostream& out, std::ostream& errors) {
                        return run_control(*gateway, "/api/drain", out, errors);
                    }};
    add_admin_options(command, *gateway);
    return command;
}

}  // namespace holdfast::cli
