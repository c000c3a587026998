#include "net/buffer_budget.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <utility>

#include "net/line_framer.hpp"
#include "net/sse_parser.hpp"

namespace holdfast::net {
namespace {

constexpr std::size_t kKilobyte = 1024;
constexpr std::size_t kBudget = 256 * kKilobyte;

TEST(BufferBudgetTest, DoesNotCountASmallBuffer) {
    BufferBudget budget{0};
    BufferShare share{&budget};

    EXPECT_TRUE(share.try_resize(64 * kKilobyte));
    EXPECT_EQ(budget.used_bytes(), 0U);
    EXPECT_FALSE(share.try_resize(64 * kKilobyte + 1));
}

TEST(BufferBudgetTest, RefusesABufferThatDoesNotFitNextToTheOthers) {
    BufferBudget budget{kBudget};
    BufferShare first{&budget};
    BufferShare second{&budget};

    EXPECT_TRUE(first.try_resize(200 * kKilobyte));
    EXPECT_FALSE(second.try_resize(100 * kKilobyte));
    EXPECT_EQ(budget.used_bytes(), 200 * kKilobyte);
    EXPECT_TRUE(first.try_resize(100 * kKilobyte));
    EXPECT_TRUE(second.try_resize(100 * kKilobyte));
    EXPECT_EQ(budget.used_bytes(), 200 * kKilobyte);
}

TEST(BufferBudgetTest, CountsABufferThatCannotBeRefused) {
    BufferBudget budget{kBudget};
    BufferShare answer{&budget};
    BufferShare body{&budget};

    answer.resize(1'000 * kKilobyte);

    EXPECT_EQ(budget.used_bytes(), 1'000 * kKilobyte);
    EXPECT_FALSE(body.try_resize(65 * kKilobyte));
    EXPECT_TRUE(answer.try_resize(900 * kKilobyte));  // it shrinks
}

TEST(BufferBudgetTest, GetsBackTheSharesOfBuffersThatAreGone) {
    BufferBudget budget{kBudget};
    {
        BufferShare one{&budget};
        ASSERT_TRUE(one.try_resize(kBudget));
        BufferShare other{std::move(one)};
        EXPECT_EQ(budget.used_bytes(), kBudget);
        other = BufferShare{&budget};
        EXPECT_EQ(budget.used_bytes(), 0U);
        ASSERT_TRUE(other.try_resize(kBudget));
    }

    EXPECT_EQ(budget.used_bytes(), 0U);
}

TEST(BufferBudgetTest, DropsALineThatDoesNotFit) {
    BufferBudget budget{100 * kKilobyte};
    LineFramer framer{{.max_message_bytes = 1'000 * kKilobyte, .buffers = &budget}};
    const std::string piece(60 * kKilobyte, 'x');

    framer.feed(piece);
    EXPECT_EQ(framer.next(), LineStep{NeedBytes{}});
    framer.feed(piece);
    EXPECT_EQ(framer.next(), LineStep{LineTooLong{.is_out_of_space = true}});
    framer.feed("the end of it\nnext\n");

    EXPECT_EQ(framer.next(), LineStep{LineMessage{"next"}});
    EXPECT_EQ(framer.next(), LineStep{NeedBytes{}});
    EXPECT_EQ(budget.used_bytes(), 0U);
}

TEST(BufferBudgetTest, DropsAnEventThatDoesNotFit) {
    BufferBudget budget{100 * kKilobyte};
    SseParser parser{{.buffers = &budget}};
    const std::string piece = "data: " + std::string(60 * kKilobyte, 'x') + "\n";

    parser.feed(piece);
    EXPECT_EQ(parser.next(), SseStep{SseNeedBytes{}});
    parser.feed(piece);
    EXPECT_EQ(parser.next(), SseStep{SseTooLong{.is_out_of_space = true}});
    EXPECT_EQ(parser.next(), SseStep{SseNeedBytes{}});
    parser.feed("\ndata: next\n\n");

    const SseStep step = parser.next();
    ASSERT_TRUE(std::holds_alternative<SseEvent>(step));
    EXPECT_EQ(std::get<SseEvent>(step).data, "next");
    EXPECT_EQ(budget.used_bytes(), 0U);
}

}  // namespace
}  // namespace holdfast::net
