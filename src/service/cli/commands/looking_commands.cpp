#include "cli/commands/looking_commands.hpp"

#include <unistd.h>

#include <iostream>
#include <string>

#include <CLI/CLI.hpp>

#include "cli/commands/check_command.hpp"
#include "cli/commands/presets_command.hpp"
#include "cli/commands/search_command.hpp"
#include "cli/commands/tools_command.hpp"
#include "cli/common_options.hpp"

namespace holdfast::cli {
namespace {

void add_json(CLI::App& command, bool& as_json) {
    command.add_flag("--json", as_json, "Print JSON");
}

void add_gateway(CLI::App& command, GatewayChoice& gateway) {
    CLI::Option* config = command.add_option("--config", gateway.config_file,
                                             "Start the servers of this file and ask them");
    command
        .add_option(
            "--url", gateway.url,
            std::string{"Ask the gateway that runs there (default: "} + kDefaultGatewayUrl + ")")
        ->excludes(config);
    command.add_option("--token", gateway.token, "What that gateway knows agents by");
    add_duration(command, "--timeout", gateway.timeout, "For everything together");
}

}  // namespace

struct LookingCommands::Parts {
    CLI::App* presets = nullptr;
    CLI::App* check = nullptr;
    CLI::App* tools = nullptr;
    CLI::App* call = nullptr;
    CLI::App* search = nullptr;
    PresetsOptions presets_options = {};
    CheckOptions check_options = {};
    ToolsOptions tools_options = {};
    CallOptions call_options = {};
    SearchOptions search_options = {};

    void add_presets(CLI::App& parser) {
        presets = add_command(parser, "presets", "List the presets that are built in, or print one",
                              "holdfast presets ucp");
        presets->add_option("name", presets_options.name, "The preset to print");
        add_json(*presets, presets_options.as_json);
    }
    void add_check(CLI::App& parser) {
        check =
            add_command(parser, "check", "Read a config, start its servers and tell what is wrong",
                        "holdfast check --config servers.json");
        check->add_option("--config", check_options.config_file, kConfigHelp);
        add_duration(*check, "--wait", check_options.wait, "How long servers may take");
        add_json(*check, check_options.as_json);
    }
    void add_tools(CLI::App& parser) {
        tools = add_command(parser, "tools", "List the tools of a gateway or of a config",
                            "holdfast tools --config servers.json");
        add_gateway(*tools, tools_options.gateway);
        add_json(*tools, tools_options.as_json);
    }
    void add_call(CLI::App& parser) {
        call = add_command(
            parser, "call", "Call a tool of a gateway or of a config",
            "holdfast call read_file '{\"path\": \"README.md\"}' --config servers.json");
        call->add_option("tool", call_options.tool, "Its name, as \"holdfast tools\" shows it")
            ->required();
        call->add_option("arguments", call_options.arguments,
                         "A JSON object, or - to read it from standard input (default: {})");
        add_gateway(*call, call_options.gateway);
        add_json(*call, call_options.as_json);
    }
    void add_search(CLI::App& parser) {
        search = add_command(parser, "search", "Find tools of a gateway or of a config by words",
                             "holdfast search \"read a file\" --config servers.json");
        search->add_option("words", search_options.query, "What is to be done, in plain words")
            ->required();
        search->add_flag("--explain", search_options.explains, "Show what each score is made of");
        search->add_option("--limit", search_options.limit, "How many tools (default: 10)")
            ->check(CLI::Range(1, 50));
        add_gateway(*search, search_options.gateway);
        add_json(*search, search_options.as_json);
    }
};

LookingCommands::LookingCommands(CLI::App& parser) : parts_(std::make_unique<Parts>()) {
    parts_->add_presets(parser);
    parts_->add_check(parser);
    parts_->add_tools(parser);
    parts_->add_call(parser);
    parts_->add_search(parser);
}

LookingCommands::~LookingCommands() = default;

std::optional<int> LookingCommands::run(std::ostream& out, std::ostream& errors) const {
    if (parts_->presets->parsed()) {
        return run_presets(parts_->presets_options, out, errors);
    }
    if (parts_->check->parsed()) {
        return run_check(parts_->check_options, out, errors);
    }
    if (parts_->tools->parsed()) {
        return run_tools(parts_->tools_options, out, errors);
    }
    if (parts_->call->parsed()) {
        parts_->call_options.is_for_terminal = ::isatty(STDOUT_FILENO) != 0;
        return run_call(parts_->call_options, std::cin, out, errors);
    }
    if (parts_->search->parsed()) {
        return run_search(parts_->search_options, out, errors);
    }
    return std::nullopt;
}

}  // namespace holdfast::cli
