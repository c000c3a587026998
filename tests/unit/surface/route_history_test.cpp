#include "surface/route_history.hpp"

#include <gtest/gtest.h>

#include <string>

namespace holdfast::surface {
namespace {

TEST(RouteHistoryTest, ComparesWhatWasCalledWithWhatWasListed) {
    RouteHistory table{10};
    EXPECT_FALSE(table.totals().avg_precision);
    EXPECT_FALSE(table.on_called("ada", "a")) << "nothing was listed";

    EXPECT_TRUE(table.on_listed("ada", "words", {"a", "b", "c", "d"}, 1));
    EXPECT_FALSE(table.totals().avg_recall) << "nothing was called";
    EXPECT_EQ(table.on_called("ada", "b")->place, 2U);
    EXPECT_FALSE(table.on_called("ada", "b")) << "it counts once";
    EXPECT_DOUBLE_EQ(*table.totals().avg_precision, 0.25);
    EXPECT_DOUBLE_EQ(*table.totals().avg_recall, 1.0);
    EXPECT_EQ(table.on_called("ada", "x")->place, 0U);
    EXPECT_DOUBLE_EQ(*table.totals().avg_recall, 0.5);

    EXPECT_TRUE(table.on_listed("ada", "words", {"x"}, 0));
    EXPECT_DOUBLE_EQ(*table.totals().avg_recall, 0.5);
    const auto called = table.on_called("ada", "x");
    EXPECT_EQ(called->listed, 1U);
    EXPECT_EQ(called->query, "words");
    EXPECT_DOUBLE_EQ(*table.totals().avg_precision, (0.25 + 1.0) / 2);
    EXPECT_DOUBLE_EQ(*table.totals().avg_recall, 0.75);
    EXPECT_EQ(table.totals().predictions, 2U);
    EXPECT_EQ(table.totals().fallbacks, 1U);
}

TEST(RouteHistoryTest, KnowsWhatAnAgentHasSeenOfItsLists) {
    RouteHistory table{10};
    table.on_shown("ada");
    table.on_listed("ada", "words", {"a"}, 0);
    EXPECT_FALSE(table.was_shown("ada", "a"));

    table.on_shown("ada");
    table.on_listed("ada", "other words", {"b"}, 0);

    EXPECT_TRUE(table.was_shown("ada", "a"));
    EXPECT_FALSE(table.was_shown("ada", "b"));
    EXPECT_FALSE(table.was_shown("bob", "a"));
}

TEST(RouteHistoryTest, KeepsAgentsApart) {
    RouteHistory table{10};
    table.on_listed("ada", "words", {"a"}, 0);
    table.on_listed("bob", "words", {"b"}, 2);
    table.on_called("bob", "a");

    EXPECT_EQ(table.listed_for("ada"), std::vector<std::string>{"a"});
    EXPECT_EQ(table.listed_for("eve"), std::nullopt);
    EXPECT_FALSE(table.totals_of("ada").avg_recall);
    EXPECT_DOUBLE_EQ(*table.totals_of("bob").avg_recall, 0.0);
    EXPECT_EQ(table.totals_of("bob").fallbacks, 2U);
    EXPECT_EQ(table.totals_of("eve").predictions, 0U);
}

TEST(RouteHistoryTest, ForgetsTheAgentThatWasAwayLongest) {
    RouteHistory table{2};
    table.on_listed("ada", "words", {"a"}, 0);
    table.on_listed("bob", "words", {"b"}, 0);
    EXPECT_FALSE(table.on_listed("ada", "words", {"a"}, 0)) << "the same list";
    table.on_listed("eve", "words", {"e"}, 0);

    EXPECT_EQ(table.agent_count(), 2U);
    EXPECT_EQ(table.listed_for("bob"), std::nullopt);
    EXPECT_TRUE(table.listed_for("ada").has_value());
    EXPECT_EQ(table.totals().predictions, 4U) << "what was counted stays counted";
}

}  // namespace
}  // namespace holdfast::surface
