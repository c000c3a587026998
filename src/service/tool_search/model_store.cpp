#include "tool_search/model_store.hpp"

#include <utility>

namespace holdfast::tool_search {

std::string model_path(const std::string& data_folder) {
    return data_folder + "/models/all-MiniLM-L6-v2.hfmodel";
}

resilience::Result<std::shared_ptr<const InstalledModel>, platform::FileFault> InstalledModel::open(
    const std::string& path) {
    auto file = platform::MappedFile::open(path);
    if (!file) {
        return platform::FileFault{"there is no model: " + file.error().message +
                                   "; install it with \"holdfast model install\""};
    }
    auto view = search::encoder::view_model(file->bytes());
    if (!view) {
        return platform::FileFault{"invalid model " + path + ": " + view.error().message +
                                   "; replace it with \"holdfast model install --force\""};
    }
    return std::shared_ptr<const InstalledModel>{
        std::make_shared<InstalledModel>(std::move(*file), std::move(*view))};
}

}  // namespace holdfast::tool_search
