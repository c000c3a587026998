#include "cli/commands/control_command.hpp"

#include <ostream>

#include "cli/exit_code.hpp"
#include "cli/output/status_table.hpp"
#include "jsonrpc/members.hpp"

namespace holdfast::cli {

int run_control(const ControlOptions& options, std::ostream& out, std::ostream& errors) {
    const auto answer = ask_admin(options.gateway, "POST", options.path);
    if (!is_good(answer)) {
        return report_fault(answer, errors);
    }
    out << jsonrpc::text_member_of(answer->body, "message") << "\n";
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

}  // namespace holdfast::cli
