#include "cli/commands/commands.hpp"

namespace holdfast::cli {

std::vector<Command> all_commands() {
    return {init_command(),    import_command(),    check_command(),   serve_command(),
            status_command(),  tools_command(),     call_command(),    search_command(),
            explain_command(), circuits_command(),  servers_command(), reload_command(),
            drain_command(),   telemetry_command(), config_command(),  presets_command(),
            model_command(),   eval_command(),      demo_command(),    demo_server_command(),
            version_command()};
}

}  // namespace holdfast::cli
