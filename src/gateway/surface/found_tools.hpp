#pragma once

#include <string>
#include <string_view>

#include "surface/router.hpp"

// The texts about found tools that agents read. Descriptions and schemas come from untrusted
// servers: they are shown as data, cleaned and cut.

namespace holdfast::surface {

/// Returns the result of `find_tools`: a text for the model with the signature of each tool and one
/// line about it, and the names as structured content.
[[nodiscard]] std::string found_tools_result(const RouterAnswer& answer,
                                             const SurfaceOptions& options);

/// Returns the result of `describe_tool`: the description and the schema, at most 8 kB. Of a longer
/// schema only the top level; `path` is a JSON pointer to a part of it.
[[nodiscard]] std::string described_tool_result(std::string_view definition,
                                                const std::string& path = {});

/// Returns the result of a built-in call that failed.
[[nodiscard]] std::string error_result(std::string_view message);

}  // namespace holdfast::surface
