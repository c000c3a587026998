#include "cli/command_line.hpp"

#include <algorithm>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>

#include "base/nearest_name.hpp"
#include "cli/commands/commands.hpp"
#include "cli/exit_code.hpp"
#include "cli/option_value.hpp"
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

/// What the parser cannot report in our words.
struct ParseFault {
    std::string message = {};  ///< Of an invalid value; empty = none was found.
};

CLI::Option* add_to(CLI::App& parser, const CommandOption& option) {
    if (bool* const* const flag = std::get_if<bool*>(&option.target)) {
        return parser.add_flag(option.name, **flag, option.help)->disable_flag_override();
    }
    std::string help = option.help;
    if (const auto* duration = std::get_if<resilience::Duration*>(&option.target)) {
        help += " (default: " + config::duration_text(**duration) + ")";
    }
    if (std::holds_alternative<std::vector<std::string>*>(option.target)) {
        return parser.add_option_function<Names>(
            option.name,
            [option](const Names& texts) {
                for (const std::string& text : texts) {
                    set_value(option, text);
                }
            },
            help);
    }
    return parser.add_option_function<std::string>(
        option.name, [option](const std::string& text) { set_value(option, text); }, help);
}

void add_option(CLI::App& parser, const CommandOption& option, ParseFault& fault) {
    CLI::Option* added = add_to(parser, option);
    added->required(option.is_required);
    if (option.is_hidden) {
        added->group("");
    }
    if (!std::holds_alternative<bool*>(option.target)) {
        added->type_name(value_name(option));
        added->check([option, &fault](const std::string& text) {
            if (is_valid_value(option, text)) {
                return std::string{};
            }
            fault.message = "invalid value \"" + text + "\" for " + option.name + "; expected " +
                            expected_value(option);
            return fault.message;
        });
    }
    if (!option.excludes.empty()) {
        added->excludes(parser.get_option(option.excludes));
    }
    if (!option.needs.empty()) {
        added->needs(parser.get_option(option.needs));
    }
}

void add_command(CLI::App& parser, const Command& command, ParseFault& fault) {
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
        add_option(*added, option, fault);
    }
    for (const Command& inner : command.commands) {
        add_command(*added, inner, fault);
    }
}

/// The command that was given: the last of "circuits", "reset". The parser itself if there is none.
const CLI::App& given_command(const CLI::App& parser) {
    const CLI::App* command = &parser;
    for (auto given = command->get_subcommands(); !given.empty();
         given = command->get_subcommands()) {
        command = given.front();
    }
    return *command;
}

std::string help_of(const CLI::App& command) {
    std::string words = command.get_name();
    for (const CLI::App* outer = command.get_parent(); outer != nullptr;
         outer = outer->get_parent()) {
        words.insert(0, outer->get_name() + " ");
    }
    return "\"" + words + " --help\"";
}

Names command_names(const CLI::App& command) {
    Names names;
    for (const CLI::App* inner : command.get_subcommands({})) {
        if (!inner->get_group().empty()) {
            names.push_back(inner->get_name());
        }
    }
    return names;
}

/// The options of the command, and the general ones.
Names option_names(const CLI::App& command, const CLI::App& parser) {
    Names names;
    for (const CLI::App* const app : {&command, &parser}) {
        for (const CLI::Option* option : app->get_options()) {
            if (option->nonpositional() && !option->get_group().empty()) {
                names.push_back("--" + option->get_single_name());
            }
        }
    }
    return names;
}

std::string did_you_mean(std::string_view word, const Names& names) {
    const std::vector<std::string_view> views{names.begin(), names.end()};
    const auto meant = base::likely_name(word, views);
    return meant ? "did you mean \"" + std::string{*meant} + "\"? " : std::string{};
}

/// Why a word of the command line is not used.
std::string unknown_text(const CLI::App& parser, const std::string& word) {
    const CLI::App& command = given_command(parser);
    if (word.starts_with('-')) {
        const std::string name = word.substr(0, word.find('='));
        return "unknown option \"" + name + "\"; " +
               did_you_mean(name, option_names(command, parser)) + help_of(command) +
               " lists the options";
    }
    const Names commands = command_names(command);
    if (commands.empty()) {
        return "unexpected argument \"" + word + "\"; " + help_of(command) + " shows the usage";
    }
    return "unknown command \"" + word + "\"; " + did_you_mean(word, commands) + help_of(command) +
           " lists the commands";
}

/// The parser's message without what follows the words.
std::string before(std::string_view message, std::string_view words) {
    return std::string{message.substr(0, message.find(words))};
}

std::string missing_text(const CLI::App& command, const std::string& name) {
    return "missing " + (name.starts_with('-') ? "option " + name : "argument \"" + name + "\"") +
           "; " + help_of(command) + " shows the usage";
}

/// In our words, what the parser found. Its messages begin with the name of the option.
std::string text_of(const CLI::ParseError& error, const CLI::App& parser) {
    std::string message = error.what();
    if (error.get_name() == "RequiredError") {
        return missing_text(given_command(parser), before(message, " is required"));
    }
    if (error.get_name() == "ExcludesError") {
        const std::string name = before(message, " excludes ");
        return name + " cannot be combined with " +
               message.substr(name.size() + std::string_view{" excludes "}.size());
    }
    if (error.get_name() == "RequiresError") {
        const std::string name = before(message, " requires ");
        return name + " needs " +
               message.substr(name.size() + std::string_view{" requires "}.size());
    }
    if (message.ends_with(" missing")) {
        return before(message, ":") + " needs a value; " + help_of(given_command(parser)) +
               " shows the usage";
    }
    if (message.find("At Most") != std::string::npos) {
        return before(message, ":") + " can be given only once";
    }
    if (message.ends_with("flag override")) {
        return "--" + before(message, " was ") + " takes no value";
    }
    return message;
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
    ParseFault fault;
    for (const Command& command : commands) {
        add_command(parser, command, fault);
    }
    try {
        parser.parse(argument_count, arguments);
    } catch (const CLI::Success& request) {  // --help and --version arrive as exceptions.
        return parser.exit(request, out, errors);
    } catch (const CLI::ParseError& error) {
        errors << "holdfast: " << (fault.message.empty() ? text_of(error, parser) : fault.message)
               << "\n";
        return kExitUsage;
    }
    if (const Names unknown = parser.remaining(true); !unknown.empty()) {
        errors << "holdfast: " << unknown_text(parser, unknown.front()) << "\n";
        return kExitUsage;
    }
    return run_parsed(parser, commands, out, errors);
}

}  // namespace holdfast::cli
