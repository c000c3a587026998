#include "search/ranking.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "holdfast/resilience/expect.hpp"

namespace holdfast::search {
namespace {

/// Keeps the best `count` tools, best first. Equal scores are ordered by id, so that the order does
/// not depend on the history of the index.
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

/// The scores of each tool for one passage.
struct PassageScores {
    KeywordScores keywords = {};
    std::vector<float> nearness = {};
    std::vector<float> fit = {};  ///< Words and meaning combined.
};

/// The best keyword match is scaled by the share of the passage that it covers: otherwise a single
/// common word would weigh as much as a full match.
PassageScores scores_of(const ToolIndex& index, const Passage& passage, const Embedding& embedding,
                        const FusionOptions& options) {
    PassageScores result{.keywords = index.keyword_scores(passage.terms),
                         .nearness = index.nearness(embedding)};
    const float scale = result.keywords.best > 0.0F ? 1.0F / result.keywords.best : 0.0F;
    result.fit.reserve(index.size());
    for (std::size_t position = 0; position < index.size(); ++position) {
        const float words = result.keywords.scores[position] * scale *
                            std::sqrt(result.keywords.coverage[position]);
        result.fit.push_back(words + options.nearness * result.nearness[position]);
    }
    return result;
}

/// Returns for each tool the score of the best tool of its server over all passages: a query that
/// needs one tool of a server often needs another one too.
std::vector<float> support_of_servers(const ToolIndex& index,
                                      const std::vector<PassageScores>& passages) {
    const auto servers = index.servers();
    std::vector<float> best(index.server_count(), std::numeric_limits<float>::lowest());
    for (const PassageScores& passage : passages) {
        for (std::size_t position = 0; position < index.size(); ++position) {
            float& of_server = best[servers[position]];
            of_server = std::max(of_server, passage.fit[position]);
        }
    }
    std::vector<float> support;
    support.reserve(index.size());
    for (const std::uint32_t server : servers) {
        support.push_back(best[server]);
    }
    return support;
}

/// Ranks the tools for each passage and keeps the best rank of each tool.
class Fusion {
public:
    Fusion(const ToolIndex& index, const std::vector<PassageScores>& passages,
           const FusionOptions& options)
        : index_(index),
          whole_(passages.front().keywords),
          options_(options),
          support_(support_of_servers(index, passages)),
          best_(index.size(), kNotFound) {}

    /// Adds the first `count` tools for the passage.
    void add(const PassageScores& passage, std::size_t count) {
        std::vector<RankedTool> tools;
        for (std::size_t position = 0; position < index_.size(); ++position) {
            if (passage.keywords.scores[position] > 0.0F ||
                passage.nearness[position] >= options_.min_nearness) {
                tools.push_back(ranked(passage, position));
            }
        }
        keep_best(index_, tools, count);
        for (std::size_t rank = 0; rank < tools.size(); ++rank) {
            RankedTool& tool = tools[rank];
            tool.score -= options_.repetition_cost * std::log1p(static_cast<float>(rank));
            std::size_t& known = best_[tool.position];
            if (known == kNotFound) {
                known = found_.size();
                found_.push_back(tool);
            } else if (found_[known].score < tool.score) {
                found_[known] = tool;
            }
        }
    }

    std::vector<RankedTool> best(std::size_t count) && {
        keep_best(index_, found_, count);
        return std::move(found_);
    }

private:
    static constexpr std::size_t kNotFound = static_cast<std::size_t>(-1);

    [[nodiscard]] RankedTool ranked(const PassageScores& passage, std::size_t position) const {
        const float extra = options_.name_coverage * whole_.name_coverage[position] +
                            options_.server_support * support_[position];
        return {.position = position,
                .score = passage.fit[position] + extra,
                .keyword = passage.keywords.scores[position],
                .coverage = passage.keywords.coverage[position],
                .nearness = passage.nearness[position],
                .name_coverage = whole_.name_coverage[position],
                .server_support = support_[position]};
    }

    const ToolIndex& index_;
    const KeywordScores& whole_;
    const FusionOptions& options_;
    const std::vector<float> support_;
    std::vector<std::size_t> best_;  // the index of each tool in `found_`
    std::vector<RankedTool> found_;
};

}  // namespace

std::vector<RankedTool> keyword_ranking(const ToolIndex& index, const SearchQuery& query,
                                        std::size_t count) {
    std::vector<RankedTool> tools;
    if (query.empty()) {
        return tools;
    }
    const KeywordScores keywords = index.keyword_scores(query.passages.front().terms);
    for (std::size_t position = 0; position < index.size(); ++position) {
        if (keywords.scores[position] > 0.0F) {
            tools.push_back({.position = position,
                             .score = keywords.scores[position],
                             .keyword = keywords.scores[position],
                             .coverage = keywords.coverage[position],
                             .name_coverage = keywords.name_coverage[position]});
        }
    }
    keep_best(index, tools, count);
    return tools;
}

std::vector<RankedTool> hybrid_ranking(const ToolIndex& index, const SearchQuery& query,
                                       std::span<const Embedding> embeddings, std::size_t count,
                                       const FusionOptions& options) {
    HOLDFAST_EXPECT(embeddings.size() == query.passages.size());
    if (query.empty() || index.empty()) {
        return {};
    }
    std::vector<PassageScores> passages;
    passages.reserve(embeddings.size());
    for (std::size_t number = 0; number < embeddings.size(); ++number) {
        passages.push_back(scores_of(index, query.passages[number], embeddings[number], options));
    }
    Fusion fusion{index, passages, options};
    for (const PassageScores& passage : passages) {
        fusion.add(passage, count);
    }
    return std::move(fusion).best(count);
}

}  // namespace holdfast::search
