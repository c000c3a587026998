#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "search/embedding.hpp"
#include "search/search_query.hpp"
#include "search/tool_index.hpp"

namespace holdfast::search {

/// A tool that was found, and what its score is made of.
struct RankedTool {
    std::size_t position = 0;  ///< In the snapshot that was searched.
    float score = 0.0F;
    float keyword = 0.0F;   ///< BM25F.
    float coverage = 0.0F;  ///< Which share of the query the tool has, by rarity of the words.
    float nearness = 0.0F;  ///< Cosine of the meanings; 0 in a keyword search.
    float server_nearness = 0.0F;
};

/// The tools that share a word with the query, best first, at most `count`.
[[nodiscard]] std::vector<RankedTool> keyword_ranking(const ToolIndex& index,
                                                      const SearchQuery& query, std::size_t count);

}  // namespace holdfast::search
