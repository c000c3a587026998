#include "search/evaluation.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace holdfast::search {
namespace {

TEST(RankingTallyTest, ComputesTheShareOfMetNeeds) {
    RankingTally tally;
    tally.add({.text = "q", .needs = {{"a"}, {"b", "c"}}}, {"x", "c", "b", "y", "z", "a"});

    const RankingMeasures means = tally.means();

    EXPECT_DOUBLE_EQ(means.recall_at_1, 0.0);
    EXPECT_DOUBLE_EQ(means.recall_at_5, 0.5);
    EXPECT_DOUBLE_EQ(means.recall_at_10, 1.0);
    EXPECT_DOUBLE_EQ(means.mean_reciprocal_rank, 0.5);
    const double gain = 1 / std::log2(3.0) + 1 / std::log2(7.0);
    EXPECT_DOUBLE_EQ(means.ndcg_at_10, gain / (1.0 + 1 / std::log2(3.0)));
}

TEST(RankingTallyTest, CountsAToolForTwoNeedsOnce) {
    RankingTally tally;
    tally.add({.text = "q", .needs = {{"a"}, {"a"}}}, {"a"});

    EXPECT_DOUBLE_EQ(tally.means().recall_at_1, 1.0);
    EXPECT_DOUBLE_EQ(tally.means().ndcg_at_10, 1.0 / (1.0 + 1 / std::log2(3.0)));
}

TEST(RankingTallyTest, AveragesOverQueriesWithNeeds) {
    RankingTally tally;
    EXPECT_DOUBLE_EQ(tally.means().recall_at_5, 0.0);
    tally.add({.text = "q", .needs = {{"a"}}}, {"a"});
    tally.add({.text = "q", .needs = {{"a"}}}, {});
    tally.add({.text = "q"}, {"a"});

    EXPECT_EQ(tally.query_count(), 2U);
    EXPECT_DOUBLE_EQ(tally.means().recall_at_5, 0.5);
    EXPECT_DOUBLE_EQ(tally.means().mean_reciprocal_rank, 0.5);
}

}  // namespace
}  // namespace holdfast::search
