#include <chrono>
#include <memory>
#include <ostream>
#include <thread>

#include "cli/client/admin_client.hpp"
#include "cli/commands/commands.hpp"
#include "cli/common_options.hpp"
#include "cli/exit_code.hpp"
#include "cli/output/status_table.hpp"

namespace holdfast::cli {
namespace {

struct StatusOptions {
    AdminChoice gateway = {};
    bool as_json = false;
    bool watches = false;  ///< Repeats until interrupted.
    LineCut cut = LineCut::none;
    std::chrono::milliseconds every{1'000};
};

/// Moves to the top left and clears the screen.
constexpr const char* kClear = "\x1b[H\x1b[2J";

void show(const StatusOptions& options, const std::string& status, std::ostream& out) {
    if (options.as_json) {
        out << status << "\n";
    } else {
        out << (options.watches && options.cut == LineCut::for_terminal ? kClear : "")
            << shown_status(status, options.cut);
    }
    out << std::flush;
}

int run_status(const StatusOptions& options, std::ostream& out, std::ostream& errors) {
    const auto place = find_gateway(options.gateway);
    if (!place) {
        return report_fault(place.error(), errors);
    }
    for (;;) {
        const auto answer = ask_admin(*place, "GET", "/api/status", options.gateway.timeout);
        if (!is_good(answer)) {
            return report_fault(answer, errors);
        }
        if (!options.as_json && !is_status(answer->body)) {
            errors << "holdfast: the gateway's answer is not a valid status\n";
            return kExitFailure;
        }
        show(options, answer->body, out);
        if (!options.watches || !out.good()) {
            return has_problem(answer->body) ? kExitFailure : kExitSuccess;
        }
        std::this_thread::sleep_for(options.every);
    }
}

}  // namespace

Command status_command() {
    const auto options = std::make_shared<StatusOptions>();
    Command command{.name = "status",
                    .help = "Show the health of the gateway and its servers",
                    .examples = {"holdfast status --watch"},
                    .options = {json_option(options->as_json),
                                {.name = "--watch",
                                 .help = "Refresh every second",
                                 .target = &options->watches}},
                    .run = [options](std::ostream& out, std::ostream& errors) {
                        options->cut = line_cut_of_output();
                        return run_status(*options, out, errors);
                    }};
    add_admin_options(command, options->gateway);
    return command;
}

}  // namespace holdfast::cli
