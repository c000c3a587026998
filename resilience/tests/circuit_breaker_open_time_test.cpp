#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <vector>

#include "holdfast/resilience/circuit_breaker.hpp"
#include "support/circuit_tools.hpp"
#include "support/manual_clock.hpp"

namespace holdfast::resilience {
namespace {

using namespace std::chrono_literals;
using testing::call;
using testing::call_times;
using testing::ManualClock;
using testing::plain_options;
using testing::trip;

CircuitBreakerOptions growing_options() {
    auto options = plain_options();
    options.open_growth = 2.0;
    options.max_open_for = 60s;
    return options;
}

Duration time_left(const CircuitBreaker& breaker, const ManualClock& clock) {
    return breaker.status(clock.now()).retry_after.value();
}

/// Lets the open time pass, fails the probe, and returns how long the circuit is open then.
Duration reopened_for(CircuitBreaker& breaker, ManualClock& clock) {
    clock.advance(time_left(breaker, clock));
    call(breaker, Outcome::failure, clock.now());
    return time_left(breaker, clock);
}

void close(CircuitBreaker& breaker, ManualClock& clock) {
    clock.advance(time_left(breaker, clock));
    call_times(breaker, breaker.options().successes_to_close, Outcome::success, clock.now());
}

TEST(CircuitBreakerOpenTimeTest, GrowsWithEachReopeningUpToTheCap) {
    ManualClock clock;
    CircuitBreaker breaker{growing_options()};
    trip(breaker, clock.now());

    EXPECT_EQ(time_left(breaker, clock), 10s);
    EXPECT_EQ(reopened_for(breaker, clock), 20s);
    EXPECT_EQ(reopened_for(breaker, clock), 40s);
    EXPECT_EQ(reopened_for(breaker, clock), 60s);
    for (int more = 0; more < 2'000; ++more) {
        ASSERT_EQ(reopened_for(breaker, clock), 60s);
    }
}

TEST(CircuitBreakerOpenTimeTest, KeepsGrowingIfItTripsBeforeAFullClosedWindow) {
    ManualClock clock;
    CircuitBreaker breaker{growing_options()};
    trip(breaker, clock.now());
    close(breaker, clock);

    clock.advance(30s - 1ns);
    trip(breaker, clock.now());

    EXPECT_EQ(time_left(breaker, clock), 20s);
}

TEST(CircuitBreakerOpenTimeTest, RestartsAfterAFullClosedWindow) {
    ManualClock clock;
    CircuitBreaker breaker{growing_options()};
    trip(breaker, clock.now());
    std::ignore = reopened_for(breaker, clock);
    close(breaker, clock);

    clock.advance(30s);
    trip(breaker, clock.now());

    EXPECT_EQ(time_left(breaker, clock), 10s);
}

TEST(CircuitBreakerOpenTimeTest, DoesNotRestartAfterALongHalfOpenPeriod) {
    ManualClock clock;
    CircuitBreaker breaker{growing_options()};
    trip(breaker, clock.now());
    clock.advance(10s);
    call(breaker, Outcome::success, clock.now());

    clock.advance(24h);
    call(breaker, Outcome::failure, clock.now());

    EXPECT_EQ(time_left(breaker, clock), 20s);
}

TEST(CircuitBreakerOpenTimeTest, RestartsAfterAReset) {
    ManualClock clock;
    CircuitBreaker breaker{growing_options()};
    trip(breaker, clock.now());
    std::ignore = reopened_for(breaker, clock);

    breaker.reset(clock.now());
    trip(breaker, clock.now());

    EXPECT_EQ(time_left(breaker, clock), 10s);
}

std::vector<Duration> open_times(std::uint64_t seed, double jitter, int count) {
    ManualClock clock;
    auto options = plain_options();
    options.open_jitter = jitter;
    CircuitBreaker breaker{options, {.name = "files", .observer = nullptr, .jitter_seed = seed}};
    trip(breaker, clock.now());
    std::vector<Duration> times{time_left(breaker, clock)};
    while (times.size() < static_cast<std::size_t>(count)) {
        times.push_back(reopened_for(breaker, clock));
    }
    return times;
}

TEST(CircuitBreakerOpenTimeTest, JitterOnlyShortensAndByNoMoreThanItsShare) {
    Duration shortest = Duration::max();
    Duration longest = Duration::zero();

    for (std::uint64_t seed = 0; seed < 50; ++seed) {
        for (const Duration open_for : open_times(seed, 0.5, 40)) {
            shortest = std::min(shortest, open_for);
            longest = std::max(longest, open_for);
        }
    }

    EXPECT_GE(shortest, 5s);
    EXPECT_LE(longest, 10s);
    EXPECT_LT(shortest, 5s + 100ms) << "the whole share is used";
    EXPECT_GT(longest, 10s - 100ms) << "the whole share is used";
}

TEST(CircuitBreakerOpenTimeTest, JitterIsRepeatableBySeedAndDiffersBetweenSeeds) {
    std::set<Duration> first_times;
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
        first_times.insert(open_times(seed, 0.5, 1).front());
    }

    EXPECT_EQ(open_times(7, 0.5, 20), open_times(7, 0.5, 20));
    EXPECT_EQ(first_times.size(), 100U);
}

TEST(CircuitBreakerOpenTimeTest, JitterDiffersFromOneOpeningToTheNext) {
    const auto times = open_times(7, 0.5, 20);

    EXPECT_EQ(std::set<Duration>(times.begin(), times.end()).size(), 20U);
}

TEST(CircuitBreakerOpenTimeTest, JitterNeverExceedsTheCap) {
    ManualClock clock;
    auto options = growing_options();
    options.open_jitter = 0.25;
    CircuitBreaker breaker{options};
    trip(breaker, clock.now());

    for (int opening = 0; opening < 200; ++opening) {
        const Duration open_for = reopened_for(breaker, clock);
        ASSERT_LE(open_for, 60s);
        ASSERT_GE(open_for, opening < 2 ? 15s : 45s);
    }
}

}  // namespace
}  // namespace holdfast::resilience
