#pragma once

#include <cstddef>
#include <string>
#include <string_view>

// A tool's schema as a model reads it with few bytes. Schemas come from untrusted servers: names
// and values are shown without control characters.

namespace holdfast::surface {

/// Returns the name and the parameters: `take_screenshot(pageId: number, format?: "png"|"jpeg")`.
/// Required parameters come first. If there are more than 12, or the text would be longer, optional
/// parameters are omitted and counted.
[[nodiscard]] std::string tool_signature(std::string_view name, std::string_view input_schema,
                                         std::size_t max_bytes);

}  // namespace holdfast::surface
