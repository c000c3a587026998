#include "holdfast/resilience/queue_load.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <optional>

#include "support/manual_clock.hpp"

namespace holdfast::resilience {
namespace {

using namespace std::chrono_literals;
using testing::ManualClock;

class QueueLoadTest : public ::testing::Test {
protected:
    void leave_after(Duration gap) {
        clock_.advance(gap);
        load_.on_leave(clock_.now());
    }
    /// Fills the bulkhead and lets one round of its slots leave.
    void learn(Duration gap) {
        load_.on_full(clock_.now());
        for (int call = 0; call < kSlots; ++call) {
            leave_after(gap);
        }
    }
    void arrive(int calls = 1) {
        for (int call = 0; call < calls; ++call) {
            load_.on_arrival(Deadline::after(clock_.now(), 40s), clock_.now());
        }
    }
    [[nodiscard]] std::optional<Duration> time_to_free(std::uint64_t count) const {
        return load_.time_to_free(count, clock_.now());
    }

    static constexpr int kSlots = 4;
    ManualClock clock_;
    QueueLoad load_{kSlots};
};

TEST_F(QueueLoadTest, KnowsTheRateAfterOneRoundOfAllSlots) {
    load_.on_full(clock_.now());
    leave_after(2s);
    leave_after(2s);
    leave_after(2s);
    EXPECT_EQ(time_to_free(1), std::nullopt);

    leave_after(2s);

    EXPECT_EQ(time_to_free(1), 2s);
    EXPECT_EQ(time_to_free(10), 20s);
}

TEST_F(QueueLoadTest, LeavesIdleTimeOut) {
    learn(2s);
    load_.on_slack();
    clock_.advance(50s);
    load_.on_full(clock_.now());

    leave_after(2s);

    EXPECT_EQ(time_to_free(10), 20s);
}

TEST_F(QueueLoadTest, RecentGapsWeighMore) {
    learn(2s);
    for (int call = 0; call < 100; ++call) {
        leave_after(1s);
    }

    EXPECT_GT(*time_to_free(10), 10s);
    EXPECT_LT(*time_to_free(10), 11s);
}

TEST_F(QueueLoadTest, AGapThatHasNotEndedCountsOnceItIsTheLongest) {
    learn(1s);

    clock_.advance(1s);
    EXPECT_EQ(time_to_free(10), 10s);
    clock_.advance(30s);
    EXPECT_GT(*time_to_free(10), 60s);
}

TEST_F(QueueLoadTest, ALeaveWithoutItsTimeIsNotMeasured) {
    learn(2s);
    load_.on_leave(std::nullopt);
    clock_.advance(20s);
    load_.on_leave(clock_.now());

    EXPECT_EQ(time_to_free(10), 20s);
}

TEST_F(QueueLoadTest, ForgetsTheRateAfterAMinuteWithoutAMeasurement) {
    learn(2s);
    load_.on_slack();
    clock_.advance(QueueLoad::kForgetAfter);
    load_.on_full(clock_.now());
    EXPECT_EQ(time_to_free(1), 2s);
    load_.on_slack();
    clock_.advance(1ns);

    load_.on_full(clock_.now());

    EXPECT_EQ(time_to_free(1), std::nullopt);
}

TEST_F(QueueLoadTest, ANewNumberOfSlotsForgetsTheRate) {
    learn(2s);

    load_.resize(8);

    EXPECT_EQ(time_to_free(1), std::nullopt);
}

TEST_F(QueueLoadTest, AVeryLongTimeDoesNotOverflow) {
    learn(1h);

    EXPECT_EQ(time_to_free(1'000'000'000'000ULL), Duration::max());
}

TEST_F(QueueLoadTest, IsOverloadedAfterHalfADeadlineOfMoreArrivalsThanDepartures) {
    load_.on_full(clock_.now());
    arrive();
    for (int eighth = 1; eighth <= 4; ++eighth) {
        EXPECT_FALSE(load_.is_overloaded()) << eighth;
        arrive(2);
        leave_after(5s);
    }

    arrive();

    EXPECT_TRUE(load_.is_overloaded());
}

TEST_F(QueueLoadTest, ASingleBurstIsNotOverload) {
    load_.on_full(clock_.now());
    arrive(100);
    for (int second = 0; second < 100; ++second) {
        leave_after(1s);
        EXPECT_FALSE(load_.is_overloaded()) << second;
    }
}

TEST_F(QueueLoadTest, OverloadEndsWithAnEighthOfMoreDepartures) {
    load_.on_full(clock_.now());
    for (int eighth = 0; eighth <= 4; ++eighth) {
        arrive(3);
        leave_after(5s);
    }
    ASSERT_TRUE(load_.is_overloaded());

    leave_after(2s);
    leave_after(2s);
    leave_after(2s);

    EXPECT_FALSE(load_.is_overloaded());
}

TEST_F(QueueLoadTest, OverloadEndsWithAFreeSlot) {
    load_.on_full(clock_.now());
    for (int eighth = 0; eighth <= 4; ++eighth) {
        arrive(3);
        leave_after(5s);
    }
    ASSERT_TRUE(load_.is_overloaded());

    load_.on_slack();

    EXPECT_FALSE(load_.is_overloaded());
}

}  // namespace
}  // namespace holdfast::resilience
