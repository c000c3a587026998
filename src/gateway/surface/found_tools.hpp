#pragma once

#include <string>
#include <string_view>

#include "surface/router.hpp"

// What agents read of tools that were found for them. Descriptions and schemas are strangers'
// words: they are shown as data, cleaned and cut.

namespace holdfast::surface {

/// The result of `find_tools`: a text for the model, one tool a line with its schema below, and the
/// same as structured content.
[[nodiscard]] std::string found_tools_result(const RouterAnswer& answer,
                                             const SurfaceOptions& options);

/// The result of `describe_tool`: the definition as in `tools/list`.
[[nodiscard]] std::string described_tool_result(std::string_view definition);

/// The result of a call of ours that cannot be answered, in words.
[[nodiscard]] std::string error_result(std::string_view words);

}  // namespace holdfast::surface
