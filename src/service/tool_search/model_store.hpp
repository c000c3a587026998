#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "holdfast/resilience/result.hpp"
#include "platform/mapped_file.hpp"
#include "platform/private_file.hpp"
#include "search/sentence_encoder.hpp"

namespace holdfast::tool_search {

/// Returns the path of the user's model.
[[nodiscard]] std::string model_path(const std::string& data_folder);

/// The encoder and the file with its weights.
///
/// Thread-safety: immutable; share it.
class InstalledModel final {
public:
    /// Maps and checks the whole file. The message of a failure says what to do about it.
    [[nodiscard]] static resilience::Result<std::shared_ptr<const InstalledModel>,
                                            platform::FileFault>
    open(const std::string& path);

    InstalledModel(platform::MappedFile file, search::encoder::ModelView view)
        : file_(std::move(file)), encoder_(std::move(view)) {}
    InstalledModel(const InstalledModel&) = delete;
    InstalledModel& operator=(const InstalledModel&) = delete;

    [[nodiscard]] const search::encoder::SentenceEncoder& encoder() const noexcept {
        return encoder_;
    }

private:
    const platform::MappedFile file_;
    const search::encoder::SentenceEncoder encoder_;
};

}  // namespace holdfast::tool_search
