#include "app/control_command.hpp"

#include <ostream>

#include "app/command_line.hpp"
#include "app/json_members.hpp"
#include "app/status_table.hpp"

namespace holdfast::app {
namespace {

constexpr int kOk = 200;

AdminResult asked(const AdminChoice& gateway, std::string_view method, const std::string& target) {
    const auto place = find_gateway(gateway);
    return place ? ask_admin(*place, method, target, gateway.timeout) : AdminResult{place.error()};
}

int report(const AdminResult& answer, std::ostream& errors) {
    const std::string words = answer ? words_of(*answer) : answer.error().message;
    errors << "holdfast: " << words << (words.ends_with('.') ? "\n" : ".\n");
    return kExitFailure;
}

}  // namespace

int run_control(const ControlOptions& options, std::ostream& out, std::ostream& errors) {
    const auto answer = asked(options.gateway, "POST", options.path);
    if (!answer || answer->status != kOk) {
        return report(answer, errors);
    }
    out << text_member_of(answer->body, "message") << "\n";
    return kExitSuccess;
}

int run_circuits(const AdminChoice& gateway, std::ostream& out, std::ostream& errors) {
    const auto answer = asked(gateway, "GET", "/api/status");
    if (!answer || answer->status != kOk) {
        return report(answer, errors);
    }
    out << shown_circuits(answer->body);
    return kExitSuccess;
}

}  // namespace holdfast::app
