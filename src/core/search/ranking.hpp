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
    float keyword = 0.0F;         ///< BM25F for the passage that it serves best.
    float coverage = 0.0F;        ///< Which share of that passage it has, by rarity of the words.
    float nearness = 0.0F;        ///< Cosine of the meanings; 0 in a keyword search.
    float name_coverage = 0.0F;   ///< Which share of its name the query has.
    float server_support = 0.0F;  ///< How well the best tool of its server fits.
};

/// The weights of what makes up a score, see decision record 0020.
struct FusionOptions {
    float nearness = 2.5F;
    float name_coverage = 0.4F;
    float server_support = 1.0F;
    /// What each further tool for the same sentence loses, times the logarithm of its rank there:
    /// otherwise one sentence could fill the list, and the needs of the others would be unmet.
    float repetition_cost = 0.5F;
    /// Tools that share no word with the query and are not as near as this are not found at all.
    float min_nearness = 0.2F;
};

/// The tools that share a word with the query, best first, at most `count`.
[[nodiscard]] std::vector<RankedTool> keyword_ranking(const ToolIndex& index,
                                                      const SearchQuery& query, std::size_t count);

/// The tools that fit by their words and by their meaning together, best first, at most `count`.
/// `embeddings` has one for each passage of the query.
[[nodiscard]] std::vector<RankedTool> hybrid_ranking(const ToolIndex& index,
                                                     const SearchQuery& query,
                                                     std::span<const Embedding> embeddings,
                                                     std::size_t count,
                                                     const FusionOptions& options = {});

}  // namespace holdfast::search
