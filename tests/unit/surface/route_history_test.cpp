#include "surface/route_history.hpp"

#include <gtest/gtest.h>

#include <string>

namespace holdfast::surface {
namespace {

TEST(RouteHistoryTest, ComparesWhatWasCalledWithWhatWasListed) {
    RouteHistory history{10};
    EXPECT_FALSE(history.totals().avg_precision);
    EXPECT_FALSE(history.on_called("ada", "a")) << "nothing was listed";

    EXPECT_TRUE(history.on_listed("ada", "words", {"a", "b", "c", "d"}, 1));
    EXPECT_FALSE(history.totals().avg_recall) << "nothing was called";
    EXPECT_EQ(history.on_called("ada", "b")->place, 2U);
    EXPECT_FALSE(history.on_called("ada", "b")) << "a tool counts once";
    EXPECT_DOUBLE_EQ(*history.totals().avg_precision, 0.25);
    EXPECT_DOUBLE_EQ(*history.totals().avg_recall, 1.0);
    EXPECT_EQ(history.on_called("ada", "x")->place, 0U);
    EXPECT_DOUBLE_EQ(*history.totals().avg_recall, 0.5);

    EXPECT_TRUE(history.on_listed("ada", "words", {"x"}, 0));
    EXPECT_DOUBLE_EQ(*history.totals().avg_recall, 0.5);
    const auto called = history.on_called("ada", "x");
    EXPECT_EQ(called->listed, 1U);
    EXPECT_EQ(called->query, "words");
    EXPECT_DOUBLE_EQ(*history.totals().avg_precision, (0.25 + 1.0) / 2);
    EXPECT_DOUBLE_EQ(*history.totals().avg_recall, 0.75);
    EXPECT_EQ(history.totals().predictions, 2U);
    EXPECT_EQ(history.totals().fallbacks, 1U);
}

TEST(RouteHistoryTest, RemembersTheListThatAnAgentReceived) {
    RouteHistory history{10};
    history.on_shown("ada");
    history.on_listed("ada", "words", {"a"}, 0);
    EXPECT_FALSE(history.was_shown("ada", "a"));

    history.on_shown("ada");
    history.on_listed("ada", "other words", {"b"}, 0);

    EXPECT_TRUE(history.was_shown("ada", "a"));
    EXPECT_FALSE(history.was_shown("ada", "b"));
    EXPECT_FALSE(history.was_shown("bob", "a"));
}

TEST(RouteHistoryTest, KeepsAgentsApart) {
    RouteHistory history{10};
    history.on_listed("ada", "words", {"a"}, 0);
    history.on_listed("bob", "words", {"b"}, 2);
    history.on_called("bob", "a");

    EXPECT_EQ(history.listed_for("ada"), std::vector<std::string>{"a"});
    EXPECT_EQ(history.listed_for("eve"), std::nullopt);
    EXPECT_DOUBLE_EQ(*history.totals().avg_recall, 0.0) << "the list of another agent";
    EXPECT_EQ(history.totals().fallbacks, 2U);
}

TEST(RouteHistoryTest, EvictsTheLeastRecentlyUsedAgent) {
    RouteHistory history{2};
    history.on_listed("ada", "words", {"a"}, 0);
    history.on_listed("bob", "words", {"b"}, 0);
    EXPECT_FALSE(history.on_listed("ada", "words", {"a"}, 0)) << "the same list";
    history.on_listed("eve", "words", {"e"}, 0);

    EXPECT_EQ(history.listed_for("bob"), std::nullopt);
    EXPECT_TRUE(history.listed_for("ada").has_value());
    EXPECT_EQ(history.totals().predictions, 4U) << "totals include evicted agents";
}

}  // namespace
}  // namespace holdfast::surface
