#include "search/similar_tools.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "search/search_query.hpp"

namespace holdfast::search {
namespace {

std::optional<std::size_t> position_of(const ToolIndex& index, std::string_view id) {
    for (std::size_t position = 0; position < index.size(); ++position) {
        if (index.document(position).id == id) {
            return position;
        }
    }
    return std::nullopt;
}

/// Scores all tools by the name and description of one tool. Returns no scores if it has no
/// description: a name alone is not enough.
KeywordScores scores_for(const ToolIndex& index, std::size_t position) {
    const ToolDocument& tool = index.document(position);
    const SearchQuery query = read_query(tool.description, {.max_sentences = 0});
    if (query.empty() || query.passages.front().terms.empty()) {
        return {};
    }
    const SearchQuery whole = read_query(tool.name + '\n' + tool.description, {.max_sentences = 0});
    return index.keyword_scores(whole.passages.front().terms);
}

struct Candidate {
    float closeness = 0.0F;
    std::size_t position = 0;
};

void sort_by_closeness(const ToolIndex& index, std::vector<Candidate>& tools) {
    std::ranges::sort(tools, [&index](const Candidate& one, const Candidate& other) {
        return one.closeness != other.closeness
                   ? one.closeness > other.closeness
                   : index.document(one.position).id < index.document(other.position).id;
    });
}

/// Returns the most promising tools of other servers that may be close enough. The comparison in
/// the other direction can only lower their closeness.
std::vector<Candidate> candidates(const ToolIndex& index, std::size_t position,
                                  const KeywordScores& forth, const SimilarityOptions& options) {
    const auto servers = index.servers();
    std::vector<Candidate> tools;
    for (std::size_t other = 0; other < index.size(); ++other) {
        const float at_most = forth.name_coverage[other] * std::sqrt(forth.coverage[other]);
        if (servers[other] != servers[position] && at_most >= options.min_closeness) {
            tools.push_back({.closeness = at_most, .position = other});
        }
    }
    sort_by_closeness(index, tools);
    tools.resize(std::min(tools.size(), options.max_candidates));
    return tools;
}

}  // namespace

std::optional<std::vector<std::string>> similar_tools(const ToolIndex& index, std::string_view id,
                                                      const SimilarityOptions& options) {
    const auto position = position_of(index, id);
    if (!position) {
        return std::nullopt;
    }
    const KeywordScores forth = scores_for(index, *position);
    if (forth.scores.empty()) {
        return std::vector<std::string>{};
    }
    std::vector<Candidate> near;
    for (const Candidate& candidate : candidates(index, *position, forth, options)) {
        const std::size_t other = candidate.position;
        const KeywordScores back = scores_for(index, other);
        if (back.scores.empty()) {
            continue;
        }
        const float name = std::min(forth.name_coverage[other], back.name_coverage[*position]);
        const float closeness = name * std::sqrt(forth.coverage[other] * back.coverage[*position]);
        if (closeness >= options.min_closeness) {
            near.push_back({.closeness = closeness, .position = other});
        }
    }
    sort_by_closeness(index, near);
    std::vector<std::string> ids;
    for (const Candidate& candidate : near) {
        if (ids.size() < options.max_tools) {
            ids.push_back(index.document(candidate.position).id);
        }
    }
    return ids;
}

}  // namespace holdfast::search
