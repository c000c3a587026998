#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::search {

/// A query of a test set. Any one of its tools meets a need.
struct JudgedQuery {
    std::string text = {};
    std::vector<std::set<std::string, std::less<>>> needs = {};
};

/// Standard measures of ranked lists, averaged over queries.
struct RankingMeasures {
    double recall_at_1 = 0.0;  ///< Share of the needs that the first tool meets.
    double recall_at_5 = 0.0;
    double recall_at_10 = 0.0;
    double ndcg_at_10 = 0.0;
    double mean_reciprocal_rank = 0.0;  ///< Of the first tool that meets any need.
};

/// Accumulates the measures of queries.
///
/// Thread-safety: none.
class RankingTally final {
public:
    /// `ranked` holds tool ids, best first. A query without needs is not counted.
    void add(const JudgedQuery& query, const std::vector<std::string_view>& ranked);

    [[nodiscard]] std::size_t query_count() const noexcept { return query_count_; }
    /// All 0 if nothing was added.
    [[nodiscard]] RankingMeasures means() const;

private:
    RankingMeasures sums_;
    std::size_t query_count_ = 0;
};

}  // namespace holdfast::search
