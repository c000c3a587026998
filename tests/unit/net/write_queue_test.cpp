#include "net/write_queue.hpp"

#include <gtest/gtest.h>

namespace holdfast::net {
namespace {

constexpr WriteQueueOptions kSmall{
    .max_messages = 2, .max_bytes = 10, .max_urgent_messages = 1, .max_urgent_bytes = 4};

TEST(WriteQueueTest, KeepsTheOrder) {
    WriteQueue queue{{}};
    EXPECT_TRUE(queue.try_push("1"));
    EXPECT_TRUE(queue.try_push("2"));

    EXPECT_EQ(queue.take(), "1");
    EXPECT_EQ(queue.take(), "2");
    EXPECT_EQ(queue.take(), std::nullopt);
}

TEST(WriteQueueTest, TakesUrgentMessagesFirstAndInTheirOrder) {
    WriteQueue queue{{}};
    EXPECT_TRUE(queue.try_push("1"));
    EXPECT_TRUE(queue.try_push_urgent("2"));
    EXPECT_TRUE(queue.try_push_urgent("3"));

    EXPECT_EQ(queue.take(), "2");
    EXPECT_EQ(queue.take(), "3");
    EXPECT_EQ(queue.take(), "1");
}

TEST(WriteQueueTest, RejectsMessagesAboveTheLimit) {
    WriteQueue queue{kSmall};
    EXPECT_TRUE(queue.try_push("1"));
    EXPECT_TRUE(queue.try_push("2"));

    EXPECT_EQ(queue.try_push("3").error().code, NetErrc::overloaded);
    EXPECT_EQ(queue.message_count(), 2U);
}

TEST(WriteQueueTest, RejectsBytesAboveTheLimit) {
    WriteQueue queue{kSmall};
    EXPECT_TRUE(queue.try_push("123456"));

    EXPECT_EQ(queue.try_push("12345").error().code, NetErrc::overloaded);
    EXPECT_TRUE(queue.try_push("1234"));
    EXPECT_EQ(queue.size_bytes(), 10U);
}

TEST(WriteQueueTest, ReportsAMessageThatCanNeverFit) {
    WriteQueue queue{kSmall};

    EXPECT_EQ(queue.try_push("12345678901").error().code, NetErrc::too_large);
}

TEST(WriteQueueTest, AcceptsUrgentMessagesWhenFull) {
    WriteQueue queue{kSmall};
    EXPECT_TRUE(queue.try_push("12345"));
    EXPECT_TRUE(queue.try_push("12345"));

    EXPECT_TRUE(queue.try_push_urgent("c"));
    EXPECT_EQ(queue.try_push_urgent("d").error().code, NetErrc::overloaded);
}

TEST(WriteQueueTest, AcceptsMessagesAfterTakingAndClearing) {
    WriteQueue queue{kSmall};
    EXPECT_TRUE(queue.try_push("1234567890"));
    EXPECT_EQ(queue.take(), "1234567890");
    EXPECT_TRUE(queue.try_push("1234567890"));

    queue.clear();

    EXPECT_TRUE(queue.is_empty());
    EXPECT_EQ(queue.size_bytes(), 0U);
    EXPECT_TRUE(queue.try_push("1234567890"));
}

TEST(WriteQueueTest, TakesABatchInOrder) {
    WriteQueue queue{{}};
    ASSERT_TRUE(queue.try_push("1\n"));
    ASSERT_TRUE(queue.try_push("2\n"));
    ASSERT_TRUE(queue.try_push_urgent("3\n"));

    EXPECT_EQ(queue.take_batch(100), "3\n1\n2\n");
    EXPECT_EQ(queue.take_batch(100), std::nullopt);
    EXPECT_EQ(queue.size_bytes(), 0U);
}

TEST(WriteQueueTest, LimitsTheSizeOfABatch) {
    WriteQueue queue{{}};
    ASSERT_TRUE(queue.try_push("123456"));
    ASSERT_TRUE(queue.try_push("12"));
    ASSERT_TRUE(queue.try_push("12"));
    ASSERT_TRUE(queue.try_push("3"));

    EXPECT_EQ(queue.take_batch(4), "123456");
    EXPECT_EQ(queue.take_batch(4), "1212");
    EXPECT_EQ(queue.take_batch(4), "3");
}

}  // namespace
}  // namespace holdfast::net
