#include "holdfast/resilience/backoff.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "support/seeds.hpp"

namespace holdfast::resilience {
namespace {

using namespace std::chrono_literals;
using testing::for_each_seed;
using testing::random_between;

constexpr std::array kEveryJitter{Jitter::none, Jitter::proportional, Jitter::full,
                                  Jitter::decorrelated};

/// Always draws the same bits, to reach the ends of every range.
struct FixedGenerator {
    using result_type = std::uint64_t;
    static constexpr result_type min() { return 0; }
    static constexpr result_type max() { return std::numeric_limits<result_type>::max(); }
    result_type operator()() const { return bits; }

    result_type bits;
};

constexpr FixedGenerator kLowest{FixedGenerator::min()};
constexpr FixedGenerator kMiddle{FixedGenerator::max() / 2 + 1};
constexpr FixedGenerator kHighest{FixedGenerator::max()};

Duration draw(const BackoffOptions& options, std::uint32_t failed_attempts, Duration previous,
              FixedGenerator generator) {
    return Backoff{options}.delay(failed_attempts, previous, generator);
}

std::vector<std::uint32_t> attempts_worth_trying() {
    std::vector<std::uint32_t> attempts;
    for (std::uint32_t attempt = 1; attempt <= 100; ++attempt) {
        attempts.push_back(attempt);
    }
    for (const std::uint32_t large :
         {1'000U, 65'536U, 0x7fff'ffffU, 0x8000'0000U, 0x8000'0001U, 0xffff'fffeU, 0xffff'ffffU}) {
        attempts.push_back(large);
    }
    return attempts;
}

TEST(BackoffTest, GrowsFromTheBaseToTheCap) {
    const Backoff backoff{{.base = 50ms, .multiplier = 2.0, .cap = 2s}};
    const std::array<Duration, 8> expected{50ms, 100ms, 200ms, 400ms, 800ms, 1'600ms, 2s, 2s};

    for (std::uint32_t attempt = 1; attempt <= expected.size(); ++attempt) {
        EXPECT_EQ(backoff.computed(attempt), expected.at(attempt - 1)) << attempt;
    }
}

TEST(BackoffTest, StaysAtTheBaseWithAMultiplierOfOne) {
    const Backoff backoff{{.base = 70ms, .multiplier = 1.0, .cap = 1s}};

    for (const auto attempt : attempts_worth_trying()) {
        ASSERT_EQ(backoff.computed(attempt), 70ms) << attempt;
    }
}

TEST(BackoffTest, WithoutJitterDrawsNothing) {
    const Backoff backoff{{.jitter = Jitter::none}};
    std::mt19937_64 generator{1};
    const std::mt19937_64 untouched{1};

    EXPECT_EQ(backoff.delay(3, 0ms, generator), backoff.computed(3));
    EXPECT_EQ(generator, untouched);
}

TEST(BackoffTest, FullJitterRangesFromZeroToTheComputedDelay) {
    const BackoffOptions options{.base = 100ms, .cap = 10s, .jitter = Jitter::full};

    EXPECT_EQ(draw(options, 3, 0ms, kLowest), 0ms);
    EXPECT_EQ(draw(options, 3, 0ms, kMiddle), 200ms);
    EXPECT_EQ(draw(options, 3, 0ms, kHighest), 400ms);
}

TEST(BackoffTest, ProportionalJitterRangesAroundTheComputedDelay) {
    const BackoffOptions options{
        .base = 100ms, .cap = 10s, .jitter = Jitter::proportional, .jitter_ratio = 0.25};

    EXPECT_EQ(draw(options, 2, 0ms, kLowest), 150ms);
    EXPECT_EQ(draw(options, 2, 0ms, kMiddle), 200ms);
    EXPECT_EQ(draw(options, 2, 0ms, kHighest), 250ms);
}

TEST(BackoffTest, ProportionalJitterNeverPassesTheCap) {
    const BackoffOptions options{
        .base = 100ms, .cap = 400ms, .jitter = Jitter::proportional, .jitter_ratio = 0.5};

    EXPECT_EQ(draw(options, 9, 0ms, kLowest), 200ms);
    EXPECT_EQ(draw(options, 9, 0ms, kHighest), 400ms);
}

TEST(BackoffTest, DecorrelatedJitterRangesFromTheBaseToThreeTimesThePrevious) {
    const BackoffOptions options{.base = 100ms, .cap = 10s, .jitter = Jitter::decorrelated};
    struct Row {
        Duration previous;
        FixedGenerator generator;
        Duration expected;
    };
    const std::array<Row, 7> rows{{
        {0ms, kLowest, 100ms},
        {0ms, kHighest, 300ms},
        {100ms, kHighest, 300ms},
        {500ms, kLowest, 100ms},
        {500ms, kMiddle, 800ms},
        {500ms, kHighest, 1'500ms},
        {9s, kHighest, 10s},
    }};

    for (const Row& row : rows) {
        // The number of attempts does not matter.
        EXPECT_EQ(draw(options, 1, row.previous, row.generator), row.expected);
        EXPECT_EQ(draw(options, 50, row.previous, row.generator), row.expected);
    }
}

TEST(BackoffTest, StaysWithinZeroAndTheCapForAnyAttempt) {
    const std::array<Duration, 6> caps{
        0ns, 1ns, 2s, 24h * 365 * 200, Duration::max() - 1ns, Duration::max()};
    const std::array<FixedGenerator, 3> generators{kLowest, kMiddle, kHighest};
    const auto attempts = attempts_worth_trying();

    for (const Jitter jitter : kEveryJitter) {
        for (const Duration cap : caps) {
            for (const double multiplier : {1.0, 1.5, 2.0, 1e6}) {
                const Duration base = std::min<Duration>(cap, 50ms);
                const Backoff backoff{{.base = base,
                                       .multiplier = multiplier,
                                       .cap = cap,
                                       .jitter = jitter,
                                       .jitter_ratio = 1.0}};
                for (auto generator : generators) {
                    Duration previous = 0ns;
                    for (const auto attempt : attempts) {
                        previous = backoff.delay(attempt, previous, generator);
                        ASSERT_GE(previous, 0ns) << attempt;
                        ASSERT_LE(previous, cap) << attempt;
                    }
                }
            }
        }
    }
}

TEST(BackoffTest, AcceptsAnyPreviousDelay) {
    const Backoff backoff{{.base = 1s, .cap = Duration::max(), .jitter = Jitter::decorrelated}};

    for (const Duration previous :
         {Duration::min(), Duration{-1}, Duration::max() - 1ns, Duration::max()}) {
        for (auto generator : {kLowest, kMiddle, kHighest}) {
            const Duration delay = backoff.delay(1, previous, generator);
            EXPECT_GE(delay, 1s);
            EXPECT_LE(delay, Duration::max());
        }
    }
}

TEST(BackoffTest, ReachesTheCapAfterVeryManyAttempts) {
    const Backoff backoff{{.base = 1ns, .multiplier = 1.01, .cap = Duration::max()}};

    for (const std::uint32_t attempt : {10'000U, 0x8000'0000U, 0xffff'ffffU}) {
        EXPECT_EQ(backoff.computed(attempt), Duration::max()) << attempt;
    }
}

TEST(BackoffTest, AgreesWithRepeatedMultiplication) {
    for_each_seed(1'000, [](std::mt19937_64& generator) {
        const auto base = random_between<Duration::rep>(generator, 0, 1'000'000'000);
        const auto cap = random_between<Duration::rep>(generator, base, 100'000'000'000);
        const double multiplier = random_between(generator, 4, 16) / 4.0;
        const Backoff backoff{
            {.base = Duration{base}, .multiplier = multiplier, .cap = Duration{cap}}};

        auto expected = static_cast<double>(base);
        for (std::uint32_t attempt = 1; attempt <= 60; ++attempt) {
            const auto computed = static_cast<double>(backoff.computed(attempt).count());
            ASSERT_NEAR(computed, expected, 1.0 + expected * 1e-9) << attempt;
            expected = std::min(expected * multiplier, static_cast<double>(cap));
        }
    });
}

TEST(BackoffTest, JitterStaysWithinTheRangeOfItsKind) {
    for_each_seed(1'000, [](std::mt19937_64& generator) {
        const Duration base{random_between<Duration::rep>(generator, 0, 1'000'000)};
        const Duration cap{random_between<Duration::rep>(generator, base.count(), 50'000'000)};
        const double ratio = random_between(generator, 0, 100) / 100.0;
        for (const Jitter jitter : kEveryJitter) {
            const Backoff backoff{
                {.base = base, .cap = cap, .jitter = jitter, .jitter_ratio = ratio}};
            Duration previous = 0ns;
            for (std::uint32_t attempt = 1; attempt <= 12; ++attempt) {
                const auto computed = static_cast<double>(backoff.computed(attempt).count());
                const Duration delay = backoff.delay(attempt, previous, generator);
                const auto ticks = static_cast<double>(delay.count());

                if (jitter == Jitter::none) {
                    ASSERT_EQ(ticks, computed);
                } else if (jitter == Jitter::full) {
                    ASSERT_LE(ticks, computed);
                } else if (jitter == Jitter::proportional) {
                    ASSERT_GE(ticks, computed * (1.0 - ratio) - 1.0);
                    ASSERT_LE(ticks, computed * (1.0 + ratio) + 1.0);
                } else {
                    ASSERT_GE(delay, base);
                    ASSERT_LE(delay, 3 * std::max(previous, base));
                }
                ASSERT_GE(delay, 0ns);
                ASSERT_LE(delay, cap);
                previous = delay;
            }
        }
    });
}

TEST(BackoffTest, JitterSpreadsEvenlyOverItsRange) {
    constexpr int kDraws = 8'000;
    constexpr int kParts = 8;
    const Backoff backoff{{.base = 800ns, .cap = 1s, .jitter = Jitter::full}};
    std::mt19937_64 generator{42};
    std::array<int, kParts> hits{};

    for (int count = 0; count < kDraws; ++count) {
        const auto ticks = std::min<Duration::rep>(799, backoff.delay(1, 0ns, generator).count());
        ++hits.at(static_cast<std::size_t>(ticks / 100));
    }

    for (const int part : hits) {
        EXPECT_GT(part, 850);
        EXPECT_LT(part, 1'150);
    }
}

TEST(BackoffTest, AcceptsGeneratorsOfAnyWidth) {
    const Backoff backoff{{.base = 100ms, .cap = 1s}};
    std::minstd_rand narrow{3};
    Duration longest = 0ms;

    for (int count = 0; count < 100; ++count) {
        longest = std::max(longest, backoff.delay(1, 0ms, narrow));
    }

    EXPECT_GT(longest, 90ms);
    EXPECT_LE(longest, 100ms);
}

TEST(BackoffDeathTest, RejectsInvalidOptions) {
    EXPECT_DEATH(Backoff({.base = 2s, .cap = 1s}), "expectation failed");
}

}  // namespace
}  // namespace holdfast::resilience
