#include "holdfast/resilience/time.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <limits>

#include "support/seeds.hpp"

namespace holdfast::resilience {
namespace {

using testing::for_each_seed;
using testing::random_between;

// Wide enough that no sum or difference of two instants overflows.
__extension__ using Wide = __int128;

constexpr TimePoint kEpoch{};
constexpr Duration kTick{1};

constexpr TimePoint instant(Duration::rep ticks) {
    return TimePoint{Duration{ticks}};
}

Duration::rep any_count(std::mt19937_64& generator) {
    constexpr auto kLeast = std::numeric_limits<Duration::rep>::min();
    constexpr auto kMost = std::numeric_limits<Duration::rep>::max();
    constexpr std::array<Duration::rep, 9> kCorners{kLeast, kLeast + 1, kLeast / 2, -1,   0,
                                                    1,      kMost / 2,  kMost - 1,  kMost};
    if (testing::chance(generator, 0.5)) {
        return kCorners.at(random_between<std::size_t>(generator, 0, kCorners.size() - 1));
    }
    return random_between(generator, kLeast, kMost);
}

TEST(SaturatingAddTest, AddsWithinTheRangeAndStopsAtItsEnds) {
    struct Row {
        TimePoint from;
        Duration delay;
        TimePoint expected;
    };
    constexpr std::array<Row, 10> kRows{{
        {kEpoch, kTick, instant(1)},
        {kEpoch, -kTick, instant(-1)},
        {kEpoch, Duration::max(), TimePoint::max()},
        {kEpoch, Duration::min(), TimePoint::min()},
        {TimePoint::max(), Duration::zero(), TimePoint::max()},
        {TimePoint::max(), kTick, TimePoint::max()},
        {TimePoint::max() - kTick, kTick, TimePoint::max()},
        {TimePoint::min(), -kTick, TimePoint::min()},
        {TimePoint::min() + kTick, Duration::min(), TimePoint::min()},
        {TimePoint::max(), Duration::min(), instant(-1)},
    }};

    for (const Row& row : kRows) {
        EXPECT_EQ(saturating_add(row.from, row.delay), row.expected)
            << row.from.time_since_epoch().count() << " + " << row.delay.count();
    }
}

TEST(SaturatingAddTest, AgreesWithWideArithmetic) {
    for_each_seed(1'000, [](std::mt19937_64& generator) {
        for (int round = 0; round < 20; ++round) {
            const auto from = any_count(generator);
            const auto delay = any_count(generator);

            const TimePoint sum = saturating_add(instant(from), Duration{delay});

            const Wide exact = Wide{from} + Wide{delay};
            const Wide held =
                std::clamp<Wide>(exact, Duration::min().count(), Duration::max().count());
            ASSERT_EQ(sum, instant(static_cast<Duration::rep>(held))) << from << " + " << delay;
        }
    });
}

TEST(ElapsedBetweenTest, IsNeverNegativeAndNeverOverflows) {
    struct Row {
        TimePoint earlier;
        TimePoint later;
        Duration expected;
    };
    constexpr std::array<Row, 7> kRows{{
        {kEpoch, kEpoch, Duration::zero()},
        {kEpoch, instant(7), Duration{7}},
        {instant(7), kEpoch, Duration::zero()},
        {instant(-3), instant(4), Duration{7}},
        {TimePoint::min(), TimePoint::max(), Duration::max()},
        {instant(-1), TimePoint::max(), Duration::max()},
        {TimePoint::max(), TimePoint::min(), Duration::zero()},
    }};

    for (const Row& row : kRows) {
        EXPECT_EQ(elapsed_between(row.earlier, row.later), row.expected)
            << row.earlier.time_since_epoch().count() << " to "
            << row.later.time_since_epoch().count();
    }
}

TEST(ElapsedBetweenTest, AgreesWithWideArithmetic) {
    for_each_seed(1'000, [](std::mt19937_64& generator) {
        for (int round = 0; round < 20; ++round) {
            const auto earlier = any_count(generator);
            const auto later = any_count(generator);

            const Duration elapsed = elapsed_between(instant(earlier), instant(later));

            const Wide held =
                std::clamp<Wide>(Wide{later} - Wide{earlier}, 0, Duration::max().count());
            ASSERT_EQ(elapsed, Duration{static_cast<Duration::rep>(held)})
                << earlier << " to " << later;
        }
    });
}

TEST(SaturatingAddTest, CanBeUsedAtCompileTime) {
    static_assert(saturating_add(kEpoch, Duration{5}) == instant(5));
    static_assert(elapsed_between(kEpoch, instant(5)) == Duration{5});
}

}  // namespace
}  // namespace holdfast::resilience
