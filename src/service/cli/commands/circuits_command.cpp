#include <array>
#include <memory>
#include <ostream>
#include <string_view>
#include <utility>

#include "base/uri.hpp"
#include "cli/client/control.hpp"
#include "cli/commands/commands.hpp"
#include "cli/common_options.hpp"
#include "cli/exit_code.hpp"
#include "cli/output/status_table.hpp"

namespace holdfast::cli {
namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kActions = {{
    {"reset", "Close a circuit and forget its counts"},
    {"force-open", "Refuse all calls of a circuit"},
    {"disable", "Allow all calls of a circuit and count nothing"},
    {"metrics-only", "Count calls of a circuit but refuse none"},
    {"normal", "End force-open, disable or metrics-only"},
}};

struct CircuitsOptions {
    AdminChoice gateway = {};
    std::string name = {};
};

int list_circuits(const AdminChoice& gateway, std::ostream& out, std::ostream& errors) {
    const auto answer = ask_admin(gateway, "GET", "/api/status");
    if (!is_good(answer)) {
        return report_fault(answer, errors);
    }
    out << shown_circuits(answer->body);
    return kExitSuccess;
}

}  // namespace

Command circuits_command() {
    const auto options = std::make_shared<CircuitsOptions>();
    const auto list = [options](std::ostream& out, std::ostream& errors) {
        return list_circuits(options->gateway, out, errors);
    };
    Command command{.name = "circuits",
                    .help = "List the circuits of a running gateway, or change one",
                    .examples = {"holdfast circuits", "holdfast circuits reset github"},
                    .run = list};
    add_admin_options(command, options->gateway);
    Command list_command{.name = "list", .help = "List the circuits", .run = list};
    add_admin_options(list_command, options->gateway);
    command.commands.push_back(std::move(list_command));
    for (const auto& [action, help] : kActions) {
        Command one{
            .name = std::string{action},
            .help = std::string{help},
            .options = {{.name = "name",
                         .help = "Circuit, as in \"holdfast status\"",
                         .target = &options->name,
                         .is_required = true}},
            .run = [options, verb = std::string{action}](std::ostream& out, std::ostream& errors) {
                return run_control(
                    options->gateway,
                    "/api/circuits/" + base::percent_encoded(options->name) + "/" + verb, out,
                    errors);
            }};
        add_admin_options(one, options->gateway);
        command.commands.push_back(std::move(one));
    }
    return command;
}

}  // namespace holdfast::cli
