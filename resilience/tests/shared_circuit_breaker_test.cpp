#include "holdfast/resilience/shared_circuit_breaker.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "support/circuit_tools.hpp"
#include "support/manual_clock.hpp"

namespace holdfast::resilience {
namespace {

using namespace std::chrono_literals;
using testing::ManualClock;
using testing::plain_options;
using Permit = SharedCircuitBreaker::Permit;

/// Calls back into the circuit that notifies it: a held lock would cause a deadlock.
class CallingBackObserver final : public Observer {
public:
    void on_transition(std::string_view name, const CircuitTransition& transition) override {
        names.emplace_back(name);
        transitions.push_back(transition);
        call_back();
    }
    void on_refusal(std::string_view name, const Refusal& refusal) override {
        names.emplace_back(name);
        refusals.push_back(refusal);
        call_back();
    }

    std::function<void()> call_back = [] {};
    std::vector<std::string> names;
    std::vector<CircuitTransition> transitions;
    std::vector<Refusal> refusals;
};

class SharedCircuitBreakerTest : public ::testing::Test {
protected:
    [[nodiscard]] Permit admitted() {
        return std::move(circuit_->try_acquire(clock_.now())).value();
    }
    void fail_times(int count) {
        for (int index = 0; index < count; ++index) {
            admitted().settle(Outcome::failure, clock_.now());
        }
    }
    [[nodiscard]] std::uint64_t outstanding() const {
        return circuit_->status(clock_.now()).permits_outstanding;
    }

    ManualClock clock_;
    CallingBackObserver observer_;
    std::shared_ptr<SharedCircuitBreaker> circuit_ =
        SharedCircuitBreaker::make(plain_options(), {.name = "files", .observer = &observer_});
};

TEST_F(SharedCircuitBreakerTest, BehavesLikeItsCore) {
    fail_times(3);
    clock_.advance(4s);
    const auto refused = circuit_->try_acquire(clock_.now());

    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error(), (Refusal{RefusalReason::circuit_open, 6s}));
    EXPECT_EQ(circuit_->status(clock_.now()).state, CircuitState::open);
    clock_.advance(6s);
    auto probe = circuit_->try_acquire(clock_.now(), Deadline::after(clock_.now(), 3s));
    ASSERT_TRUE(probe);
    EXPECT_TRUE(probe->is_probe());
    EXPECT_EQ(circuit_->status(clock_.now()).retry_after, 3s);
}

TEST_F(SharedCircuitBreakerTest, ADestroyedPermitCountsAsNothing) {
    {
        const Permit permit = admitted();
        EXPECT_EQ(outstanding(), 1U);
    }

    EXPECT_EQ(outstanding(), 0U);
    EXPECT_EQ(circuit_->status(clock_.now()).window.calls, 0U);
}

TEST_F(SharedCircuitBreakerTest, DroppingTwiceCountsOnce) {
    Permit permit = admitted();

    permit.drop();
    permit.drop();

    EXPECT_EQ(outstanding(), 0U);
}

TEST_F(SharedCircuitBreakerTest, AMovedPermitSettlesOnce) {
    Permit first = admitted();
    Permit second = std::move(first);
    EXPECT_EQ(outstanding(), 1U);

    second.settle(Outcome::failure, clock_.now());

    EXPECT_EQ(outstanding(), 0U);
    EXPECT_EQ(circuit_->status(clock_.now()).window.calls, 1U);
}

TEST_F(SharedCircuitBreakerTest, AssigningDropsThePreviousPermit) {
    Permit held = admitted();
    Permit other = admitted();

    held = std::move(other);
    EXPECT_EQ(outstanding(), 1U);
    held.settle(Outcome::success, clock_.now());

    EXPECT_EQ(outstanding(), 0U);
    EXPECT_EQ(circuit_->status(clock_.now()).window.calls, 1U);
}

TEST_F(SharedCircuitBreakerTest, AssigningToItselfChangesNothing) {
    Permit held = admitted();
    Permit& same = held;

    held = std::move(same);

    EXPECT_EQ(outstanding(), 1U);
}

TEST_F(SharedCircuitBreakerTest, AssigningAcrossCircuitsDropsOnTheRightOne) {
    const auto other = SharedCircuitBreaker::make(plain_options());
    Permit held = admitted();
    auto others = other->try_acquire(clock_.now());

    held = std::move(*others);

    EXPECT_EQ(outstanding(), 0U);
    EXPECT_EQ(other->status(clock_.now()).permits_outstanding, 1U);
}

TEST_F(SharedCircuitBreakerTest, APermitKeepsTheCircuitAlive) {
    const std::weak_ptr<SharedCircuitBreaker> alive = circuit_;
    std::optional<Permit> settled{admitted()};
    std::optional<Permit> dropped{admitted()};
    circuit_.reset();

    ASSERT_FALSE(alive.expired());
    settled->settle(Outcome::success, clock_.now());
    ASSERT_FALSE(alive.expired());
    dropped.reset();

    EXPECT_TRUE(alive.expired());
}

TEST_F(SharedCircuitBreakerTest, TheLastSettlementMayNotifyTheObserver) {
    fail_times(2);
    Permit last = admitted();
    circuit_.reset();

    last.settle(Outcome::failure, clock_.now());

    ASSERT_EQ(observer_.transitions.size(), 1U);
    EXPECT_EQ(observer_.names[0], "files");
}

TEST_F(SharedCircuitBreakerTest, TheObserverMayCallBack) {
    std::vector<CircuitState> seen;
    observer_.call_back = [&] {
        seen.push_back(circuit_->status(clock_.now()).state);
        circuit_->with(
            [&](CircuitBreaker& core) { core.reconfigure(plain_options(), clock_.now()); });
    };

    fail_times(3);
    ASSERT_FALSE(circuit_->try_acquire(clock_.now()));
    clock_.advance(10s);
    admitted().settle(Outcome::failure, clock_.now());

    EXPECT_EQ(seen, (std::vector<CircuitState>{CircuitState::open, CircuitState::open,
                                               CircuitState::half_open, CircuitState::open}));
    EXPECT_EQ(observer_.refusals.size(), 1U);
}

TEST_F(SharedCircuitBreakerTest, TheObserverMayAcquireAndIsNotifiedInTurn) {
    std::optional<Refusal> refused_inside;
    observer_.call_back = [&] {
        if (observer_.transitions.size() == 1 && observer_.refusals.empty()) {
            const auto inside = circuit_->try_acquire(clock_.now());
            refused_inside = inside ? std::nullopt : std::optional{inside.error()};
        }
    };

    fail_times(3);

    EXPECT_EQ(refused_inside, (Refusal{RefusalReason::circuit_open, 10s}));
    EXPECT_EQ(observer_.refusals, std::vector<Refusal>{*refused_inside});
}

TEST_F(SharedCircuitBreakerTest, WithReachesTheCoreAndDeliversItsNotices) {
    fail_times(3);
    observer_.call_back = [&] { EXPECT_EQ(outstanding(), 0U); };

    const CircuitMode mode = circuit_->with([&](CircuitBreaker& core) {
        core.reset(clock_.now());
        core.set_mode(CircuitMode::forced_open, clock_.now());
        return core.mode();
    });

    EXPECT_EQ(mode, CircuitMode::forced_open);
    ASSERT_EQ(observer_.transitions.size(), 2U);
    EXPECT_EQ(observer_.transitions[1].cause, TransitionCause::reset);
}

TEST_F(SharedCircuitBreakerTest, WorksWithoutAnObserver) {
    circuit_ = SharedCircuitBreaker::make(plain_options());

    fail_times(3);

    EXPECT_FALSE(circuit_->try_acquire(clock_.now()));
}

TEST(SharedCircuitBreakerDeathTest, SettlingTwiceAborts) {
    const auto circuit = SharedCircuitBreaker::make(plain_options());
    auto permit = circuit->try_acquire(TimePoint{1000h});
    permit->settle(Outcome::success, TimePoint{1000h});

    EXPECT_EXIT(permit->settle(Outcome::success, TimePoint{1000h}),
                ::testing::KilledBySignal(SIGABRT), "circuit_");
}

}  // namespace
}  // namespace holdfast::resilience
