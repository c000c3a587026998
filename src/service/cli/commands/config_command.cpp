#include <ostream>

#include "cli/commands/commands.hpp"
#include "cli/exit_code.hpp"
#include "config/node_json.hpp"
#include "runtime/config_schema.hpp"

namespace holdfast::cli {

Command config_command() {
    return {.name = "config",
            .help = "Describe the config file",
            .examples = {"holdfast config schema > holdfast.schema.json"},
            .commands = {{.name = "schema",
                          .help = "Print the JSON Schema of the config file",
                          .run = [](std::ostream& out, std::ostream& /*errors*/) {
                              out << config::indented_json_of(runtime::config_schema()) << "\n";
                              return kExitSuccess;
                          }}}};
}

}  // namespace holdfast::cli
