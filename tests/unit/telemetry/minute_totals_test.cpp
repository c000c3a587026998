#include "telemetry/store/minute_totals.hpp"

#include <gtest/gtest.h>

namespace holdfast::telemetry {
namespace {

constexpr std::int64_t kMinute = 60'000;

std::vector<telemetry::CallTotal> counts(std::uint64_t calls, std::uint64_t total_us = 0) {
    return {{.server = "s", .tool = "t", .outcome = "ok", .calls = calls, .total_us = total_us}};
}

TEST(MinuteTotalsTest, ReportsTheIncrementOfEachMinute) {
    telemetry::MinuteTotals totals{100};
    totals.on_counts(10 * kMinute + 1, counts(3, 30));
    totals.on_counts(10 * kMinute + 30'000, counts(5, 50));
    totals.on_counts(11 * kMinute, counts(6, 60));

    const auto waiting = totals.waiting();

    ASSERT_EQ(waiting.size(), 2U);
    EXPECT_EQ(waiting[0].minute_ms, 10 * kMinute);
    EXPECT_EQ(waiting[0].total.calls, 5U);
    EXPECT_EQ(waiting[0].total.total_us, 50U);
    EXPECT_EQ(waiting[1].minute_ms, 11 * kMinute);
    EXPECT_EQ(waiting[1].total.calls, 1U);
}

TEST(MinuteTotalsTest, DoesNotRepeatWrittenTotals) {
    telemetry::MinuteTotals totals{100};
    totals.on_counts(0, counts(3));
    totals.on_written();
    totals.on_counts(1, counts(3));
    EXPECT_TRUE(totals.is_empty());

    totals.on_counts(2, counts(4));

    EXPECT_EQ(totals.waiting().at(0).total.calls, 1U);
}

TEST(MinuteTotalsTest, MovesExcessCountsToALaterMinute) {
    telemetry::MinuteTotals totals{1};
    totals.on_counts(0, counts(3));
    totals.on_counts(kMinute, counts(5));
    EXPECT_EQ(totals.waiting().size(), 1U);

    totals.on_written();
    totals.on_counts(2 * kMinute, counts(6));

    EXPECT_EQ(totals.waiting().at(0).minute_ms, 2 * kMinute);
    EXPECT_EQ(totals.waiting().at(0).total.calls, 3U);
}

}  // namespace
}  // namespace holdfast::telemetry
