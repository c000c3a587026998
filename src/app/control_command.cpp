#include "app/control_command.hpp"

#include <ostream>

#include "app/exit_code.hpp"
#include "app/json_members.hpp"
#include "app/status_table.hpp"

namespace holdfast::app {

int run_control(const ControlOptions& options, std::ostream& out, std::ostream& errors) {
    const auto answer = ask_admin(options.gateway, "POST", options.path);
    if (!is_good(answer)) {
        return report_fault(answer, errors);
    }
    out << text_member_of(answer->body, "message") << "\n";
    return kExitSuccess;
}

int run_circuits(const AdminChoice& gateway, std::ostream& out, std::ostream& errors) {
    const auto answer = ask_admin(gateway, "GET", "/api/status");
    if (!is_good(answer)) {
        return report_fault(answer, errors);
    }
    out << shown_circuits(answer->body);
    return kExitSuccess;
}

}  // namespace holdfast::app
