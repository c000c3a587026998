#include "cli/common_options.hpp"

#include <CLI/CLI.hpp>

#include "config/quantity.hpp"

namespace holdfast::cli {
namespace {

CLI::Validator duration() {
    return {[](const std::string& text) {
                return config::parsed_duration(text)
                           ? std::string{}
                           : "\"" + text + "\" is no time; write it like 500ms, 10s or 2m";
            },
            "TIME"};
}

}  // namespace

CLI::App* add_command(CLI::App& parser, const std::string& name, const std::string& about,
                      const std::string& example) {
    CLI::App* command = parser.add_subcommand(name, about);
    command->allow_extras();
    command->footer("Example:\n  " + example);
    return command;
}

void add_duration(CLI::App& command, const std::string& name, resilience::Duration& place,
                  const std::string& about) {
    command
        .add_option_function<std::string>(
            name,
            [&place](const std::string& text) {
                place = config::parsed_duration(text).value_or(place);
            },
            about + " (default: " + config::duration_text(place) + ")")
        ->check(duration());
}

}  // namespace holdfast::cli
