#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "app/kept_file.hpp"
#include "app/mapped_file.hpp"
#include "holdfast/resilience/result.hpp"
#include "search/encoder/sentence_encoder.hpp"

namespace holdfast::app {

/// Where the model of this user lies.
[[nodiscard]] std::string model_path(const std::string& data_folder);

/// The encoder with the file that its weights are in.
///
/// Thread-safety: immutable; share it.
class InstalledModel final {
public:
    /// Maps the file and checks it whole. The message of a failure says what to do about it.
    [[nodiscard]] static resilience::Result<std::shared_ptr<const InstalledModel>, FileFault> open(
        const std::string& path);

    InstalledModel(MappedFile file, search::encoder::ModelView view)
        : file_(std::move(file)), encoder_(std::move(view)) {}
    InstalledModel(const InstalledModel&) = delete;
    InstalledModel& operator=(const InstalledModel&) = delete;

    [[nodiscard]] const search::encoder::SentenceEncoder& encoder() const noexcept {
        return encoder_;
    }

private:
    const MappedFile file_;
    const search::encoder::SentenceEncoder encoder_;
};

}  // namespace holdfast::app
