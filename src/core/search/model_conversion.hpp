#pragma once

#include <string>
#include <string_view>

#include "search/encoder/model_file.hpp"

namespace holdfast::search::encoder {

/// The published files of the model: a TensorFlow.js graph model whose tensors are bytes with a
/// scale and a minimum each, and the tokenizer.
struct PublishedModel {
    std::string_view model_json = {};
    std::string_view weights = {};
    std::string_view tokenizer_json = {};
};

/// Returns the bytes of a model file, see `model_file.hpp`.
[[nodiscard]] ModelResult<std::string> converted_model(const PublishedModel& published);

}  // namespace holdfast::search::encoder
