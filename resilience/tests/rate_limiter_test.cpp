#include "holdfast/resilience/rate_limiter.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <optional>
#include <tuple>
#include <vector>

#include "support/manual_clock.hpp"
#include "support/seeds.hpp"

namespace holdfast::resilience {
namespace {

using namespace std::chrono_literals;
using testing::chance;
using testing::for_each_seed;
using testing::ManualClock;
using testing::random_between;

constexpr Duration kTick{1};

/// A bucket that gains one tick of water per tick; a permit costs one interval of it.
class NaiveBucket {
public:
    NaiveBucket(const RateLimiterOptions& options, TimePoint now)
        : interval_(interval_of(options)),
          size_(interval_ * options.burst),
          level_(size_),
          seen_(now) {}

    std::optional<Duration> try_take(TimePoint now) {
        fill(now);
        if (level_ < interval_) {
            return interval_ - level_;
        }
        level_ -= interval_;
        return std::nullopt;
    }

    /// The missing water stays missing, measured in permits.
    void reconfigure(const RateLimiterOptions& options, TimePoint now) {
        fill(now);
        const double missing_permits =
            static_cast<double>((size_ - level_).count()) / static_cast<double>(interval_.count());
        interval_ = interval_of(options);
        size_ = interval_ * options.burst;
        const Duration missing{
            std::llround(missing_permits * static_cast<double>(interval_.count()))};
        level_ = std::max<Duration>(0ns, size_ - missing);
    }

    static Duration interval_of(const RateLimiterOptions& options) {
        Duration interval = options.per / options.permits;
        while (interval * options.permits < options.per) {
            interval += kTick;
        }
        return interval;
    }

private:
    void fill(TimePoint now) {
        level_ = std::min(size_, level_ + (now - seen_));
        seen_ = now;
    }

    Duration interval_;
    Duration size_;
    Duration level_;
    TimePoint seen_;
};

RateLimiterOptions some_options(std::mt19937_64& generator) {
    return {.permits = random_between<std::uint32_t>(generator, 1, 9),
            .per = Duration{random_between(generator, 1, 200)},
            .burst = random_between<std::uint32_t>(generator, 1, 6)};
}

int take_all(RateLimiter& limiter, TimePoint now) {
    constexpr int kFarTooMany = 10'000;
    int taken = 0;
    while (taken < kFarTooMany && !limiter.try_take(now)) {
        ++taken;
    }
    return taken;
}

TEST(RateLimiterTest, AllowsTheBurstThenTheSteadyRate) {
    ManualClock clock;
    RateLimiter limiter{{.permits = 10, .per = 1s, .burst = 3}};

    EXPECT_EQ(take_all(limiter, clock.now()), 3);
    EXPECT_EQ(limiter.try_take(clock.now()), 100ms);
    clock.advance(40ms);
    EXPECT_EQ(limiter.try_take(clock.now()), 60ms);
    clock.advance(60ms);
    EXPECT_EQ(take_all(limiter, clock.now()), 1);
    clock.advance(250ms);
    EXPECT_EQ(take_all(limiter, clock.now()), 2);
    EXPECT_EQ(limiter.try_take(clock.now()), 50ms);
}

TEST(RateLimiterTest, AllowsTheWholeBurstAgainAfterAPause) {
    ManualClock clock;
    RateLimiter limiter{{.permits = 10, .per = 1s, .burst = 5}};
    EXPECT_EQ(take_all(limiter, clock.now()), 5);

    clock.advance(500ms - kTick);
    EXPECT_EQ(take_all(limiter, clock.now()), 4);
    clock.advance(24h);
    EXPECT_EQ(take_all(limiter, clock.now()), 5);
}

TEST(RateLimiterTest, RoundsTheIntervalUpSoThatTheRateIsNotExceeded) {
    struct Row {
        std::uint32_t permits;
        Duration per;
        Duration interval;
    };
    const std::vector<Row> rows{
        {1, 1s, 1s},          {3, 1s, 333'333'334ns}, {7, 10ns, 2ns},
        {1'000'000, 1s, 1us}, {5, 1ns, 1ns},          {0xffff'ffff, 1s, 1ns},
    };

    for (const Row& row : rows) {
        const ManualClock clock;
        RateLimiter limiter{{.permits = row.permits, .per = row.per, .burst = 1}};
        ASSERT_EQ(limiter.try_take(clock.now()), std::nullopt);
        EXPECT_EQ(limiter.try_take(clock.now()), row.interval);
    }
}

TEST(RateLimiterTest, ARefusedTryCostsNothing) {
    ManualClock clock;
    RateLimiter limiter{{.permits = 10, .per = 1s, .burst = 1}};
    ASSERT_EQ(limiter.try_take(clock.now()), std::nullopt);

    for (int round = 0; round < 100; ++round) {
        ASSERT_EQ(limiter.try_take(clock.now()), 100ms);
    }

    clock.advance(100ms);
    EXPECT_EQ(limiter.try_take(clock.now()), std::nullopt);
}

TEST(RateLimiterTest, ReadingChangesNothing) {
    const ManualClock clock;
    RateLimiter limiter{{.permits = 10, .per = 1s, .burst = 1}};

    EXPECT_EQ(limiter.wait_at(clock.now() + 1h), std::nullopt);
    EXPECT_EQ(limiter.wait_at(clock.now()), std::nullopt);
    EXPECT_EQ(limiter.try_take(clock.now()), std::nullopt);
    EXPECT_EQ(limiter.wait_at(clock.now() + 30ms), 70ms);
    EXPECT_EQ(limiter.wait_at(clock.now()), 100ms);
}

TEST(RateLimiterTest, WorksAtTheEndsOfTime) {
    for (const TimePoint now : {TimePoint::min(), TimePoint::max()}) {
        RateLimiter limiter{{.permits = 1, .per = 1s, .burst = 1}};
        EXPECT_EQ(limiter.try_take(now), std::nullopt);
    }
}

TEST(RateLimiterTest, AgreesWithABucketOfWater) {
    for_each_seed(2'000, [](std::mt19937_64& generator) {
        ManualClock clock;
        const RateLimiterOptions options = some_options(generator);
        RateLimiter limiter{options};
        NaiveBucket model{options, clock.now()};
        for (int step = 0; step < 60; ++step) {
            clock.advance(Duration{random_between(generator, 0, 40)});
            if (chance(generator, 0.05)) {
                const RateLimiterOptions changed = some_options(generator);
                limiter.reconfigure(changed, clock.now());
                model.reconfigure(changed, clock.now());
            }

            const auto seen = limiter.wait_at(clock.now());
            const auto taken = limiter.try_take(clock.now());

            ASSERT_EQ(taken, model.try_take(clock.now()));
            ASSERT_EQ(seen, taken);
        }
    });
}

TEST(RateLimiterTest, TheWaitIsExact) {
    for_each_seed(1'000, [](std::mt19937_64& generator) {
        ManualClock clock;
        RateLimiter limiter{some_options(generator)};
        for (int round = 0; round < 20; ++round) {
            std::ignore = take_all(limiter, clock.now());
            clock.advance(Duration{random_between(generator, 0, 3)});
            const auto wait = limiter.wait_at(clock.now());
            if (!wait) {
                continue;
            }
            ASSERT_GT(*wait, 0ns);
            ASSERT_EQ(limiter.try_take(clock.now() + *wait - kTick), kTick);
            clock.advance(*wait);
            ASSERT_EQ(limiter.try_take(clock.now()), std::nullopt);
        }
    });
}

TEST(RateLimiterTest, NeverAllowsMoreThanTheBurstAndTheRateInAnyInterval) {
    for_each_seed(1'000, [](std::mt19937_64& generator) {
        ManualClock clock;
        const RateLimiterOptions options = some_options(generator);
        const Duration interval = NaiveBucket::interval_of(options);
        RateLimiter limiter{options};
        std::vector<TimePoint> given;
        for (int step = 0; step < 80; ++step) {
            clock.advance(Duration{random_between(generator, 0, 30)});
            if (!limiter.try_take(clock.now())) {
                given.push_back(clock.now());
            }
        }

        for (std::size_t first = 0; first < given.size(); ++first) {
            for (std::size_t last = first; last < given.size(); ++last) {
                const auto count = static_cast<std::int64_t>(last - first + 1);
                ASSERT_LE(count, options.burst + (given[last] - given[first]) / interval);
            }
        }
    });
}

TEST(RateLimiterTest, ReconfigureKeepsUsedPermits) {
    const ManualClock clock;
    RateLimiter limiter{{.permits = 10, .per = 1s, .burst = 10}};
    for (int taken = 0; taken < 4; ++taken) {
        ASSERT_EQ(limiter.try_take(clock.now()), std::nullopt);
    }

    const RateLimiterOptions slower{.permits = 1, .per = 1s, .burst = 6};
    limiter.reconfigure(slower, clock.now());

    EXPECT_EQ(limiter.options(), slower);
    EXPECT_EQ(take_all(limiter, clock.now()), 2);
    EXPECT_EQ(limiter.wait_at(clock.now()), 1s);
}

TEST(RateLimiterTest, ReconfigureToASmallerBurstWaitsForOneIntervalAtMost) {
    const ManualClock clock;
    RateLimiter limiter{{.permits = 10, .per = 1s, .burst = 100}};
    ASSERT_EQ(take_all(limiter, clock.now()), 100);

    limiter.reconfigure({.permits = 10, .per = 1s, .burst = 2}, clock.now());

    EXPECT_EQ(limiter.wait_at(clock.now()), 100ms);
}

TEST(RateLimiterTest, ReconfigureOfAnIdleLimiterAllowsTheWholeNewBurst) {
    const ManualClock clock;
    RateLimiter limiter{{.permits = 1, .per = 1s, .burst = 1}};

    limiter.reconfigure({.permits = 1, .per = 1s, .burst = 7}, clock.now());

    EXPECT_EQ(take_all(limiter, clock.now()), 7);
}

TEST(RateLimiterTest, ReconfigureToTheSameFiguresChangesNothing) {
    ManualClock clock;
    const RateLimiterOptions options{.permits = 10, .per = 1s, .burst = 1};
    RateLimiter limiter{options};
    ASSERT_EQ(limiter.try_take(clock.now()), std::nullopt);

    for (int reload = 0; reload < 10; ++reload) {
        clock.advance(10ms);
        limiter.reconfigure(options, clock.now());
    }

    EXPECT_EQ(limiter.try_take(clock.now()), std::nullopt);
}

TEST(RateLimiterDeathTest, RejectsInvalidOptions) {
    RateLimiter limiter;

    EXPECT_DEATH(RateLimiter({.permits = 0}), "expectation failed");
    EXPECT_DEATH(limiter.reconfigure({.burst = 0}, TimePoint{}), "expectation failed");
}

}  // namespace
}  // namespace holdfast::resilience
