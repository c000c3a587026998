#include "cli/command_line.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>

#include "base/nearest_name.hpp"
#include "cli/commands/commands.hpp"
#include "cli/exit_code.hpp"
#include "config/quantity.hpp"
#include "runtime/version.hpp"

// The only file that knows CLI11, which is slow to compile. It hands the commands to the parser and
// runs the one that was given.

namespace holdfast::cli {
namespace {

using Names = std::vector<std::string>;

constexpr const char* kFooter =
    "Examples:\n"
    "  holdfast init                                  write a config to start with\n"
    "  holdfast check                                 validate it and list the servers\n"
    "  holdfast serve --http 127.0.0.1:7332           run the gateway\n"
    "  holdfast call word_count '{\"text\": \"a b\"}'    call a tool of a running gateway\n\n"
    "Exit codes:\n"
    "  0    done\n"
    "  1    failed, or the report is bad news: a server is down, a tool failed\n"
    "  2    wrong command line\n"
    "  3    config missing or invalid\n"
    "  4    no running gateway found\n"
    "  130  interrupted";

std::string duration_fault(const std::string& text) {
    return config::parsed_duration(text)
               ? std::string{}
               : "invalid duration \"" + text + "\"; expected 500ms, 10s or 2m";
}

/// A range accepts a text that is not a number.
std::string nan_fault(const std::string& text) {
    return std::isnan(std::strtod(text.c_str(), nullptr)) ? "it must be a number" : "";
}

/// Adds an option to the parser, by the type of its target.
struct OptionAdder {
    CLI::App& parser;
    const CommandOption& option;

    CLI::Option* operator()(bool* target) const {
        return parser.add_flag(option.name, *target, option.help);
    }
    CLI::Option* operator()(resilience::Duration* target) const {
        return parser
            .add_option_function<std::string>(
                option.name,
                [target](const std::string& text) {
                    *target = config::parsed_duration(text).value_or(*target);
                },
                option.help + " (default: " + config::duration_text(*target) + ")")
            ->check(CLI::Validator{duration_fault, "TIME"});
    }
    CLI::Option* operator()(const std::function<void(const std::string&)>& target) const {
        return parser.add_option_function<std::string>(option.name, target, option.help);
    }
    CLI::Option* operator()(double* target) const {
        return parser.add_option(option.name, *target, option.help)->check(nan_fault);
    }
    template <class Value>
    CLI::Option* operator()(Value* target) const {
        return parser.add_option(option.name, *target, option.help);
    }
};

void add_option(CLI::App& parser, const CommandOption& option) {
    CLI::Option* added = std::visit(OptionAdder{parser, option}, option.target);
    added->required(option.is_required);
    if (option.is_hidden) {
        added->group("");
    }
    if (!option.choices.empty()) {
        added->check(CLI::IsMember(option.choices));
    }
    if (option.max > option.min) {
        const bool is_fraction = std::holds_alternative<double*>(option.target);
        added->check(is_fraction ? CLI::Range(option.min, option.max)
                                 : CLI::Range(static_cast<std::int64_t>(option.min),
                                              static_cast<std::int64_t>(option.max)));
    }
    if (option.check) {
        added->check(option.check);
    }
    if (!option.excludes.empty()) {
        added->excludes(parser.get_option(option.excludes));
    }
    if (!option.needs.empty()) {
        added->needs(parser.get_option(option.needs));
    }
}

void add_command(CLI::App& parser, const Command& command) {
    CLI::App* added = parser.add_subcommand(command.name, command.help);
    // Unknown words are kept, so that the message about them is ours.
    added->allow_extras();
    if (command.is_hidden) {
        added->group("");
    }
    if (!command.examples.empty()) {
        std::string footer = command.examples.size() == 1 ? "Example:" : "Examples:";
        for (const std::string& example : command.examples) {
            footer += "\n  " + example;
        }
        added->footer(footer);
    }
    for (const CommandOption& option : command.options) {
        add_option(*added, option);
    }
    for (const Command& inner : command.commands) {
        add_command(*added, inner);
    }
}

/// The commands that could have been meant: those of the command that was given, if it has any.
Names command_names(const CLI::App& parser) {
    const auto given = parser.get_subcommands();
    const CLI::App& group =
        given.empty() || given.front()->get_subcommands({}).empty() ? parser : *given.front();
    Names names;
    for (const CLI::App* command : group.get_subcommands({})) {
        names.push_back(command->get_name());
    }
    return names;
}

/// The options that could have been meant: those of the command that was given, and the general
/// ones.
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
    errors << "\"holdfast --help\" lists the " << (is_option ? "options" : "commands") << "\n";
    return kExitUsage;
}

int report_missing(const Command& command, std::ostream& errors) {
    errors << "holdfast: \"holdfast " << command.name << "\" needs a command: ";
    for (const Command& inner : command.commands) {
        errors << (&inner == &command.commands.front() ? "" : ", ") << inner.name;
    }
    errors << "\n";
    return kExitUsage;
}

/// Runs the command that was parsed, or the command of it.
int run_parsed(const CLI::App& parser, const std::vector<Command>& commands, std::ostream& out,
               std::ostream& errors) {
    const auto given = parser.get_subcommands();
    if (given.empty()) {
        errors << "holdfast: no command given; \"holdfast --help\" lists the commands\n";
        return kExitUsage;
    }
    const Command& command =
        *std::ranges::find(commands, given.front()->get_name(), &Command::name);
    if (!given.front()->get_subcommands().empty()) {
        return run_parsed(*given.front(), command.commands, out, errors);
    }
    return command.run ? command.run(out, errors) : report_missing(command, errors);
}

}  // namespace

int run_command_line(int argument_count, const char* const* arguments, std::ostream& out,
                     std::ostream& errors) {
    CLI::App parser{"MCP gateway: one endpoint between AI agents and the tools they call",
                    "holdfast"};
    parser.allow_extras();
    parser.footer(kFooter);
    parser.set_version_flag("--version", runtime::describe(runtime::build_identity()),
                            "Print the version and exit");
    const std::vector<Command> commands = all_commands();
    for (const Command& command : commands) {
        add_command(parser, command);
    }
    try {
        parser.parse(argument_count, arguments);
    } catch (const CLI::Success& request) {  // --help and --version arrive as exceptions.
        return parser.exit(request, out, errors);
    } catch (const CLI::ParseError& error) {
        errors << "holdfast: " << error.what() << "\n";
        return kExitUsage;
    }
    if (const Names unknown = parser.remaining(true); !unknown.empty()) {
        return report_unknown(parser, unknown.front(), errors);
    }
    return run_parsed(parser, commands, out, errors);
}

}  // namespace holdfast::cli
