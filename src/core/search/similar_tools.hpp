#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "search/tool_index.hpp"

namespace holdfast::search {

struct SimilarityOptions {
    /// Minimum closeness of a suggested tool; 1 is that of two equal tools. Measured in decision
    /// record 0024.
    float min_closeness = 0.33F;
    std::size_t max_tools = 8;
    /// The number of tools that are compared in the other direction too; each costs a search.
    std::size_t max_candidates = 16;
};

/// Returns the ids of tools of other servers that do the same job as the tool `id`, nearest first,
/// judged by the words of their names and descriptions. A tool without a description is similar to
/// none. Nothing if the tool is not in the index.
///
/// The closeness of two tools is symmetric: the product of two shares from 0 to 1. The first is the
/// share of the words of a name that the other tool has (the lower of both directions). The second
/// is the share of all words, weighted by rarity (the geometric mean of both directions).
[[nodiscard]] std::optional<std::vector<std::string>> similar_tools(
    const ToolIndex& index, std::string_view id, const SimilarityOptions& options = {});

}  // namespace holdfast::search
