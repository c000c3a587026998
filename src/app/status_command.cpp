#include "app/status_command.hpp"

#include <ostream>
#include <thread>

#include "app/command_line.hpp"
#include "app/status_table.hpp"

namespace holdfast::app {
namespace {

constexpr int kOk = 200;
/// To the corner, and away with what is below.
constexpr const char* kClear = "\x1b[H\x1b[2J";

int show_once(const StatusOptions& options, const AdminPlace& place, std::ostream& out,
              std::ostream& errors) {
    const auto answer = ask_admin(place, "GET", "/api/status", options.gateway.timeout);
    if (!answer || answer->status != kOk) {
        errors << "holdfast: " << (answer ? words_of(*answer) : answer.error().message) << "\n";
        return kExitFailure;
    }
    if (options.as_json) {
        out << answer->body << "\n";
    } else {
        out << (options.watches && options.has_colours ? kClear : "")
            << shown_status(answer->body, options.has_colours);
    }
    out << std::flush;
    return has_trouble(answer->body) ? kExitTrouble : kExitSuccess;
}

}  // namespace

int run_status(const StatusOptions& options, std::ostream& out, std::ostream& errors) {
    const auto place = find_gateway(options.gateway);
    if (!place) {
        errors << "holdfast: " << place.error().message << ".\n";
        return kExitFailure;
    }
    int exit_code = show_once(options, *place, out, errors);
    while (options.watches && exit_code != kExitFailure && out.good()) {
        std::this_thread::sleep_for(options.every);
        exit_code = show_once(options, *place, out, errors);
    }
    return exit_code;
}

}  // namespace holdfast::app
