#include "cli/commands/init_command.hpp"

#include <filesystem>
#include <ostream>
#include <system_error>

#include "cli/commands/starter_config.hpp"
#include "cli/exit_code.hpp"
#include "cli/program_paths.hpp"
#include "jsonrpc/json_text.hpp"
#include "platform/environment.hpp"
#include "platform/private_file.hpp"

namespace holdfast::cli {

int run_init(const InitOptions& options, std::ostream& out, std::ostream& errors) {
    const std::string file =
        absolute_path(options.config_file.empty() ? user_config_file() : options.config_file);
    std::error_code ignored;
    if (!options.replaces && std::filesystem::exists(file, ignored)) {
        errors << "holdfast: " << file
               << " is there already; --force replaces it, --config names another.\n";
        return kExitFailure;
    }
    const std::string program =
        command_for(own_program(), platform::environment_variable("PATH").value_or(""));
    if (const auto fault = platform::replace_atomically(file, starter_config(program, file))) {
        errors << "holdfast: " << fault->message << ".\n";
        return kExitFailure;
    }
    if (options.as_json) {
        out << R"({"config":)" << jsonrpc::quoted_text(file) << "}\n";
        return kExitSuccess;
    }
    const std::string named =
        options.config_file.empty() ? "" : " --config " + shell_word(options.config_file);
    out << "wrote " << file << "\n\nnext:\n"
        << "  " << shell_word(program) << " import" << named
        << "   take over the servers of your editors\n"
        << "  " << shell_word(program) << " check" << named << "    see what each server offers\n"
        << "  " << shell_word(program) << " serve" << named << "    start the gateway\n";
    return kExitSuccess;
}

}  // namespace holdfast::cli
