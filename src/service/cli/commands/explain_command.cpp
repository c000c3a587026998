#include <memory>
#include <ostream>
#include <string>
#include <utility>

#include "base/uri.hpp"
#include "cli/client/admin_client.hpp"
#include "cli/commands/commands.hpp"
#include "cli/common_options.hpp"
#include "cli/exit_code.hpp"
#include "cli/output/explained_call.hpp"

namespace holdfast::cli {
namespace {

struct ExplainOptions {
    AdminChoice gateway = {};
    std::string id = {};
    bool as_json = false;
};

int run_explain(const ExplainOptions& options, std::ostream& out, std::ostream& errors) {
    const auto answer =
        ask_admin(options.gateway, "GET", "/api/calls/" + base::percent_encoded(options.id));
    if (!is_good(answer)) {
        return report_fault(answer, errors);
    }
    out << (options.as_json ? answer->body + "\n" : shown_call(answer->body, line_cut_of_output()));
    return kExitSuccess;
}

}  // namespace

Command explain_command() {
    const auto options = std::make_shared<ExplainOptions>();
    Command command{.name = "explain",
                    .help = "Show what happened to one call",
                    .examples = {"holdfast explain 01J9ZK3V6Q"},
                    .options = {{.name = "id",
                                 .help = "Call id, from a failure or the log",
                                 .target = &options->id,
                                 .is_required = true},
                                json_option(options->as_json)},
                    .run = [options](std::ostream& out, std::ostream& errors) {
                        return run_explain(*options, out, errors);
                    }};
    add_admin_options(command, options->gateway);
    return command;
}

}  // namespace holdfast::cli
