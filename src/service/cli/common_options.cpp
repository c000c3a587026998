#include "cli/common_options.hpp"

#include <optional>
#include <ostream>
#include <utility>

#include "net/address.hpp"
#include "runtime/folder_trust.hpp"

namespace holdfast::cli {

CommandOption trust_option(bool& trusts_folder) {
    return {.name = "--trust",
            .help = "Trust ./.mcp.json as it is now; it names programs to start",
            .target = &trusts_folder,
            .excludes = "--config"};
}

bool has_trusted(bool trusts_folder, std::ostream& errors) {
    const auto fault = trusts_folder ? runtime::trust_folder_file() : std::nullopt;
    if (fault) {
        errors << "holdfast: " << fault->message << "\n";
    }
    return !fault;
}

CommandOption json_option(bool& as_json) {
    return {.name = "--json", .help = "Print JSON", .target = &as_json};
}

void add_gateway_options(Command& command, GatewayChoice& gateway) {
    command.options.push_back({.name = "--config",
                               .help = "Start the servers of this config and use them",
                               .target = &gateway.config_file});
    command.options.push_back({.name = "--url",
                               .help = "MCP address of the gateway (default: your only one)",
                               .target = &gateway.url,
                               .excludes = "--config"});
    command.options.push_back(
        {.name = "--token", .help = "Token of an agent", .target = &gateway.token});
    command.options.push_back(
        {.name = "--timeout", .help = "Timeout of the whole command", .target = &gateway.timeout});
}

void add_admin_options(Command& command, AdminChoice& gateway) {
    command.options.push_back({.name = "--url",
                               .help = "Status page of the gateway (default: your only one)",
                               .target = &gateway.url});
    command.options.push_back(
        {.name = "--token", .help = "The admin.token of the gateway", .target = &gateway.token});
    command.options.push_back({.name = "--pid",
                               .help = "Process id, if you run several gateways",
                               .target = &gateway.pid});
}

CommandOption address_option(std::string name, std::string help, OptionTarget target) {
    return {
        .name = std::move(name),
        .help = std::move(help),
        .target = std::move(target),
        .accepts = [](const std::string& text) { return net::parsed_address(text).has_value(); },
        .expected = "HOST:PORT, for example 127.0.0.1:7332"};
}

CommandOption log_level_option(logging::LogChoice& log) {
    return {.name = "--log-level",
            .help = "Log messages up to this level (default: info)",
            .target =
                [&log](const std::string& text) {
                    log.level = logging::parsed_log_level(text).value_or(log.level);
                },
            .choices = {"error", "warn", "info", "debug"}};
}

CommandOption log_format_option(logging::LogChoice& log) {
    return {.name = "--log-format",
            .help = "Format of the log (default: text)",
            .target =
                [&log](const std::string& text) {
                    log.format =
                        text == "json" ? logging::LogFormat::json : logging::LogFormat::text;
                },
            .choices = {"text", "json"}};
}

}  // namespace holdfast::cli
