#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "search/fallback_chain.hpp"
#include "search/tool_document.hpp"
#include "surface/surface.hpp"

namespace holdfast::surface {

/// All tools of a surface as the search reads them; their ids are the exposed names.
[[nodiscard]] std::vector<search::ToolDocument> documents_of(const Surface& surface);

/// A tool as the fallback chain of the search reads it. Refers to the tool.
[[nodiscard]] search::ListedTool listed_tool(const Callable& tool);
/// All tools of a surface in this form, in its order.
[[nodiscard]] std::vector<search::ListedTool> catalogue_of(const Surface& surface);

/// What a tool says of itself, fit to be shown to a model beside others: in one line, without
/// control characters, and cut. It is a stranger's text.
[[nodiscard]] std::string shown_description(std::string_view definition, std::size_t max_bytes);

}  // namespace holdfast::surface
