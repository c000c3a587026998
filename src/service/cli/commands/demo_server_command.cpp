#include <iostream>
#include <memory>

#include "cli/commands/commands.hpp"
#include "cli/demo/demo_server.hpp"

namespace holdfast::cli {

Command demo_server_command() {
    const auto options = std::make_shared<DemoServerOptions>();
    return {.name = "demo-server",
            .help = "Run one of the servers of the demo, on stdio",
            .options = {{.name = "--flaky",
                         .help = "Fail in the last 20 seconds of every minute",
                         .target = &options->is_flaky}},
            .is_hidden = true,
            .run = [options](std::ostream& out, std::ostream& errors) {
                return run_demo_server(*options, std::cin, out, errors);
            }};
}

}  // namespace holdfast::cli
