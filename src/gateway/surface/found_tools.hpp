#pragma once

#include <string>
#include <string_view>

#include "surface/router.hpp"

// The texts about found tools that agents read. Descriptions and schemas come from untrusted
// servers: they are shown as data, cleaned and cut.

namespace holdfast::surface {

/// Returns the result of `find_tools`: a text for the model with one tool per line and its schema
/// below, and the same as structured content.
[[nodiscard]] std::string found_tools_result(const RouterAnswer& answer,
                                             const SurfaceOptions& options);

/// Returns the result of `describe_tool`: the definition as in `tools/list`.
[[nodiscard]] std::string described_tool_result(std::string_view definition);

/// Returns the result of a built-in call that failed.
[[nodiscard]] std::string error_result(std::string_view message);

}  // namespace holdfast::surface
