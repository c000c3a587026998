#include "cli/commands/starting_commands.hpp"

#include <iostream>
#include <string>

#include <CLI/CLI.hpp>

#include "cli/commands/init_command.hpp"
#include "cli/common_options.hpp"
#include "cli/demo/demo_command.hpp"
#include "cli/demo/demo_server.hpp"
#include "cli/import/import_command.hpp"
#include "net/address.hpp"

namespace holdfast::cli {

struct StartingCommands::Parts {
    explicit Parts(CLI::App& parser)
        : init(add_command(parser, "init", "Write a commented config to begin with",
                           "holdfast init --config servers.json")),
          import(add_command(
              parser, "import",
              "Take over the servers of Claude Desktop, Claude Code, Cursor and VS Code",
              "holdfast import --client cursor --dry-run")),
          demo(add_command(parser, "demo", "Run a gateway with two servers, one of which is flaky",
                           "holdfast demo --http 127.0.0.1:0")),
          demo_server(add_command(parser, "demo-server",
                                  "Be one of the servers of the demo, on stdio",
                                  "holdfast demo-server --flaky")) {}

    CLI::App* init;
    CLI::App* import;
    CLI::App* demo;
    CLI::App* demo_server;
    InitOptions init_options = {};
    ImportOptions import_options = {};
    DemoOptions demo_options = {};
    DemoServerOptions demo_server_options = {};
};

StartingCommands::StartingCommands(CLI::App& parser) : parts_(std::make_unique<Parts>(parser)) {
    Parts& parts = *parts_;
    parts.init->add_option("--config", parts.init_options.config_file,
                           "Where to write it (default: the user's config)");
    parts.init->add_flag("--force", parts.init_options.replaces, "Replace a file that is there");
    parts.init->add_flag("--json", parts.init_options.as_json, "Print JSON");

    ImportOptions& import = parts.import_options;
    parts.import->add_option("files", import.files,
                             "Configs to read (default: all that are found on this machine)");
    parts.import->add_option("--client", import.client,
                             "Only this one: claude-desktop, claude-code, cursor or vscode");
    parts.import->add_option("--config", import.config_file,
                             "The config that they go into (default: the user's)");
    parts.import->add_flag("--dry-run", import.is_dry_run, "Write nothing, only tell");
    parts.import->add_flag("--json", import.as_json, "Print JSON");

    parts.demo
        ->add_option("--http", parts.demo_options.http_address,
                     "Listen there (default: " + parts.demo_options.http_address + ")")
        ->check(net::fault_in_address);
    parts.demo
        ->add_option("--admin", parts.demo_options.admin_address,
                     "The page is there (default: " + parts.demo_options.admin_address + ")")
        ->check(net::fault_in_address);
    parts.demo_server->add_flag("--flaky", parts.demo_server_options.is_flaky,
                                "In trouble for the last 20 seconds of every minute");
}

StartingCommands::~StartingCommands() = default;

std::optional<int> StartingCommands::run(std::ostream& out, std::ostream& errors) const {
    if (parts_->init->parsed()) {
        return run_init(parts_->init_options, out, errors);
    }
    if (parts_->import->parsed()) {
        return run_import(parts_->import_options, out, errors);
    }
    if (parts_->demo->parsed()) {
        return run_demo(parts_->demo_options, errors);
    }
    if (parts_->demo_server->parsed()) {
        return run_demo_server(parts_->demo_server_options, std::cin, out, errors);
    }
    return std::nullopt;
}

}  // namespace holdfast::cli
