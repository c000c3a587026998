#include "holdfast/resilience/detail/scaled_duration.hpp"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <limits>

#include "support/seeds.hpp"

namespace holdfast::resilience::detail {
namespace {

using namespace std::chrono_literals;
using testing::for_each_seed;
using testing::random_between;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr std::uint32_t kMostSteps = std::numeric_limits<std::uint32_t>::max();

TEST(ScaledDurationTest, RoundsAndStaysWithinZeroAndTheCap) {
    struct Row {
        Duration base;
        double factor;
        Duration cap;
        Duration expected;
    };
    const std::array<Row, 12> rows{{
        {100ns, 1.0, 1s, 100ns},
        {100ns, 0.254, 1s, 25ns},
        {100ns, 0.255001, 1s, 26ns},
        {100ns, 3.0, 200ns, 200ns},
        {100ns, 0.0, 1s, 0ns},
        {100ns, -1.0, 1s, 0ns},
        {100ns, kInfinity, 1s, 1s},
        {100ns, kNaN, 1s, 0ns},
        {0ns, kInfinity, 1s, 0ns},
        {-5ns, 2.0, 1s, 0ns},
        {Duration::max(), 3.0, Duration::max(), Duration::max()},
        {1h, 2.0, 0ns, 0ns},
    }};

    for (const Row& row : rows) {
        EXPECT_EQ(scaled_duration(row.base, row.factor, row.cap), row.expected)
            << row.base.count() << " * " << row.factor;
    }
}

TEST(ScaledDurationTest, NeverExceedsTheCapByRounding) {
    for_each_seed(1'000, [](std::mt19937_64& generator) {
        const Duration cap{random_between<Duration::rep>(generator, 0, Duration::max().count())};
        const Duration base{random_between<Duration::rep>(generator, 0, cap.count())};
        const double factor = std::uniform_real_distribution<double>{0.0, 4.0}(generator);

        const Duration scaled = scaled_duration(base, factor, cap);

        ASSERT_GE(scaled, 0ns);
        ASSERT_LE(scaled, cap);
    });
}

TEST(GrownDurationTest, GrowsToTheCapForAnyNumberOfSteps) {
    struct Row {
        Duration base;
        double factor;
        std::uint32_t steps;
        Duration cap;
        Duration expected;
    };
    const std::array<Row, 11> rows{{
        {10ms, 2.0, 0, 1s, 10ms},
        {10ms, 2.0, 1, 1s, 20ms},
        {10ms, 2.0, 6, 1s, 640ms},
        {10ms, 2.0, 7, 1s, 1s},
        {10ms, 2.0, kMostSteps, 1s, 1s},
        {10ms, 1.0, kMostSteps, 1s, 10ms},
        {0ms, 2.0, kMostSteps, 1s, 0ms},
        {1ns, 1e6, kMostSteps, Duration::max(), Duration::max()},
        {10ms, 2.0, 0, 5ms, 5ms},
        {Duration::max(), 2.0, 0, Duration::max(), Duration::max()},
        {-5ms, 2.0, 0, 1s, 0ms},
    }};

    for (const Row& row : rows) {
        EXPECT_EQ(grown_duration(row.base, row.factor, row.steps, row.cap), row.expected)
            << row.base.count() << " * " << row.factor << "^" << row.steps;
    }
}

}  // namespace
}  // namespace holdfast::resilience::detail
