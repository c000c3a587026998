// Invariants of a circuit for any behaviour of callers, over many seeded schedules. Every test also
// checks that its schedules reached the situation that it tests.

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <random>

#include "support/circuit_checks.hpp"
#include "support/scheduled_callers.hpp"
#include "support/seeds.hpp"

namespace holdfast::resilience {
namespace {

using namespace std::chrono_literals;
using testing::for_each_seed;
using testing::GenerationCheck;
using testing::Health;
using testing::PermitCheck;
using testing::ProbeCheck;
using testing::ScheduledCallers;
using testing::WindowCheck;

constexpr std::uint64_t kSeeds = 1'000;
constexpr std::uint32_t kSteps = 200;

/// True unless a single seed was requested, which need not reach every situation.
bool runs_all_seeds() {
    return std::getenv("HOLDFAST_SEED") == nullptr;
}

TEST(InvariantTest, ProbesInFlightNeverExceedTheLimit) {
    std::uint32_t most_held = 0;
    for_each_seed(kSeeds, [&](std::mt19937_64& random) {
        ProbeCheck check;
        ScheduledCallers callers{random, {}, {&check}};
        callers.run(kSteps);
        callers.drain();
        most_held = std::max(most_held, check.most_held);
    });
    EXPECT_TRUE(most_held >= 3 || !runs_all_seeds());
}

TEST(InvariantTest, EveryPermitSettlesExactlyOnce) {
    std::uint32_t most_held = 0;
    for_each_seed(kSeeds, [&](std::mt19937_64& random) {
        PermitCheck check;
        ScheduledCallers callers{random, {}, {&check}};
        callers.run(kSteps);
        callers.drain();
        EXPECT_EQ(callers.world.circuit->permits_outstanding(), 0U);
        most_held = std::max(most_held, check.most_held);
    });
    EXPECT_TRUE(most_held >= 3 || !runs_all_seeds());
}

TEST(InvariantTest, AnOlderGenerationChangesNothing) {
    std::uint64_t old_results = 0;
    for_each_seed(kSeeds, [&](std::mt19937_64& random) {
        GenerationCheck check;
        ScheduledCallers callers{random, {}, {&check}};
        callers.run(kSteps);
        callers.drain();
        old_results += check.old_results;
    });
    EXPECT_TRUE(old_results >= kSeeds || !runs_all_seeds());
}

TEST(InvariantTest, NoStateIsStuck) {
    for_each_seed(kSeeds, [&](std::mt19937_64& random) {
        ScheduledCallers callers{random, {.operator_changes = true}, {}};
        callers.run(kSteps);
        callers.world.circuit->set_mode(CircuitMode::normal, callers.now());
        // A rate alone may need more calls than these few callers make in a window.
        CircuitBreakerOptions options = callers.world.circuit->options();
        options.failure_threshold = std::max(options.failure_threshold, 1U);
        callers.world.circuit->reconfigure(options, callers.now());
        callers.rules = {.operator_changes = false, .cancels = false};
        const auto reaches = [&](CircuitState state, Health health) {
            callers.rules.health = health;
            return callers.run_until(
                [&] { return callers.world.circuit->state(callers.now()) == state; }, 2min);
        };

        EXPECT_TRUE(reaches(CircuitState::closed, Health::good));
        EXPECT_TRUE(reaches(CircuitState::open, Health::dead));
        EXPECT_TRUE(reaches(CircuitState::half_open, Health::mixed));
        EXPECT_TRUE(reaches(CircuitState::open, Health::dead));
        EXPECT_TRUE(reaches(CircuitState::closed, Health::good));
    });
}

TEST(InvariantTest, WindowCountsEqualTheListOfEvents) {
    std::uint32_t most_counted = 0;
    for_each_seed(kSeeds, [&](std::mt19937_64& random) {
        WindowCheck check;
        ScheduledCallers callers{random, {}, {&check}};
        callers.run(kSteps);
        callers.drain();
        most_counted = std::max(most_counted, check.most_counted);
    });
    EXPECT_TRUE(most_counted >= 20 || !runs_all_seeds());
}

}  // namespace
}  // namespace holdfast::resilience
