#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "search/tool_document.hpp"
#include "surface/surface.hpp"

namespace holdfast::surface {

/// All tools of a surface as the search reads them; their ids are the exposed names.
[[nodiscard]] std::vector<search::ToolDocument> documents_of(const Surface& surface);

/// What a tool says of itself, fit to be shown to a model beside others: in one line, without
/// control characters, and cut. It is a stranger's text.
[[nodiscard]] std::string shown_description(std::string_view definition, std::size_t max_bytes);

}  // namespace holdfast::surface
