#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "search/fallback_chain.hpp"
#include "search/tool_document.hpp"
#include "surface/surface.hpp"

namespace holdfast::surface {

/// Returns all tools of a surface as search documents; their ids are the exposed names.
[[nodiscard]] std::vector<search::ToolDocument> documents_of(const Surface& surface);

/// Returns a tool as the search's fallback chain reads it. Refers to the tool.
[[nodiscard]] search::ListedTool listed_tool(const Callable& tool);
/// Returns the tools of a surface in this form, in order: all, or those of one server.
[[nodiscard]] std::vector<search::ListedTool> catalogue_of(const Surface& surface,
                                                           std::string_view server = {});

/// Returns a tool's own description for display to a model: on one line, without control
/// characters, and cut, because the text is untrusted.
[[nodiscard]] std::string shown_description(std::string_view definition, std::size_t max_bytes);

/// Returns an untrusted text on one line, without control characters, and cut.
[[nodiscard]] std::string shown_text(std::string_view text, std::size_t max_bytes);

}  // namespace holdfast::surface
