#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <random>
#include <thread>
#include <utility>
#include <vector>

#include "holdfast/resilience/shared_circuit_breaker.hpp"
#include "support/circuit_tools.hpp"
#include "support/crowd.hpp"
#include "support/seeds.hpp"

namespace holdfast::resilience {
namespace {

using namespace std::chrono_literals;
using testing::chance;
using testing::HeadCount;
using testing::random_between;
using testing::run_crowd;
using testing::TickingClock;
using Permit = SharedCircuitBreaker::Permit;

constexpr std::uint32_t kThreads = 6;

Outcome random_outcome(std::mt19937_64& random) {
    constexpr Outcome kOutcomes[] = {Outcome::success, Outcome::failure, Outcome::neutral};
    return kOutcomes[random_between(random, 0, 2)];
}

TEST(SharedCircuitBreakerStressTest, ProbesNeverExceedTheLimit) {
    constexpr std::uint32_t kProbes = 3;
    constexpr int kRounds = 4'000;
    CircuitBreakerOptions options = testing::plain_options();
    options.probe_limit = kProbes;
    options.successes_to_close = 1'000'000;  // half-open throughout
    options.failures_to_reopen = 1'000'000;
    options.probe_lease = 1h;
    const auto circuit = SharedCircuitBreaker::make(options);
    TickingClock clock;
    circuit->with([&](CircuitBreaker& core) { testing::trip(core, clock.now()); });
    const TimePoint later = clock.now() + 1min;
    HeadCount probes;
    std::atomic<std::uint32_t> refused = 0;

    run_crowd(kThreads, [&](std::uint32_t, std::mt19937_64& random) {
        for (int round = 0; round < kRounds; ++round) {
            auto permit = circuit->try_acquire(later);
            if (!permit) {
                ++refused;
                std::this_thread::yield();
                continue;
            }
            EXPECT_TRUE(permit->is_probe());
            probes.enter();
            std::this_thread::yield();
            probes.leave();
            if (chance(random, 0.5)) {
                permit->settle(random_outcome(random), later);
            }
        }
    });

    EXPECT_LE(probes.most(), kProbes);
    EXPECT_GT(probes.most(), 0U);
    EXPECT_GT(refused.load(), 0U);
    EXPECT_EQ(circuit->status(later).probes_in_flight, 0U);
    EXPECT_EQ(circuit->status(later).permits_outstanding, 0U);
    EXPECT_EQ(circuit->status(later).state, CircuitState::half_open);
}

/// Reads the circuit on every notification.
class LookingObserver final : public Observer {
public:
    void on_transition(std::string_view, const CircuitTransition& transition) override {
        EXPECT_NE(transition.from, transition.to);
        transitions.fetch_add(1);
        look();
    }
    void on_refusal(std::string_view, const Refusal&) override {
        refusals.fetch_add(1);
        look();
    }

    SharedCircuitBreaker* circuit = nullptr;
    TickingClock* clock = nullptr;
    std::atomic<std::uint64_t> transitions = 0;
    std::atomic<std::uint64_t> refusals = 0;

private:
    void look() const { EXPECT_LE(circuit->status(clock->now()).probes_in_flight, 4U); }
};

class Hammer {
public:
    Hammer() {
        observer.circuit = circuit.get();
        observer.clock = &clock;
    }

    /// Performs a random operation on a circuit, with up to three permits held.
    void strike(std::vector<Permit>& held, std::mt19937_64& random) {
        const int dice = random_between(random, 0, 99);
        if (dice < 50 && held.size() < 3) {
            acquire(held, random);
        } else if (dice < 90) {
            give_back(held, random);
        } else if (dice < 95) {
            EXPECT_LE(circuit->status(clock.now()).probes_in_flight, 4U);
        } else if (dice < 97) {
            constexpr CircuitMode kModes[] = {CircuitMode::normal, CircuitMode::metrics_only,
                                              CircuitMode::forced_open, CircuitMode::disabled};
            const CircuitMode mode = kModes[random_between(random, 0, 3)];
            circuit->with([&](CircuitBreaker& core) {
                core.set_mode(mode, clock.now());
                core.set_mode(CircuitMode::normal, clock.now());
            });
        } else {
            CircuitBreakerOptions changed = figures();
            changed.probe_limit = random_between(random, 1U, 4U);
            circuit->with([&](CircuitBreaker& core) { core.reconfigure(changed, clock.now()); });
        }
    }

    static CircuitBreakerOptions figures() {
        CircuitBreakerOptions options = testing::plain_options();
        options.open_for = 20us;
        options.probe_limit = 4;
        options.successes_to_close = 4;
        options.window = 1ms;
        return options;
    }

    TickingClock clock;
    LookingObserver observer;
    std::shared_ptr<SharedCircuitBreaker> circuit =
        SharedCircuitBreaker::make(figures(), {.name = "files", .observer = &observer});
    std::atomic<std::uint64_t> admitted = 0;
    std::atomic<std::uint64_t> refused = 0;
    std::atomic<std::uint64_t> given_back = 0;

private:
    void acquire(std::vector<Permit>& held, std::mt19937_64& random) {
        const TimePoint now = clock.now();
        const Deadline lease = chance(random, 0.5) ? Deadline::after(now, 50us) : Deadline::never();
        if (auto permit = circuit->try_acquire(now, lease)) {
            held.push_back(std::move(*permit));
            ++admitted;
        } else {
            ++refused;
        }
    }

    void give_back(std::vector<Permit>& held, std::mt19937_64& random) {
        if (held.empty()) {
            return;
        }
        if (chance(random, 0.7)) {
            held.back().settle(random_outcome(random), clock.now());
        }
        held.pop_back();
        ++given_back;
    }
};

TEST(SharedCircuitBreakerStressTest, ConcurrentOperationsLoseNothing) {
    Hammer hammer;

    run_crowd(kThreads, [&](std::uint32_t, std::mt19937_64& random) {
        std::vector<Permit> held;
        for (int round = 0; round < 4'000; ++round) {
            hammer.strike(held, random);
        }
        hammer.given_back += held.size();
    });

    EXPECT_EQ(hammer.given_back.load(), hammer.admitted.load());
    EXPECT_EQ(hammer.observer.refusals.load(), hammer.refused.load());
    EXPECT_GT(hammer.observer.transitions.load(), 10U);
    EXPECT_GT(hammer.refused.load(), 0U);
    EXPECT_EQ(hammer.circuit->status(hammer.clock.now()).permits_outstanding, 0U);
}

TEST(SharedCircuitBreakerStressTest, PermitsMaySettleOnOtherThreadsAfterTheCircuitIsReleased) {
    TickingClock clock;
    std::weak_ptr<SharedCircuitBreaker> alive;
    std::vector<Permit> permits;
    {
        const auto circuit = SharedCircuitBreaker::make(testing::plain_options());
        alive = circuit;
        for (std::uint32_t index = 0; index < 300 * kThreads; ++index) {
            permits.push_back(std::move(circuit->try_acquire(clock.now())).value());
        }
    }

    run_crowd(kThreads, [&](std::uint32_t index, std::mt19937_64& random) {
        for (std::size_t place = index; place < permits.size(); place += kThreads) {
            if (chance(random, 0.5)) {
                permits[place].settle(random_outcome(random), clock.now());
            } else {
                permits[place].drop();
            }
        }
    });

    EXPECT_TRUE(alive.expired());
}

}  // namespace
}  // namespace holdfast::resilience
