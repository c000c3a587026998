#include "search/ranking.hpp"

#include <algorithm>

namespace holdfast::search {
namespace {

/// Keeps the best `count`; equal scores go by id, so that the order does not depend on the history
/// of the index.
void keep_best(const ToolIndex& index, std::vector<RankedTool>& tools, std::size_t count) {
    const auto is_before = [&index](const RankedTool& one, const RankedTool& other) {
        if (one.score != other.score) {
            return one.score > other.score;
        }
        return index.document(one.position).id < index.document(other.position).id;
    };
    const auto kept = static_cast<std::ptrdiff_t>(std::min(count, tools.size()));
    std::partial_sort(tools.begin(), tools.begin() + kept, tools.end(), is_before);
    tools.erase(tools.begin() + kept, tools.end());
}

}  // namespace

std::vector<RankedTool> keyword_ranking(const ToolIndex& index, const SearchQuery& query,
                                        std::size_t count) {
    const KeywordScores keywords = index.keyword_scores(query.terms);
    std::vector<RankedTool> tools;
    for (std::size_t position = 0; position < index.size(); ++position) {
        if (keywords.scores[position] > 0.0F) {
            tools.push_back({.position = position,
                             .score = keywords.scores[position],
                             .keyword = keywords.scores[position],
                             .coverage = keywords.coverage[position]});
        }
    }
    keep_best(index, tools, count);
    return tools;
}

}  // namespace holdfast::search
