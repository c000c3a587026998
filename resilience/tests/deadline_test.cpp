#include "holdfast/resilience/deadline.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>

#include "support/manual_clock.hpp"
#include "support/seeds.hpp"

namespace holdfast::resilience {
namespace {

using namespace std::chrono_literals;
using testing::for_each_seed;
using testing::ManualClock;
using testing::random_between;

constexpr Duration kTick{1};

TEST(DeadlineTest, HasPassedAtItsInstantNotBefore) {
    const ManualClock clock;
    const auto deadline = Deadline::at(clock.now());

    EXPECT_FALSE(deadline.is_expired(clock.now() - kTick));
    EXPECT_TRUE(deadline.is_expired(clock.now()));
    EXPECT_TRUE(deadline.is_expired(clock.now() + kTick));
}

TEST(DeadlineTest, CountsDownToZeroAndStaysThere) {
    ManualClock clock;
    const auto deadline = Deadline::after(clock.now(), 3s);

    EXPECT_EQ(deadline.remaining(clock.now()), 3s);
    clock.advance(3s - kTick);
    EXPECT_EQ(deadline.remaining(clock.now()), kTick);
    clock.advance(kTick);
    EXPECT_EQ(deadline.remaining(clock.now()), 0s);
    clock.advance(1h);
    EXPECT_EQ(deadline.remaining(clock.now()), 0s);
}

TEST(DeadlineTest, NeverDoesNotExpire) {
    const ManualClock clock;
    const auto never = Deadline::never();

    EXPECT_TRUE(never.is_never());
    EXPECT_FALSE(never.is_expired(clock.now()));
    EXPECT_FALSE(never.is_expired(TimePoint::max() - kTick));
    EXPECT_EQ(never.remaining(clock.now()), Duration::max());
    EXPECT_EQ(never.remaining(TimePoint::min()), Duration::max());
}

TEST(DeadlineTest, ALimitBeyondTheRangeIsNever) {
    const ManualClock clock;

    EXPECT_TRUE(Deadline::after(clock.now(), Duration::max()).is_never());
    EXPECT_FALSE(Deadline::after(clock.now(), 1h).is_never());
}

TEST(DeadlineTest, ANegativeLimitHasExpired) {
    const ManualClock clock;

    const auto deadline = Deadline::after(clock.now(), -1s);

    EXPECT_TRUE(deadline.is_expired(clock.now()));
    EXPECT_EQ(deadline.remaining(clock.now()), 0s);
}

TEST(DeadlineTest, TighteningKeepsTheEarlierDeadline) {
    const ManualClock clock;
    const auto soon = Deadline::after(clock.now(), 2s);

    EXPECT_EQ(soon.tightened(clock.now(), 5s), soon);
    EXPECT_EQ(soon.tightened(clock.now(), 2s), soon);
    EXPECT_EQ(soon.tightened(clock.now(), 1s), Deadline::after(clock.now(), 1s));
    EXPECT_EQ(Deadline::never().tightened(clock.now(), 1s), Deadline::after(clock.now(), 1s));
    EXPECT_TRUE(Deadline::never().tightened(clock.now(), Duration::max()).is_never());
}

TEST(DeadlineTest, IsOrderedByItsInstant) {
    const ManualClock clock;
    const auto soon = Deadline::after(clock.now(), 1s);
    const auto late = Deadline::after(clock.now(), 2s);

    EXPECT_LT(soon, late);
    EXPECT_LT(late, Deadline::never());
    EXPECT_EQ(soon, Deadline::at(clock.now() + 1s));
}

TEST(DeadlineTest, RemainingTimeEndsAtItsInstant) {
    for_each_seed(1'000, [](std::mt19937_64& generator) {
        ManualClock clock;
        const Duration limit{random_between<Duration::rep>(generator, 0, 1'000)};
        const Duration tighter{random_between<Duration::rep>(generator, 0, 1'000)};
        const TimePoint start = clock.now();
        const auto deadline = Deadline::after(start, limit).tightened(start, tighter);

        for (int step = 0; step < 20; ++step) {
            const auto left = start + std::min(limit, tighter) - clock.now();
            ASSERT_EQ(deadline.is_expired(clock.now()), left <= 0ns);
            ASSERT_EQ(deadline.remaining(clock.now()), std::max<Duration>(left, 0ns));
            clock.advance(Duration{random_between<Duration::rep>(generator, 0, 100)});
        }
    });
}

}  // namespace
}  // namespace holdfast::resilience
