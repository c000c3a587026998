#include <filesystem>
#include <memory>
#include <ostream>
#include <string>
#include <system_error>

#include "cli/commands/commands.hpp"
#include "cli/commands/starter_config.hpp"
#include "cli/common_options.hpp"
#include "cli/exit_code.hpp"
#include "cli/program_paths.hpp"
#include "jsonrpc/json_text.hpp"
#include "platform/environment.hpp"
#include "platform/private_file.hpp"

namespace holdfast::cli {
namespace {

struct InitOptions {
    std::string config_file = {};  ///< Empty = the user's.
    bool replaces = false;         ///< Also an existing file.
    bool as_json = false;
};

int run_init(const InitOptions& options, std::ostream& out, std::ostream& errors) {
    const std::string file =
        absolute_path(options.config_file.empty() ? user_config_file() : options.config_file);
    std::error_code ignored;
    if (!options.replaces && std::filesystem::exists(file, ignored)) {
        errors << "holdfast: " << file
               << " already exists; use --force to replace it, or --config to write another\n";
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
        << "   import the servers of your editors\n"
        << "  " << shell_word(program) << " check" << named << "    show what each server offers\n"
        << "  " << shell_word(program) << " serve" << named << "    start the gateway\n";
    return kExitSuccess;
}

}  // namespace

Command init_command() {
    const auto options = std::make_shared<InitOptions>();
    return {.name = "init",
            .help = "Write a commented config to start with",
            .examples = {"holdfast init --config servers.json"},
            .options = {{.name = "--config",
                         .help = "File to write (default: the user's config)",
                         .target = &options->config_file},
                        {.name = "--force",
                         .help = "Replace an existing file",
                         .target = &options->replaces},
                        json_option(options->as_json)},
            .run = [options](std::ostream& out, std::ostream& errors) {
                return run_init(*options, out, errors);
            }};
}

}  // namespace holdfast::cli
