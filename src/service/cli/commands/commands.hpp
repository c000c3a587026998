#pragma once

#include <vector>

#include "cli/command.hpp"

namespace holdfast::cli {

// Each is registered and run by the file of its name.

[[nodiscard]] Command call_command();
[[nodiscard]] Command check_command();
[[nodiscard]] Command circuits_command();
[[nodiscard]] Command config_command();
[[nodiscard]] Command demo_command();
[[nodiscard]] Command demo_server_command();
[[nodiscard]] Command drain_command();
[[nodiscard]] Command eval_command();
[[nodiscard]] Command explain_command();
[[nodiscard]] Command import_command();
[[nodiscard]] Command init_command();
[[nodiscard]] Command model_command();
[[nodiscard]] Command presets_command();
[[nodiscard]] Command reload_command();
[[nodiscard]] Command search_command();
[[nodiscard]] Command serve_command();
[[nodiscard]] Command servers_command();
[[nodiscard]] Command status_command();
[[nodiscard]] Command telemetry_command();
[[nodiscard]] Command tools_command();
[[nodiscard]] Command version_command();

/// All of them, in the order of the help.
[[nodiscard]] std::vector<Command> all_commands();

}  // namespace holdfast::cli
