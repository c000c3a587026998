#include "cli/commands/operating_commands.hpp"

#include <unistd.h>

#include <ostream>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "base/uri.hpp"
#include "cli/client/admin_client.hpp"
#include "cli/commands/control_command.hpp"
#include "cli/commands/explain_command.hpp"
#include "cli/commands/status_command.hpp"

namespace holdfast::cli {
namespace {

using Names = std::vector<std::string>;

}  // namespace

struct OperatingCommands::Parts {
    AdminChoice gateway = {};
    CLI::App* status = nullptr;
    CLI::App* explain = nullptr;
    StatusOptions status_options = {};
    ExplainOptions explain_options = {};
    std::string name = {};
    std::string path = {};  ///< Of the command in the admin API.
    bool lists_circuits = false;

    void add_gateway(CLI::App& command) {
        command.add_option("--url", gateway.url,
                           "Of its status page, such as http://127.0.0.1:7333 (default: the one "
                           "gateway of yours that runs)");
        command.add_option("--token", gateway.token, "The admin.token of that gateway");
        command.add_option("--pid", gateway.pid, "Which of several gateways of yours");
    }
    void add_status(CLI::App& parser) {
        status = parser.add_subcommand("status", "Tell how a running gateway and its servers are");
        status->allow_extras();
        status->add_flag("--json", status_options.as_json, "Print JSON");
        status->add_flag("--watch", status_options.watches, "Show it again every second");
        add_gateway(*status);
    }
    void add_explain(CLI::App& parser) {
        explain = parser.add_subcommand("explain", "Tell what became of one call");
        explain->allow_extras();
        explain->add_option("id", explain_options.id, "Of the call, as its result tells it")
            ->required();
        explain->add_flag("--json", explain_options.as_json, "Print JSON");
        add_gateway(*explain);
    }
    void add_whole(CLI::App& parser, const std::string& action, const std::string& about) {
        CLI::App* command = parser.add_subcommand(action, about);
        command->allow_extras();
        add_gateway(*command);
        command->callback([this, action] { path = "/api/" + action; });
    }
    /// `circuits reset NAME`, `servers pause NAME` and so on.
    CLI::App* add_group(CLI::App& parser, const std::string& group, const std::string& about,
                        const Names& actions) {
        CLI::App* command = parser.add_subcommand(group, about);
        command->allow_extras();
        add_gateway(*command);
        for (const std::string& action : actions) {
            CLI::App* one = command->add_subcommand(action);
            one->allow_extras();
            one->add_option("name", name, "Its name, as \"holdfast status\" shows it")->required();
            add_gateway(*one);
            one->callback([this, group, action] {
                path.assign("/api/").append(group).append("/").append(base::percent_encoded(name));
                path.append("/").append(action);
            });
        }
        return command;
    }
};

OperatingCommands::OperatingCommands(CLI::App& parser) : parts_(std::make_unique<Parts>()) {
    parts_->add_status(parser);
    parts_->add_explain(parser);
    CLI::App* circuits = parts_->add_group(
        parser, "circuits", "List the circuits of a running gateway, or change one",
        {"reset", "force-open", "disable", "metrics-only", "normal"});
    circuits->add_subcommand("list", "List them (also without a command)");
    circuits->callback([this] { parts_->lists_circuits = true; });
    parts_
        ->add_group(parser, "servers", "Restart, pause or resume a server of a running gateway",
                    {"restart", "pause", "resume"})
        ->require_subcommand(1);
    parts_->add_whole(parser, "drain",
                      "Let a running gateway refuse new calls and end those in flight");
    parts_->add_whole(parser, "reload", "Let a running gateway read its config anew");
}

OperatingCommands::~OperatingCommands() = default;

std::optional<int> OperatingCommands::run(std::ostream& out, std::ostream& errors) const {
    if (parts_->status->parsed()) {
        StatusOptions options = parts_->status_options;
        options.gateway = parts_->gateway;
        options.has_colours = ::isatty(STDOUT_FILENO) != 0;
        return run_status(options, out, errors);
    }
    if (parts_->explain->parsed()) {
        ExplainOptions options = parts_->explain_options;
        options.gateway = parts_->gateway;
        return run_explain(options, out, errors);
    }
    if (!parts_->path.empty()) {
        return run_control({.gateway = parts_->gateway, .path = parts_->path}, out, errors);
    }
    if (parts_->lists_circuits) {
        return run_circuits(parts_->gateway, out, errors);
    }
    return std::nullopt;
}

}  // namespace holdfast::cli
