#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "search/tool_index.hpp"

namespace holdfast::search {

struct SimilarityOptions {
    /// Closeness that a tool needs to be named; 1 is that of two equal tools. Measured in decision
    /// record 0024.
    float min_closeness = 0.33F;
    std::size_t max_tools = 8;
    /// Tools that are compared in the other direction too, each of which takes a search.
    std::size_t max_candidates = 16;
};

/// The ids of tools of other servers that do the same job as the tool `id`, nearest first, by the
/// words of their names and descriptions. A tool without a description is near to none. Nothing if
/// the index does not have the tool.
///
/// The closeness of two tools is the product of two shares, both from 0 to 1 and the same in both
/// directions: of the words of a name that the other tool has (the lower of both), and of all words
/// by their rarity (the geometric mean of both).
[[nodiscard]] std::optional<std::vector<std::string>> similar_tools(
    const ToolIndex& index, std::string_view id, const SimilarityOptions& options = {});

}  // namespace holdfast::search
