#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <limits>
#include <string>

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
using testing::text_of;
using testing::trip;

CircuitBreakerOptions growing_options() {
    auto options = plain_options();
    options.open_growth = 2.0;
    options.successes_to_close = 3;
    options.failures_to_reopen = 2;
    return options;
}

/// Restores a snapshot in a circuit of another process, whose clock has another origin.
void expect_round_trip(const CircuitBreaker& saved, TimePoint saved_at) {
    const CircuitSnapshot snapshot = saved.snapshot(saved_at);
    // A multiple of the bucket width, so that the slices of the window match again.
    for (const Duration shift : {Duration{0s}, Duration{-2'000h}, Duration{300h}}) {
        CircuitBreaker restored{saved.options()};
        const TimePoint now = saved_at + shift;

        ASSERT_TRUE(restored.restore(snapshot, now).has_value());

        EXPECT_EQ(text_of(restored.snapshot(now)), text_of(snapshot));
        auto expected = saved.status(saved_at);
        expected.generation = 2;
        expected.probes_in_flight = 0;
        expected.permits_outstanding = 0;
        EXPECT_EQ(text_of(restored.status(now)), text_of(expected));
    }
}

TEST(CircuitBreakerSnapshotTest, RestoresANewCircuit) {
    expect_round_trip(CircuitBreaker{growing_options()}, ManualClock{}.now());
}

TEST(CircuitBreakerSnapshotTest, RestoresClosedWithItsCounts) {
    ManualClock clock;
    CircuitBreaker breaker{growing_options()};
    breaker.reset(clock.now());
    call_times(breaker, 5, Outcome::success, clock.now());
    clock.advance(7s);
    call_times(breaker, 2, Outcome::failure, clock.now());
    clock.advance(11s);

    expect_round_trip(breaker, clock.now());
    EXPECT_EQ(breaker.snapshot(clock.now()).window.size(), 2U);
    EXPECT_EQ(breaker.snapshot(clock.now()).consecutive_failures, 2U);
}

TEST(CircuitBreakerSnapshotTest, RestoresOpenWithItsTimeLeftAndGrowth) {
    ManualClock clock;
    CircuitBreaker breaker{growing_options()};
    trip(breaker, clock.now());
    clock.advance(10s);
    call_times(breaker, 2, Outcome::failure, clock.now());
    clock.advance(4s);

    expect_round_trip(breaker, clock.now());
    const CircuitSnapshot snapshot = breaker.snapshot(clock.now());
    EXPECT_EQ(snapshot.open_remaining, 16s);
    EXPECT_EQ(snapshot.consecutive_opens, 2U);
    EXPECT_EQ(snapshot.state_age, 4s);
}

TEST(CircuitBreakerSnapshotTest, RestoresHalfOpenWithResultsAndWithoutProbes) {
    ManualClock clock;
    CircuitBreaker breaker{growing_options()};
    trip(breaker, clock.now());
    clock.advance(10s);
    call(breaker, Outcome::success, clock.now());
    call(breaker, Outcome::failure, clock.now());
    CircuitBreaker restored{growing_options()};
    {
        const auto probe = admitted(breaker, clock.now());
        ASSERT_TRUE(restored.restore(breaker.snapshot(clock.now()), clock.now()).has_value());
    }

    expect_round_trip(breaker, clock.now());
    EXPECT_EQ(restored.status(clock.now()).probes_in_flight, 0U);
    call(restored, Outcome::failure, clock.now());
    EXPECT_EQ(restored.state(clock.now()), CircuitState::open);
    EXPECT_EQ(restored.status(clock.now()).retry_after, 20s);
}

TEST(CircuitBreakerSnapshotTest, RestoresTheMode) {
    ManualClock clock;
    for (const CircuitMode mode :
         {CircuitMode::metrics_only, CircuitMode::forced_open, CircuitMode::disabled}) {
        CircuitBreaker breaker{growing_options()};
        breaker.set_mode(mode, clock.now());

        expect_round_trip(breaker, clock.now());
    }
}

TEST(CircuitBreakerSnapshotTest, IncludesAnExpiredLease) {
    ManualClock clock;
    CircuitBreaker breaker{plain_options()};
    trip(breaker, clock.now());
    clock.advance(10s);
    const auto probe = admitted(breaker, clock.now(), Deadline::after(clock.now(), 2s));

    const CircuitSnapshot snapshot = breaker.snapshot(clock.now() + 5s);

    EXPECT_EQ(snapshot.state, CircuitState::open);
    EXPECT_EQ(snapshot.state_age, 3s);
    EXPECT_EQ(snapshot.open_remaining, 7s);
}

TEST(CircuitBreakerSnapshotTest, TimeThatPassesBetweenProcessesIsNotCounted) {
    ManualClock clock;
    CircuitBreaker breaker{plain_options()};
    trip(breaker, clock.now());
    const CircuitSnapshot snapshot = breaker.snapshot(clock.now());
    CircuitBreaker restored{plain_options()};
    clock.advance(3h);

    ASSERT_TRUE(restored.restore(snapshot, clock.now()).has_value());

    EXPECT_EQ(restored.status(clock.now()).retry_after, 10s);
}

TEST(CircuitBreakerSnapshotTest, RestoreMakesPermitsStale) {
    ManualClock clock;
    CircuitBreaker breaker{plain_options()};
    call_times(breaker, 2, Outcome::failure, clock.now());
    auto permit = admitted(breaker, clock.now());

    ASSERT_TRUE(breaker.restore(breaker.snapshot(clock.now()), clock.now()).has_value());
    permit.settle(Outcome::failure, clock.now());

    EXPECT_EQ(breaker.state(clock.now()), CircuitState::closed);
    EXPECT_EQ(breaker.status(clock.now()).consecutive_failures, 2U);
    EXPECT_EQ(breaker.permits_outstanding(), 0U);
}

TEST(CircuitBreakerSnapshotTest, RestoreCountsAsUse) {
    ManualClock clock;
    CircuitBreaker breaker{plain_options()};
    call_times(breaker, 2, Outcome::failure, clock.now());
    CircuitBreaker restored{plain_options()};

    ASSERT_TRUE(restored.restore(breaker.snapshot(clock.now()), clock.now()).has_value());

    EXPECT_EQ(restored.last_used(), clock.now())
        << "otherwise a sweep would remove it as never used";
}

TEST(CircuitBreakerSnapshotTest, LimitsTheOpenTimeToTheOptions) {
    ManualClock clock;
    CircuitBreaker breaker{plain_options()};
    CircuitSnapshot snapshot;
    snapshot.state = CircuitState::open;
    snapshot.open_remaining = Duration::max();
    snapshot.consecutive_opens = std::numeric_limits<std::uint32_t>::max();

    ASSERT_TRUE(breaker.restore(snapshot, clock.now()).has_value());

    EXPECT_EQ(breaker.status(clock.now()).retry_after, 300s);
    clock.advance(300s);
    call(breaker, Outcome::failure, clock.now());
    EXPECT_EQ(breaker.state(clock.now()), CircuitState::open);
}

TEST(CircuitBreakerSnapshotTest, DropsSlicesOlderThanTheWindow) {
    ManualClock clock;
    for (const Duration age : {Duration{31s}, Duration{1'000h}, Duration::max()}) {
        CircuitBreaker breaker{plain_options()};
        CircuitSnapshot snapshot;
        snapshot.window = {{.age = 1s, .counts = {.calls = 2}},
                           {.age = age, .counts = {.calls = 5}}};

        ASSERT_TRUE(breaker.restore(snapshot, clock.now()).has_value());

        EXPECT_EQ(breaker.status(clock.now()).window.calls, 2U);
    }
}

struct BadSnapshot {
    const char* names;
    std::function<void(CircuitSnapshot&)> spoil;
};

TEST(CircuitBreakerSnapshotTest, RejectsAnImpossibleSnapshotWithoutChanges) {
    const BadSnapshot cases[] = {
        {"state_age", [](auto& s) { s.state_age = -1ns; }},
        {"open_remaining", [](auto& s) { s.open_remaining = -1ns; }},
        {"too many slices", [](auto& s) { s.window.resize(1'001); }},
        {"age of a window slice", [](auto& s) { s.window = {{.age = -1ns, .counts = {}}}; }},
        {"more failures",
         [](auto& s) { s.window = {{.age = 1s, .counts = {.calls = 1, .failures = 2}}}; }},
        {"slow calls",
         [](auto& s) { s.window = {{.age = 1s, .counts = {.calls = 1, .slow = 2}}}; }},
        {"more calls than",
         [](auto& s) {
             const WindowCounts many{.calls = 3'000'000'000};
             s.window = {{.age = 1s, .counts = many}, {.age = 5s, .counts = many}};
         }},
        {"probe results", [](auto& s) { s.probe_successes = 3; }},
        {"probe results", [](auto& s) { s.probe_failures = 2; }},
    };
    for (const auto& [names, spoil] : cases) {
        SCOPED_TRACE(names);
        ManualClock clock;
        CircuitBreaker breaker{growing_options()};
        call_times(breaker, 2, Outcome::failure, clock.now());
        auto permit = admitted(breaker, clock.now());
        const auto before = text_of(breaker.status(clock.now()));
        CircuitSnapshot snapshot;
        snapshot.state = CircuitState::half_open;
        spoil(snapshot);

        const auto result = breaker.restore(snapshot, clock.now());

        ASSERT_FALSE(result.has_value());
        EXPECT_EQ(result.error().code, Errc::invalid_snapshot);
        EXPECT_NE(result.error().message.find(names), std::string::npos) << result.error().message;
        EXPECT_EQ(text_of(breaker.status(clock.now())), before);
        permit.settle(Outcome::failure, clock.now());
        EXPECT_EQ(breaker.state(clock.now()), CircuitState::open);
    }
}

TEST(CircuitBreakerSnapshotTest, IgnoresProbeResultsOfAStateWithoutProbes) {
    ManualClock clock;
    CircuitBreaker breaker{plain_options()};
    CircuitSnapshot snapshot;
    snapshot.state = CircuitState::open;
    snapshot.probe_successes = 50;
    snapshot.probe_failures = 50;

    ASSERT_TRUE(breaker.restore(snapshot, clock.now()).has_value());
    call(breaker, Outcome::success, clock.now());

    EXPECT_EQ(breaker.state(clock.now()), CircuitState::half_open);
    EXPECT_EQ(breaker.status(clock.now()).probe_successes, 1U);
}

}  // namespace
}  // namespace holdfast::resilience
