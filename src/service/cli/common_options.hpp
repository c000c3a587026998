#pragma once

#include <iosfwd>
#include <string>

#include "cli/client/admin_client.hpp"
#include "cli/client/run_with_client.hpp"
#include "cli/command.hpp"
#include "logging/log_target.hpp"

namespace holdfast::cli {

inline constexpr const char* kConfigHelp =
    "Config file (default: trusted ./.mcp.json, then the user's)";

/// `--trust`, for commands that look for a config.
[[nodiscard]] CommandOption trust_option(bool& trusts_folder);
/// Trusts `./.mcp.json` if the option was given. False if that fails, which is reported.
[[nodiscard]] bool has_trusted(bool trusts_folder, std::ostream& errors);

/// `--json`
[[nodiscard]] CommandOption json_option(bool& as_json);
/// The options that choose a gateway for agents: a running one, or one that the command starts.
void add_gateway_options(Command& command, GatewayChoice& gateway);
/// The options that choose a running gateway by its admin listener.
void add_admin_options(Command& command, AdminChoice& gateway);

/// An option whose value is an address to listen on.
[[nodiscard]] CommandOption address_option(std::string name, std::string help, OptionTarget target);

/// `--log-level`, for commands that run a gateway.
[[nodiscard]] CommandOption log_level_option(logging::LogChoice& log);
/// `--log-format`
[[nodiscard]] CommandOption log_format_option(logging::LogChoice& log);

}  // namespace holdfast::cli
