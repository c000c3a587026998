#include "tool_search/model_store.hpp"

#include <utility>

namespace holdfast::tool_search {

std::string model_path(const std::string& data_folder) {
    return data_folder + "/models/all-MiniLM-L6-v2.hfmodel";
}

resilience::Result<std::shared_ptr<const InstalledModel>, platform::FileFault> InstalledModel::open(
    const std::string& path) {
    constexpr std::string_view kAdvice = "; \"holdfast model install\" puts it there";
    auto file = platform::MappedFile::open(path);
    if (!file) {
        return platform::FileFault{"there is no model: " + file.error().message +
                                   std::string{kAdvice}};
    }
    auto view = search::encoder::view_model(file->bytes());
    if (!view) {
        return platform::FileFault{"the model " + path + " cannot be used: " +
                                   view.error().message + std::string{kAdvice} + " anew"};
    }
    return std::shared_ptr<const InstalledModel>{
        std::make_shared<InstalledModel>(std::move(*file), std::move(*view))};
}

}  // namespace holdfast::tool_search
