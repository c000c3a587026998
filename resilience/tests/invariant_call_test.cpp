// Invariants of calls, queue and budget for any behaviour of callers, over many seeded schedules.
// Every test also checks that its schedules reached the situation that it tests.

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <random>

#include "support/call_checks.hpp"
#include "support/circuit_checks.hpp"
#include "support/scheduled_callers.hpp"
#include "support/seeds.hpp"

namespace holdfast::resilience {
namespace {

using namespace std::chrono_literals;
using testing::BudgetCheck;
using testing::chance;
using testing::DeadlineCheck;
using testing::DelayCheck;
using testing::EndingCheck;
using testing::for_each_seed;
using testing::GenerationCheck;
using testing::Health;
using testing::PermitCheck;
using testing::ProbeCheck;
using testing::QueueCheck;
using testing::random_between;
using testing::ScheduledCallers;
using testing::WindowCheck;

constexpr std::uint64_t kSeeds = 1'000;
constexpr std::uint32_t kSteps = 200;

/// True unless a single seed was requested, which need not reach every situation.
bool runs_all_seeds() {
    return std::getenv("HOLDFAST_SEED") == nullptr;
}

TEST(InvariantTest, AttemptsAndLoadStayWithinTheBudget) {
    std::uint64_t refused = 0;
    for_each_seed(kSeeds, [&](std::mt19937_64& random) {
        BudgetCheck check;
        ScheduledCallers callers{random, {}, {&check}};
        callers.run(kSteps);
        callers.drain();
        refused += check.refused;
    });
    EXPECT_TRUE(refused >= kSeeds || !runs_all_seeds());
}

TEST(InvariantTest, TotalLoadOnADeadDownstreamStaysWithinTheBudget) {
    std::uint64_t retries = 0;
    for_each_seed(kSeeds, [&](std::mt19937_64& random) {
        BudgetCheck check;
        PipelineSetup setup = testing::random_setup(random);
        setup.budget->window = 24h;
        // The circuit would reject most of the load.
        setup.circuit->failure_threshold = 1'000'000;
        setup.circuit->failure_rate = std::nullopt;
        setup.circuit->slow_calls = std::nullopt;
        ScheduledCallers callers{
            random, {.cancels = chance(random, 0.5), .health = Health::dead}, {&check}, setup};
        callers.run(kSteps);
        callers.drain();

        const auto calls = static_cast<double>(check.calls_sent);
        const double limit = calls * (1.0 + setup.budget->ratio) + setup.budget->floor;
        EXPECT_LE(static_cast<double>(check.calls_sent + check.retries_sent), limit);
        retries += check.retries_sent;
    });
    EXPECT_TRUE(retries >= kSeeds || !runs_all_seeds());
}

TEST(InvariantTest, NoAttemptStartsAfterTheDeadline) {
    std::uint64_t timeouts = 0;
    for_each_seed(kSeeds, [&](std::mt19937_64& random) {
        DeadlineCheck check;
        ScheduledCallers callers{random, {}, {&check}};
        callers.run(kSteps);
        callers.drain();
        timeouts += check.timeouts;
    });
    EXPECT_TRUE(timeouts >= kSeeds || !runs_all_seeds());
}

TEST(InvariantTest, DelaysStayWithinTheCap) {
    std::uint64_t delays = 0;
    for_each_seed(kSeeds, [&](std::mt19937_64& random) {
        DelayCheck check;
        ScheduledCallers callers{random, {}, {&check}};
        callers.run(kSteps);
        callers.drain();
        delays += check.delays;
    });
    EXPECT_TRUE(delays >= kSeeds || !runs_all_seeds());
}

TEST(InvariantTest, DelaysStayWithinTheCapAfterAnyNumberOfAttempts) {
    for_each_seed(kSeeds, [&](std::mt19937_64& random) {
        BackoffOptions options = testing::random_backoff_options(random);
        if (chance(random, 0.3)) {
            options.cap = Duration::max();
        }
        const Backoff backoff{options};
        for (int round = 0; round < 20; ++round) {
            const auto attempts =
                chance(random, 0.5)
                    ? random_between<std::uint32_t>(random, 0x7fff'fff0, 0xffff'ffff)
                    : std::uint32_t{1} << random_between(random, 0, 31);
            const Duration previous{random_between<Duration::rep>(random, 0, options.cap.count())};

            const Duration delay = backoff.delay(attempts, previous, random);

            ASSERT_GE(delay, Duration::zero());
            ASSERT_LE(delay, options.cap);
        }
    });
}

TEST(InvariantTest, NoWaiterIsLost) {
    std::uint64_t queued = 0;
    for_each_seed(kSeeds, [&](std::mt19937_64& random) {
        QueueCheck check;
        ScheduledCallers callers{random, {}, {&check}};
        callers.run(kSteps);
        callers.drain();
        EXPECT_EQ(callers.world.bulkhead->in_flight(), 0U);
        EXPECT_EQ(callers.world.bulkhead->queued(), 0U);
        queued += check.queued_calls;
    });
    EXPECT_TRUE(queued >= kSeeds || !runs_all_seeds());
}

TEST(InvariantTest, EveryCallEndsExactlyOnce) {
    std::uint64_t calls = 0;
    for_each_seed(kSeeds, [&](std::mt19937_64& random) {
        EndingCheck check;
        ScheduledCallers callers{random, {}, {&check}};
        callers.run(kSteps);
        callers.drain();
        EXPECT_EQ(check.ended, callers.calls_started());
        calls += check.ended;
    });
    EXPECT_TRUE(calls >= kSeeds || !runs_all_seeds());
}

TEST(InvariantTest, ReconfiguringPreservesTheInvariants) {
    for_each_seed(kSeeds, [&](std::mt19937_64& random) {
        ProbeCheck probes;
        PermitCheck permits;
        GenerationCheck generations;
        WindowCheck window;
        BudgetCheck budget;
        DeadlineCheck deadlines;
        DelayCheck delays;
        QueueCheck queue;
        EndingCheck endings;
        ScheduledCallers callers{random,
                                 {.operator_changes = true},
                                 {&probes, &permits, &generations, &window, &budget, &deadlines,
                                  &delays, &queue, &endings}};
        callers.run(kSteps);
        callers.drain();
        EXPECT_EQ(endings.ended, callers.calls_started());
    });
}

}  // namespace
}  // namespace holdfast::resilience
