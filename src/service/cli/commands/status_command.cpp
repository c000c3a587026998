#include "cli/commands/status_command.hpp"

#include <ostream>
#include <thread>

#include "cli/exit_code.hpp"
#include "cli/output/status_table.hpp"

namespace holdfast::cli {
namespace {

/// To the corner, and away with what is below.
constexpr const char* kClear = "\x1b[H\x1b[2J";

void show(const StatusOptions& options, const std::string& status, std::ostream& out) {
    if (options.as_json) {
        out << status << "\n";
    } else {
        out << (options.watches && options.has_colours ? kClear : "")
            << shown_status(status, options.has_colours);
    }
    out << std::flush;
}

}  // namespace

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
        show(options, answer->body, out);
        if (!options.watches || !out.good()) {
            return has_trouble(answer->body) ? kExitFailure : kExitSuccess;
        }
        std::this_thread::sleep_for(options.every);
    }
}

}  // namespace holdfast::cli
