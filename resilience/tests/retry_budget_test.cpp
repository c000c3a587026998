#include "holdfast/resilience/retry_budget.hpp"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "support/manual_clock.hpp"

namespace holdfast::resilience {
namespace {

using namespace std::chrono_literals;
using testing::ManualClock;

constexpr RetryBudgetOptions kTenth{.ratio = 0.1, .window = 10s, .window_buckets = 10, .floor = 3};

class RetryBudgetTest : public ::testing::Test {
protected:
    void make_calls(RetryBudget& budget, int count) {
        for (int call = 0; call < count; ++call) {
            budget.on_call(clock_.now());
        }
    }

    /// Takes, spends and ends all available retries, up to `most`.
    std::uint32_t retry_up_to(RetryBudget& budget, std::uint32_t most) {
        for (std::uint32_t made = 0; made < most; ++made) {
            auto hold = budget.try_hold(clock_.now());
            if (!hold) {
                return made;
            }
            hold->spend(clock_.now());
        }
        return most;
    }

    ManualClock clock_;
};

TEST_F(RetryBudgetTest, AllowsTheLargerOfTheFloorAndTheShare) {
    struct Row {
        double ratio;
        std::uint32_t floor;
        int calls;
        std::uint32_t expected;
    };
    const std::vector<Row> rows{
        {0.1, 3, 0, 3},    {0.1, 3, 30, 3},    {0.1, 3, 39, 3}, {0.1, 3, 40, 4},
        {0.1, 3, 100, 10}, {0.29, 0, 100, 29}, {1.0, 0, 7, 7},  {0.0, 2, 1'000, 2},
        {0.1, 0, 9, 0},    {0.1, 0, 10, 1},    {0.7, 0, 10, 7}, {0.01, 0, 99, 0},
    };

    for (const Row& row : rows) {
        RetryBudget budget{{.ratio = row.ratio, .floor = row.floor}};
        make_calls(budget, row.calls);
        EXPECT_EQ(budget.available(clock_.now()), row.expected)
            << row.ratio << " of " << row.calls << " or " << row.floor;
        EXPECT_EQ(retry_up_to(budget, 1'000), row.expected);
    }
}

TEST_F(RetryBudgetTest, HoldsAreKeptDuringTheBackoff) {
    RetryBudget budget{kTenth};
    std::vector<RetryBudget::Hold> waiting;
    for (int call = 0; call < 10; ++call) {
        if (auto hold = budget.try_hold(clock_.now())) {
            waiting.push_back(std::move(*hold));
        }
    }

    ASSERT_EQ(waiting.size(), 3U);
    EXPECT_EQ(budget.available(clock_.now()), 0U);
    clock_.advance(1h);
    EXPECT_FALSE(budget.try_hold(clock_.now()).has_value());
}

TEST_F(RetryBudgetTest, AHoldThatIsDroppedUnspentCostsNothing) {
    RetryBudget budget{kTenth};

    for (int round = 0; round < 100; ++round) {
        ASSERT_TRUE(budget.try_hold(clock_.now()).has_value());
    }

    EXPECT_EQ(budget.available(clock_.now()), 3U);
}

TEST_F(RetryBudgetTest, ASpentHoldCountsUntilItLeavesTheWindow) {
    RetryBudget budget{kTenth};
    ASSERT_EQ(retry_up_to(budget, 10), 3U);

    EXPECT_EQ(budget.available(clock_.now()), 0U);
    clock_.advance(10s - 1ns);
    EXPECT_EQ(budget.available(clock_.now()), 0U);
    clock_.advance(1ns);
    EXPECT_EQ(budget.available(clock_.now()), 3U);
}

TEST_F(RetryBudgetTest, ARetryThatOutlivesTheWindowStillCounts) {
    RetryBudget budget{kTenth};
    std::vector<RetryBudget::Hold> running;
    for (int retry = 0; retry < 2; ++retry) {
        running.push_back(budget.try_hold(clock_.now()).value());
        running.back().spend(clock_.now());
    }
    clock_.advance(1h);

    EXPECT_EQ(budget.available(clock_.now()), 1U);
    running.pop_back();
    EXPECT_EQ(budget.available(clock_.now()), 2U);
    running.clear();
    EXPECT_EQ(budget.available(clock_.now()), 3U);
}

TEST_F(RetryBudgetTest, CallsThatLeaveTheWindowReduceTheBudget) {
    RetryBudget budget{kTenth};
    make_calls(budget, 100);
    ASSERT_EQ(budget.available(clock_.now()), 10U);

    clock_.advance(5s);
    make_calls(budget, 50);
    EXPECT_EQ(budget.available(clock_.now()), 15U);
    clock_.advance(5s);
    EXPECT_EQ(budget.available(clock_.now()), 5U);
    clock_.advance(5s);
    EXPECT_EQ(budget.available(clock_.now()), 3U);
}

TEST_F(RetryBudgetTest, DroppingTheHoldAtAnyStepLeavesNoTrace) {
    enum Step { kHeld, kSpent, kReleased, kEnd };
    for (int last = kHeld; last < kEnd; ++last) {
        RetryBudget budget{kTenth};
        {
            auto hold = budget.try_hold(clock_.now());
            ASSERT_TRUE(hold.has_value());
            if (last >= kSpent) {
                hold->spend(clock_.now());
            }
            if (last >= kReleased) {
                hold->release();
                hold->release();
            }
        }

        EXPECT_EQ(budget.available(clock_.now()), last == kHeld ? 3U : 2U);
        EXPECT_EQ(budget.available(clock_.now() + 10s), 3U);
    }
}

TEST_F(RetryBudgetTest, MovingAHoldKeepsOneHold) {
    RetryBudget budget{kTenth};
    auto first = budget.try_hold(clock_.now()).value();
    auto second = budget.try_hold(clock_.now()).value();
    ASSERT_EQ(budget.available(clock_.now()), 1U);

    auto moved = std::move(first);
    EXPECT_EQ(budget.available(clock_.now()), 1U);
    moved = std::move(second);
    EXPECT_EQ(budget.available(clock_.now()), 2U);
    moved.spend(clock_.now());
    auto again = std::move(moved);
    EXPECT_EQ(budget.available(clock_.now()), 2U);
    again.release();
    EXPECT_EQ(budget.available(clock_.now()), 2U);
    EXPECT_EQ(budget.available(clock_.now() + 10s), 3U);
}

TEST_F(RetryBudgetTest, ReadingChangesNothing) {
    RetryBudget budget{kTenth};
    make_calls(budget, 100);

    EXPECT_EQ(budget.available(clock_.now() + 1h), 3U);
    EXPECT_EQ(budget.available(clock_.now()), 10U);
}

TEST_F(RetryBudgetTest, LimitsTheLoadWhenEveryCallFails) {
    for (const int calls : {1, 10, 40, 1'000}) {
        RetryBudget budget{kTenth};
        int sent = 0;
        std::vector<RetryBudget::Hold> backing_off;
        for (int call = 0; call < calls; ++call) {
            budget.on_call(clock_.now());
            ++sent;
            // Every attempt of the call fails and requests another.
            for (int retry = 0; retry < 2; ++retry) {
                if (auto hold = budget.try_hold(clock_.now())) {
                    backing_off.push_back(std::move(*hold));
                }
            }
            clock_.advance(1ms);
        }
        for (auto& hold : backing_off) {
            hold.spend(clock_.now());
            ++sent;
        }

        EXPECT_LE(sent, calls * 1.1 + kTenth.floor) << calls;
        EXPECT_GE(sent, calls * 1.1 - 1.0) << calls;
        backing_off.clear();
        clock_.advance(1h);
    }
}

TEST_F(RetryBudgetTest, ReconfigureKeepsCountsAndHolds) {
    RetryBudget budget{kTenth};
    make_calls(budget, 100);
    auto waiting = budget.try_hold(clock_.now()).value();
    auto running = budget.try_hold(clock_.now()).value();
    running.spend(clock_.now());
    ASSERT_EQ(budget.available(clock_.now()), 8U);

    const RetryBudgetOptions fifth{.ratio = 0.2, .window = 20s, .window_buckets = 5, .floor = 1};
    budget.reconfigure(fifth, clock_.now());

    EXPECT_EQ(budget.options(), fifth);
    EXPECT_EQ(budget.available(clock_.now()), 18U);
    waiting.release();
    running.release();
    EXPECT_EQ(budget.available(clock_.now()), 19U);
    EXPECT_EQ(budget.available(clock_.now() + 15s), 19U);
    EXPECT_EQ(budget.available(clock_.now() + 20s), 1U);
}

TEST_F(RetryBudgetTest, ReconfigureDropsCountsOutsideAShorterWindow) {
    RetryBudget budget{kTenth};
    make_calls(budget, 100);
    clock_.advance(6s);
    make_calls(budget, 50);

    budget.reconfigure({.ratio = 0.1, .window = 4s, .window_buckets = 4, .floor = 0}, clock_.now());

    EXPECT_EQ(budget.available(clock_.now()), 5U);
    EXPECT_EQ(budget.available(clock_.now() + 4s), 0U);
}

TEST_F(RetryBudgetTest, ReconfigureToTheSameFiguresChangesNothing) {
    RetryBudget budget{kTenth};
    for (int second = 0; second < 10; ++second) {
        make_calls(budget, 10);
        ASSERT_EQ(retry_up_to(budget, 1), 1U);
        clock_.advance(1s);
    }
    const auto next_seconds = [&] {
        std::array<std::uint32_t, 12> available{};
        for (std::size_t second = 0; second < available.size(); ++second) {
            available.at(second) = budget.available(clock_.now() + second * 1s);
        }
        return available;
    };

    const auto before = next_seconds();
    budget.reconfigure(kTenth, clock_.now());
    const auto after = next_seconds();

    EXPECT_EQ(before, after);
}

TEST_F(RetryBudgetTest, ReconfigureToALowerLimitKeepsHolds) {
    RetryBudget budget{kTenth};
    std::vector<RetryBudget::Hold> holds;
    holds.reserve(3);
    for (int retry = 0; retry < 3; ++retry) {
        holds.push_back(budget.try_hold(clock_.now()).value());
    }

    budget.reconfigure({.ratio = 0.1, .floor = 1}, clock_.now());

    EXPECT_FALSE(budget.try_hold(clock_.now()).has_value());
    holds.pop_back();
    holds.pop_back();
    EXPECT_FALSE(budget.try_hold(clock_.now()).has_value());
    holds.pop_back();
    EXPECT_TRUE(budget.try_hold(clock_.now()).has_value());
}

using RetryBudgetDeathTest = RetryBudgetTest;

TEST_F(RetryBudgetDeathTest, MisuseAborts) {
    RetryBudget budget{kTenth};
    auto spent = budget.try_hold(clock_.now()).value();
    spent.spend(clock_.now());
    auto released = budget.try_hold(clock_.now()).value();
    released.release();

    EXPECT_DEATH(spent.spend(clock_.now()), "expectation failed: !spent_");
    EXPECT_DEATH(released.spend(clock_.now()), "expectation failed: budget_ != nullptr");
    EXPECT_DEATH(
        {
            auto short_lived = std::make_unique<RetryBudget>();
            auto outlives = short_lived->try_hold(clock_.now());
            short_lived.reset();
        },
        "expectation failed: waiting_ == 0");
    EXPECT_DEATH(RetryBudget({.ratio = 2.0}), "expectation failed");
}

}  // namespace
}  // namespace holdfast::resilience
