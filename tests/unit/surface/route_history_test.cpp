#include "surface/route_history.hpp"

#include <gtest/gtest.h>

#include <string>

namespace holdfast::surface {
namespace {

TEST(RouteHistoryTest, ComparesWhatWasCalledWithWhatWasListed) {
    RouteHistory book{10};
    EXPECT_FALSE(book.totals().avg_precision);
    EXPECT_FALSE(book.on_called("ada", "a")) << "nothing was listed";

    EXPECT_TRUE(book.on_listed("ada", "words", {"a", "b", "c", "d"}, 1));
    EXPECT_FALSE(book.totals().avg_recall) << "nothing was called";
    EXPECT_EQ(book.on_called("ada", "b")->place, 2U);
    EXPECT_FALSE(book.on_called("ada", "b")) << "it counts once";
    EXPECT_DOUBLE_EQ(*book.totals().avg_precision, 0.25);
    EXPECT_DOUBLE_EQ(*book.totals().avg_recall, 1.0);
    EXPECT_EQ(book.on_called("ada", "x")->place, 0U);
    EXPECT_DOUBLE_EQ(*book.totals().avg_recall, 0.5);

    EXPECT_TRUE(book.on_listed("ada", "words", {"x"}, 0));
    EXPECT_DOUBLE_EQ(*book.totals().avg_recall, 0.5);
    const auto called = book.on_called("ada", "x");
    EXPECT_EQ(called->listed, 1U);
    EXPECT_EQ(called->query, "words");
    EXPECT_DOUBLE_EQ(*book.totals().avg_precision, (0.25 + 1.0) / 2);
    EXPECT_DOUBLE_EQ(*book.totals().avg_recall, 0.75);
    EXPECT_EQ(book.totals().predictions, 2U);
    EXPECT_EQ(book.totals().fallbacks, 1U);
}

TEST(RouteHistoryTest, KnowsWhatAnAgentHasSeenOfItsLists) {
    RouteHistory book{10};
    book.on_shown("ada");
    book.on_listed("ada", "words", {"a"}, 0);
    EXPECT_FALSE(book.was_shown("ada", "a"));

    book.on_shown("ada");
    book.on_listed("ada", "other words", {"b"}, 0);

    EXPECT_TRUE(book.was_shown("ada", "a"));
    EXPECT_FALSE(book.was_shown("ada", "b"));
    EXPECT_FALSE(book.was_shown("bob", "a"));
}

TEST(RouteHistoryTest, KeepsAgentsApart) {
    RouteHistory book{10};
    book.on_listed("ada", "words", {"a"}, 0);
    book.on_listed("bob", "words", {"b"}, 2);
    book.on_called("bob", "a");

    EXPECT_EQ(book.listed_for("ada"), std::vector<std::string>{"a"});
    EXPECT_EQ(book.listed_for("eve"), std::nullopt);
    EXPECT_FALSE(book.totals_of("ada").avg_recall);
    EXPECT_DOUBLE_EQ(*book.totals_of("bob").avg_recall, 0.0);
    EXPECT_EQ(book.totals_of("bob").fallbacks, 2U);
    EXPECT_EQ(book.totals_of("eve").predictions, 0U);
}

TEST(RouteHistoryTest, ForgetsTheAgentThatWasAwayLongest) {
    RouteHistory book{2};
    book.on_listed("ada", "words", {"a"}, 0);
    book.on_listed("bob", "words", {"b"}, 0);
    EXPECT_FALSE(book.on_listed("ada", "words", {"a"}, 0)) << "the same list";
    book.on_listed("eve", "words", {"e"}, 0);

    EXPECT_EQ(book.agent_count(), 2U);
    EXPECT_EQ(book.listed_for("bob"), std::nullopt);
    EXPECT_TRUE(book.listed_for("ada").has_value());
    EXPECT_EQ(book.totals().predictions, 4U) << "what was counted stays counted";
}

}  // namespace
}  // namespace holdfast::surface
