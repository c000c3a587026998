#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "holdfast/resilience/circuit_breaker.hpp"
#include "support/circuit_tools.hpp"
#include "support/manual_clock.hpp"

namespace holdfast::resilience {
namespace {

using namespace std::chrono_literals;
using testing::admitted;
using testing::call;
using testing::call_times;
using testing::ManualClock;
using testing::plain_options;
using testing::refusal_of_call;
using testing::text_of;
using testing::trip;

/// Records notifications as one list of lines, so that the order among kinds shows; then runs the
/// test's reaction inside the call.
class ScriptedObserver final : public Observer {
public:
    explicit ScriptedObserver(TimePoint start) : start_(start) {}

    void on_transition(std::string_view name, const CircuitTransition& transition) override {
        const auto seconds_of = [](Duration duration) {
            return std::to_string(
                std::chrono::duration_cast<std::chrono::seconds>(duration).count());
        };
        std::string line{name};
        line.append(": ")
            .append(name_of(transition.from))
            .append(" to ")
            .append(name_of(transition.to));
        line.append(", ").append(name_of(transition.cause));
        line.append(", at ").append(seconds_of(transition.at - start_));
        line.append(", failures ").append(std::to_string(transition.consecutive_failures));
        line.append(", for ").append(seconds_of(transition.open_for));
        lines.push_back(std::move(line));
        if (then) {
            then();
        }
    }
    void on_refusal(std::string_view name, const Refusal& refusal) override {
        lines.push_back(std::string{name} + ": refused, " + std::string{name_of(refusal.reason)});
        if (then) {
            then();
        }
    }

    std::vector<std::string> lines;
    std::function<void()> then;

private:
    TimePoint start_;
};

using Lines = std::vector<std::string>;

TEST(CircuitBreakerObserverTest, ReceivesEachTransitionOnceWithCauseAndTime) {
    ManualClock clock;
    ScriptedObserver observer{clock.now()};
    CircuitBreaker breaker{plain_options(), {.name = "files", .observer = &observer}};

    clock.advance(1s);
    trip(breaker, clock.now());
    clock.advance(2s);
    std::ignore = refusal_of_call(breaker, clock.now());
    clock.advance(8s);
    call(breaker, Outcome::failure, clock.now());
    clock.advance(10s);
    call_times(breaker, 2, Outcome::success, clock.now());

    EXPECT_EQ(observer.lines,
              (Lines{"files: closed to open, consecutive_failures, at 1, failures 3, for 10",
                     "files: refused, circuit_open",
                     "files: open to half_open, open_time_over, at 11, failures 3, for 0",
                     "files: half_open to open, probe_failed, at 11, failures 3, for 10",
                     "files: open to half_open, open_time_over, at 21, failures 3, for 0",
                     "files: half_open to closed, probes_succeeded, at 21, failures 3, for 0"}));
}

TEST(CircuitBreakerObserverTest, ReceivesTheEndOfALeaseBeforeItsConsequences) {
    ManualClock clock;
    ScriptedObserver observer{clock.now()};
    CircuitBreaker breaker{plain_options(), {.name = "files", .observer = &observer}};
    trip(breaker, clock.now());
    clock.advance(10s);
    const auto first = admitted(breaker, clock.now(), Deadline::after(clock.now(), 2s));
    observer.lines.clear();

    clock.advance(3s);
    std::ignore = refusal_of_call(breaker, clock.now());
    EXPECT_EQ(observer.lines,
              (Lines{"files: half_open to open, probe_lease_expired, at 12, failures 3, for 10",
                     "files: refused, circuit_open"}));
    observer.lines.clear();
    clock.advance(9s);
    const auto second = admitted(breaker, clock.now(), Deadline::after(clock.now(), 1s));
    clock.advance(30s);
    const auto third = admitted(breaker, clock.now());

    EXPECT_EQ(observer.lines,
              (Lines{"files: open to half_open, open_time_over, at 22, failures 3, for 0",
                     "files: half_open to open, probe_lease_expired, at 23, failures 3, for 10",
                     "files: open to half_open, open_time_over, at 52, failures 3, for 0"}));
}

TEST(CircuitBreakerObserverTest, ReceivesResetAndRestoreOnlyIfTheStateChanges) {
    ManualClock clock;
    ScriptedObserver observer{clock.now()};
    CircuitBreaker breaker{plain_options(), {.name = "files", .observer = &observer}};
    CircuitSnapshot open;
    open.state = CircuitState::open;
    open.open_remaining = 7s;

    breaker.reset(clock.now());
    EXPECT_EQ(observer.lines, Lines{});
    ASSERT_TRUE(breaker.restore(open, clock.now()).has_value());
    ASSERT_TRUE(breaker.restore(open, clock.now()).has_value());
    breaker.reset(clock.now());

    EXPECT_EQ(observer.lines, (Lines{"files: closed to open, restored, at 0, failures 0, for 7",
                                     "files: open to closed, reset, at 0, failures 0, for 0"}));
}

TEST(CircuitBreakerObserverTest, ReceivesALeaseThatEndedBeforeARestore) {
    ManualClock clock;
    ScriptedObserver observer{clock.now()};
    CircuitBreaker breaker{plain_options(), {.name = "files", .observer = &observer}};
    trip(breaker, clock.now());
    clock.advance(10s);
    const auto probe = admitted(breaker, clock.now(), Deadline::after(clock.now(), 2s));
    clock.advance(3s);
    const auto generation = breaker.status(clock.now()).generation;
    observer.lines.clear();

    ASSERT_TRUE(breaker.restore(CircuitSnapshot{}, clock.now()).has_value());

    EXPECT_EQ(breaker.status(clock.now()).generation, generation + 1);
    ASSERT_EQ(observer.lines.size(), 2U);
    EXPECT_EQ(observer.lines[0],
              "files: half_open to open, probe_lease_expired, at 12, failures 3, for 10");
    EXPECT_TRUE(observer.lines[1].starts_with("files: open to closed, restored, at 13"));
}

TEST(CircuitBreakerObserverTest, ReceivesNothingForReadsSettlementsDropsOrSwitches) {
    ManualClock clock;
    ScriptedObserver observer{clock.now()};
    CircuitBreaker breaker{plain_options(), {.name = "files", .observer = &observer}};

    call_times(breaker, 2, Outcome::failure, clock.now());
    call(breaker, Outcome::success, clock.now());
    call(breaker, Outcome::neutral, clock.now());
    {
        const auto dropped = admitted(breaker, clock.now());
    }
    breaker.set_mode(CircuitMode::forced_open, clock.now());
    std::ignore = breaker.refusal_at(clock.now());
    std::ignore = breaker.status(clock.now());
    std::ignore = breaker.state(clock.now());
    std::ignore = breaker.snapshot(clock.now());
    breaker.set_mode(CircuitMode::normal, clock.now());
    breaker.reconfigure(plain_options(), clock.now());

    EXPECT_EQ(observer.lines, Lines{});
}

TEST(CircuitBreakerObserverTest, ReceivesForcedRefusals) {
    ManualClock clock;
    ScriptedObserver observer{clock.now()};
    CircuitBreaker breaker{plain_options(), {.name = "files", .observer = &observer}};

    breaker.set_mode(CircuitMode::forced_open, clock.now());
    std::ignore = refusal_of_call(breaker, clock.now());

    EXPECT_EQ(observer.lines, Lines{"files: refused, circuit_forced_open"});
}

TEST(CircuitBreakerObserverTest, SeesTheFinalStateFromInsideTheCall) {
    ManualClock clock;
    ScriptedObserver observer{clock.now()};
    CircuitBreaker breaker{plain_options(), {.name = "files", .observer = &observer}};
    std::vector<std::string> seen;
    observer.then = [&] { seen.push_back(text_of(breaker.status(clock.now()))); };

    trip(breaker, clock.now());
    const auto after_trip = text_of(breaker.status(clock.now()));
    clock.advance(10s);
    const auto probe = admitted(breaker, clock.now());
    const auto after_probe = text_of(breaker.status(clock.now()));

    EXPECT_EQ(seen, (Lines{after_trip, after_probe}));
}

TEST(CircuitBreakerObserverTest, MayCallBackIntoTheCircuit) {
    ManualClock clock;
    ScriptedObserver observer{clock.now()};
    CircuitBreaker breaker{plain_options(), {.name = "files", .observer = &observer}};
    bool called_back = false;
    observer.then = [&] {
        if (!std::exchange(called_back, true)) {
            EXPECT_TRUE(refusal_of_call(breaker, clock.now()).has_value());
            breaker.reset(clock.now());
            call(breaker, Outcome::failure, clock.now());
        }
    };

    trip(breaker, clock.now());

    EXPECT_EQ(observer.lines,
              (Lines{"files: closed to open, consecutive_failures, at 0, failures 3, for 10",
                     "files: refused, circuit_open",
                     "files: open to closed, reset, at 0, failures 3, for 0",
                     "files: closed to open, consecutive_failures, at 0, failures 3, for 10"}));
}

TEST(CircuitBreakerObserverTest, ResetFromInsideTheAdmissionMakesThatPermitStale) {
    ManualClock clock;
    ScriptedObserver observer{clock.now()};
    CircuitBreaker breaker{plain_options(), {.name = "files", .observer = &observer}};
    trip(breaker, clock.now());
    clock.advance(10s);
    bool called_back = false;
    observer.then = [&] {
        if (!std::exchange(called_back, true)) {
            breaker.reset(clock.now());
        }
    };

    auto probe = admitted(breaker, clock.now());
    const auto before = breaker.status(clock.now());
    probe.settle(Outcome::failure, clock.now());

    EXPECT_EQ(before.state, CircuitState::closed);
    EXPECT_EQ(breaker.status(clock.now()).consecutive_failures, 0U);
    EXPECT_EQ(breaker.permits_outstanding(), 0U);
}

}  // namespace
}  // namespace holdfast::resilience
