#include "app/command_line.hpp"

#include <ostream>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "app/nearest_name.hpp"
#include "app/version.hpp"

namespace holdfast::app {
namespace {

std::vector<std::string> command_names(const CLI::App& parser) {
    std::vector<std::string> names;
    for (const CLI::App* command : parser.get_subcommands({})) {
        names.push_back(command->get_name());
    }
    return names;
}

int report_unknown(const CLI::App& parser, const std::string& word, std::ostream& errors) {
    if (word.starts_with('-')) {
        errors << "holdfast: unknown option \"" << word
               << "\"; \"holdfast --help\" lists the options.\n";
    } else {
        errors << "holdfast: unknown command \"" << word << "\"; the nearest one is \""
               << nearest_name(word, command_names(parser))
               << "\", and \"holdfast --help\" lists all of them.\n";
    }
    return kExitUsage;
}

}  // namespace

int run_command_line(int argument_count, const char* const* arguments, std::ostream& out,
                     std::ostream& errors) {
    CLI::App parser{"One endpoint between AI agents and everything they call.", "holdfast"};
    // Words that no option or command takes are kept, so that the message about them is ours.
    parser.allow_extras();
    parser.set_version_flag("--version", describe(build_identity()), "Print the version and exit");

    bool as_json = false;
    CLI::App* version = parser.add_subcommand("version", "Print what this binary was built from");
    version->allow_extras(false);
    version->add_flag("--json", as_json, "Print a JSON object");

    try {
        parser.parse(argument_count, arguments);
    } catch (const CLI::Success& request) {  // --help and --version arrive as exceptions.
        return parser.exit(request, out, errors);
    } catch (const CLI::ParseError& error) {
        errors << "holdfast: " << error.what() << "\n";
        return kExitUsage;
    }

    if (const std::vector<std::string> unknown = parser.remaining(); !unknown.empty()) {
        return report_unknown(parser, unknown.front(), errors);
    }
    if (version->parsed()) {
        const BuildIdentity identity = build_identity();
        out << (as_json ? to_json(identity) : describe(identity)) << "\n";
        return kExitSuccess;
    }
    errors << "holdfast: no command was given; \"holdfast --help\" lists the commands.\n";
    return kExitUsage;
}

}  // namespace holdfast::app
