#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "search/embedding.hpp"
#include "search/search_query.hpp"
#include "search/tool_index.hpp"

namespace holdfast::search {

/// A found tool and the parts of its score.
struct RankedTool {
    std::size_t position = 0;  ///< In the searched snapshot.
    float score = 0.0F;
    float keyword = 0.0F;  ///< BM25F for the passage that it matches best.
    /// Share of that passage that the tool covers, weighted by rarity of the words.
    float coverage = 0.0F;
    float nearness = 0.0F;        ///< Cosine of the embeddings; 0 in a keyword search.
    float name_coverage = 0.0F;   ///< Share of the tool's name that the query covers.
    float server_support = 0.0F;  ///< Score of the best tool of its server.
};

/// The weights of the parts of a score, see decision record 0020.
struct FusionOptions {
    float nearness = 2.5F;
    float name_coverage = 0.4F;
    float server_support = 1.0F;
    /// Penalty for each further tool for the same sentence, times the logarithm of its rank there.
    /// Without it, one sentence could fill the list, and the needs of the others would not be met.
    float repetition_cost = 0.5F;
    /// Tools that share no word with the query and are less similar than this are not found.
    float min_nearness = 0.2F;
};

/// Returns the tools that share a word with the query, best first, at most `count`.
[[nodiscard]] std::vector<RankedTool> keyword_ranking(const ToolIndex& index,
                                                      const SearchQuery& query, std::size_t count);

/// Returns the tools that match by words and meaning combined, best first, at most `count`.
/// `embeddings` has one embedding for each passage of the query.
[[nodiscard]] std::vector<RankedTool> hybrid_ranking(const ToolIndex& index,
                                                     const SearchQuery& query,
                                                     std::span<const Embedding> embeddings,
                                                     std::size_t count,
                                                     const FusionOptions& options = {});

}  // namespace holdfast::search
