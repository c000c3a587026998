#include "cli/client/control.hpp"

#include <ostream>

#include "cli/exit_code.hpp"
#include "jsonrpc/members.hpp"

namespace holdfast::cli {

int run_control(const AdminChoice& gateway, const std::string& path, std::ostream& out,
                std::ostream& errors) {
    const auto answer = ask_admin(gateway, "POST", path);
    if (!is_good(answer)) {
        return report_fault(answer, errors);
    }
    out << jsonrpc::text_member_of(answer->body, "message") << "\n";
    return kExitSuccess;
}

}  // namespace holdfast::cli
