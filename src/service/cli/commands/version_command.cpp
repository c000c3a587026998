#include <memory>
#include <ostream>

#include "cli/commands/commands.hpp"
#include "cli/common_options.hpp"
#include "cli/exit_code.hpp"
#include "runtime/version.hpp"

namespace holdfast::cli {

Command version_command() {
    const auto as_json = std::make_shared<bool>(false);
    return {.name = "version",
            .help = "Print the version and how the binary was built",
            .examples = {"holdfast version --json"},
            .options = {json_option(*as_json)},
            .run = [as_json](std::ostream& out, std::ostream& /*errors*/) {
                const runtime::BuildIdentity identity = runtime::build_identity();
                out << (*as_json ? runtime::to_json(identity) : runtime::describe(identity))
                    << "\n";
                return kExitSuccess;
            }};
}

}  // namespace holdfast::cli
