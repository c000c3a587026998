#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <utility>

#include "holdfast/resilience/circuit_registry.hpp"
#include "holdfast/resilience/stale_cache.hpp"
#include "holdfast/resilience/synchronized.hpp"
#include "support/circuit_tools.hpp"
#include "support/crowd.hpp"
#include "support/seeds.hpp"

namespace holdfast::resilience {
namespace {

using namespace std::chrono_literals;
using testing::chance;
using testing::random_between;
using testing::run_crowd;
using testing::TickingClock;

constexpr std::uint32_t kThreads = 6;
constexpr int kRounds = 3'000;

TEST(SynchronizedStressTest, ACacheKeepsItsValuesAndLimits) {
    using Cache = StaleCache<int, std::shared_ptr<const std::string>>;
    Synchronized<Cache> cache{
        StaleCacheOptions{.max_entries = 16, .max_cost = 100, .max_age = 5ms}};
    TickingClock clock;
    std::atomic<std::uint64_t> found_count = 0;

    run_crowd(kThreads, [&](std::uint32_t, std::mt19937_64& random) {
        for (int round = 0; round < kRounds; ++round) {
            const int key = random_between(random, 0, 31);
            if (chance(random, 0.5)) {
                auto value = std::make_shared<const std::string>(std::to_string(key));
                cache.with([&](Cache& core) {
                    core.put(key, std::move(value), random_between<std::size_t>(random, 1, 20),
                             clock.now());
                    EXPECT_LE(core.size(), 16U);
                    EXPECT_LE(core.cost(), 100U);
                });
                continue;
            }
            const auto found = cache.with([&](const Cache& core) {
                const auto entry = core.find(key, clock.now());
                return entry ? entry->value : nullptr;
            });
            if (found) {
                EXPECT_EQ(*found, std::to_string(key));
                ++found_count;
            }
        }
    });

    EXPECT_GT(found_count.load(), 0U);
    cache.with([&](Cache& core) {
        core.sweep(clock.now() + 1s);
        EXPECT_EQ(core.size(), 0U);
        EXPECT_EQ(core.cost(), 0U);
    });
}

TEST(SynchronizedStressTest, ARegistryKeepsItsLimitAndEveryPermit) {
    CircuitBreakerOptions figures = testing::plain_options();
    figures.window = 100us;
    Synchronized<CircuitRegistry> registry{
        CircuitRegistryOptions{.defaults = figures, .max_circuits = 8, .idle_after = 100us}};
    TickingClock clock;
    std::atomic<std::uint64_t> admitted_count = 0;

    run_crowd(kThreads, [&](std::uint32_t, std::mt19937_64& random) {
        for (int round = 0; round < kRounds; ++round) {
            const std::string name = "circuit-" + std::to_string(random_between(random, 0, 11));
            std::optional<CircuitBreaker::Permit> permit;
            registry.with([&](CircuitRegistry& core) {
                const TimePoint now = clock.now();
                if (auto handle = core.get(name, now)) {
                    if (auto admission = (*handle)->breaker().try_acquire(now)) {
                        permit.emplace(std::move(*admission));
                    }
                }
                EXPECT_LE(core.size(), 8U);
            });
            registry.with([&](CircuitRegistry& core) {
                const TimePoint now = clock.now();
                if (permit) {
                    ++admitted_count;
                    // The circuit could not be found if it were swept while its permit is
                    // outstanding.
                    ASSERT_NE(core.find(name), nullptr);
                    EXPECT_GT(core.find(name)->breaker().permits_outstanding(), 0U);
                    permit->settle(chance(random, 0.8) ? Outcome::success : Outcome::failure, now);
                    permit.reset();
                }
                if (chance(random, 0.1)) {
                    core.sweep(now);
                }
            });
        }
    });

    EXPECT_GT(admitted_count.load(), 0U);
    registry.with([](const CircuitRegistry& core) {
        EXPECT_GT(core.swept_total(), 0U);
        core.for_each([](const NamedCircuit& circuit) {
            EXPECT_EQ(circuit.breaker().permits_outstanding(), 0U);
        });
    });
}

}  // namespace
}  // namespace holdfast::resilience
