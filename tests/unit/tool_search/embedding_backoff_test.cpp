#include "tool_search/embedding_backoff.hpp"

#include <gtest/gtest.h>

namespace holdfast::tool_search {
namespace {

using namespace std::chrono_literals;
using resilience::TimePoint;

class EmbeddingBackoffTest : public ::testing::Test {
protected:
    EmbeddingBackoff aside{{.base = 5s, .cap = 15s, .jitter = resilience::Jitter::none}};
    const EmbeddingBackoff::Tool one{.id = "one", .text = "about one"};
    const EmbeddingBackoff::Tool two{.id = "two", .text = "about two"};
    const TimePoint start{1h};
};

TEST_F(EmbeddingBackoffTest, AFailedTextIsSkippedAndNotBlamedUntilAnotherSucceeds) {
    aside.on_failed(one, start);

    EXPECT_TRUE(aside.holds(one, start + 1h));
    EXPECT_TRUE(aside.has_suspects());
    EXPECT_FALSE(aside.holds(two, start));
    EXPECT_EQ(aside.count_at_fault(), 0U);
    EXPECT_EQ(aside.next_due(), std::nullopt);
    aside.ask_again();
    EXPECT_FALSE(aside.holds(one, start));
}

TEST_F(EmbeddingBackoffTest, ATextAtFaultWaitsLongerEachTimeUpToTheLimit) {
    aside.on_failed(one, start);
    aside.on_proof(start);

    EXPECT_EQ(aside.count_at_fault(), 1U);
    EXPECT_FALSE(aside.has_suspects());
    EXPECT_EQ(aside.next_due(), start + 5s);
    EXPECT_TRUE(aside.holds(one, start + 4s));
    EXPECT_FALSE(aside.holds(one, start + 5s));
    EXPECT_TRUE(aside.is_at_fault(one));
    aside.on_failed(one, start);
    EXPECT_EQ(aside.next_due(), start + 10s);
    aside.on_failed(one, start);
    aside.on_failed(one, start);
    EXPECT_EQ(aside.next_due(), start + 15s);
    aside.on_embedded(one);
    EXPECT_EQ(aside.count_at_fault(), 0U);
}

TEST_F(EmbeddingBackoffTest, ARejectedTextIsNeverDueAndAChangedTextIsRetried) {
    aside.on_refused(one);

    EXPECT_TRUE(aside.holds(one, TimePoint::max()));
    EXPECT_EQ(aside.next_due(), std::nullopt);
    EXPECT_EQ(aside.count_at_fault(), 1U);
    EXPECT_FALSE(aside.holds({.id = "one", .text = "about something else"}, start));
}

TEST_F(EmbeddingBackoffTest, KeepsOnlyExistingToolsWithTheSameText) {
    aside.on_refused(one);
    aside.on_refused(two);

    aside.keep_only({one, {.id = "two", .text = "about another two"}});

    EXPECT_EQ(aside.size(), 1U);
    EXPECT_TRUE(aside.holds(one, start));
}

}  // namespace
}  // namespace holdfast::tool_search
