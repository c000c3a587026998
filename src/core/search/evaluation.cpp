#include "search/evaluation.hpp"

#include <algorithm>
#include <cmath>

namespace holdfast::search {
namespace {

double discount(std::size_t rank) {
    return 1.0 / std::log2(2.0 + static_cast<double>(rank));
}

/// Returns the rank of the first tool that meets each need; needs that are not met are omitted.
std::vector<std::size_t> ranks_of_needs(const JudgedQuery& query,
                                        const std::vector<std::string_view>& ranked) {
    std::vector<std::size_t> ranks;
    for (const auto& need : query.needs) {
        const auto found = std::ranges::find_if(
            ranked, [&need](std::string_view id) { return need.contains(id); });
        if (found != ranked.end()) {
            ranks.push_back(static_cast<std::size_t>(found - ranked.begin()));
        }
    }
    return ranks;
}

double recall(const std::vector<std::size_t>& ranks, std::size_t depth, std::size_t need_count) {
    const auto met =
        std::ranges::count_if(ranks, [depth](std::size_t rank) { return rank < depth; });
    return static_cast<double>(met) / static_cast<double>(need_count);
}

/// A tool that meets several needs counts once.
double normalised_gain(const std::vector<std::size_t>& ranks, std::size_t need_count) {
    constexpr std::size_t kDepth = 10;
    double gain = 0.0;
    for (const std::size_t rank : std::set<std::size_t>{ranks.begin(), ranks.end()}) {
        gain += rank < kDepth ? discount(rank) : 0.0;
    }
    double ideal = 0.0;
    for (std::size_t rank = 0; rank < std::min(kDepth, need_count); ++rank) {
        ideal += discount(rank);
    }
    return gain / ideal;
}

}  // namespace

void RankingTally::add(const JudgedQuery& query, const std::vector<std::string_view>& ranked) {
    const std::size_t need_count = query.needs.size();
    if (need_count == 0) {
        return;
    }
    const std::vector<std::size_t> ranks = ranks_of_needs(query, ranked);
    ++query_count_;
    sums_.recall_at_1 += recall(ranks, 1, need_count);
    sums_.recall_at_5 += recall(ranks, 5, need_count);
    sums_.recall_at_10 += recall(ranks, 10, need_count);
    sums_.ndcg_at_10 += normalised_gain(ranks, need_count);
    if (!ranks.empty()) {
        sums_.mean_reciprocal_rank += 1.0 / (1.0 + static_cast<double>(std::ranges::min(ranks)));
    }
}

RankingMeasures RankingTally::means() const {
    if (query_count_ == 0) {
        return {};
    }
    const auto count = static_cast<double>(query_count_);
    return {.recall_at_1 = sums_.recall_at_1 / count,
            .recall_at_5 = sums_.recall_at_5 / count,
            .recall_at_10 = sums_.recall_at_10 / count,
            .ndcg_at_10 = sums_.ndcg_at_10 / count,
            .mean_reciprocal_rank = sums_.mean_reciprocal_rank / count};
}

}  // namespace holdfast::search
