#include "telemetry/store/store_queue.hpp"

#include <gtest/gtest.h>

namespace holdfast::telemetry {
namespace {

telemetry::StoredItem item(std::size_t reason_bytes = 0) {
    auto event = std::make_shared<record::Event>();
    event->reason = std::string(reason_bytes, 'x');
    return {.event = std::move(event)};
}

TEST(StoreQueueTest, DropsAndCountsItemsWhenFull) {
    telemetry::StoreQueue queue{2, 1'000'000};

    EXPECT_TRUE(queue.try_put(item()));
    EXPECT_TRUE(queue.try_put(item()));
    EXPECT_FALSE(queue.try_put(item()));

    EXPECT_EQ(queue.count(), 2U);
    EXPECT_EQ(queue.dropped(), 1U);
}

TEST(StoreQueueTest, IsBoundedInBytesToo) {
    telemetry::StoreQueue queue{100, 10'000};

    EXPECT_TRUE(queue.try_put(item(6'000)));
    EXPECT_FALSE(queue.try_put(item(6'000)));
    EXPECT_TRUE(queue.try_put(item(100)));

    EXPECT_EQ(queue.dropped(), 1U);
}

TEST(StoreQueueTest, WhatIsTakenCountsUntilItIsReleased) {
    telemetry::StoreQueue queue{1, 1'000'000};
    EXPECT_TRUE(queue.try_put(item()));

    std::vector<telemetry::StoredItem> taken;
    queue.take_into(taken);
    EXPECT_EQ(taken.size(), 1U);
    EXPECT_FALSE(queue.try_put(item()));

    queue.release(taken);
    EXPECT_TRUE(queue.try_put(item()));
}

}  // namespace
}  // namespace holdfast::telemetry
