// Operations of an operator: modes, reset and new options in place, and that reading changes
// nothing. Snapshots are in circuit_breaker_snapshot_test.cpp.

#include <gtest/gtest.h>

#include <optional>

#include "holdfast/resilience/circuit_breaker.hpp"
#include "support/circuit_tools.hpp"
#include "support/manual_clock.hpp"
#include "support/recording_observer.hpp"

namespace holdfast::resilience {
namespace {

using namespace std::chrono_literals;
using testing::admitted;
using testing::call;
using testing::call_times;
using testing::ManualClock;
using testing::plain_options;
using testing::RecordingObserver;
using testing::refusal_of_call;
using testing::text_of;
using testing::trip;

TEST(CircuitBreakerModeTest, MetricsOnlyAdmitsEverythingCountsAndNeverOpens) {
    ManualClock clock;
    CircuitBreaker breaker{plain_options()};
    breaker.set_mode(CircuitMode::metrics_only, clock.now());

    call_times(breaker, 20, Outcome::failure, clock.now());

    EXPECT_EQ(breaker.state(clock.now()), CircuitState::closed);
    EXPECT_EQ(breaker.status(clock.now()).window, (WindowCounts{.calls = 20, .failures = 20}));
    EXPECT_EQ(breaker.status(clock.now()).consecutive_failures, 20U);
    EXPECT_TRUE(breaker.status(clock.now()).can_attempt);
}

TEST(CircuitBreakerModeTest, MetricsOnlyAdmitsWhileOpenWithoutChangingTheState) {
    ManualClock clock;
    CircuitBreaker breaker{plain_options()};
    trip(breaker, clock.now());
    breaker.set_mode(CircuitMode::metrics_only, clock.now());

    clock.advance(20s);
    call_times(breaker, 5, Outcome::success, clock.now());

    EXPECT_EQ(breaker.state(clock.now()), CircuitState::open);
    EXPECT_EQ(breaker.status(clock.now()).window.calls, 8U);
    EXPECT_FALSE(admitted(breaker, clock.now()).is_probe());
}

TEST(CircuitBreakerModeTest, DisabledAdmitsEverythingAndCountsNothing) {
    ManualClock clock;
    CircuitBreaker breaker{plain_options()};
    trip(breaker, clock.now());
    breaker.set_mode(CircuitMode::disabled, clock.now());
    const auto before = text_of(breaker.status(clock.now()));

    call_times(breaker, 20, Outcome::failure, clock.now());
    call_times(breaker, 20, Outcome::success, clock.now());

    EXPECT_EQ(text_of(breaker.status(clock.now())), before);
    EXPECT_TRUE(breaker.status(clock.now()).can_attempt);
}

TEST(CircuitBreakerModeTest, ForcedOpenKeepsTheStateUnderneath) {
    ManualClock clock;
    CircuitBreaker breaker{plain_options()};
    call_times(breaker, 2, Outcome::failure, clock.now());

    breaker.set_mode(CircuitMode::forced_open, clock.now());
    EXPECT_EQ(breaker.state(clock.now()), CircuitState::closed);
    EXPECT_TRUE(refusal_of_call(breaker, clock.now()).has_value());
    breaker.set_mode(CircuitMode::normal, clock.now());
    EXPECT_EQ(breaker.status(clock.now()).consecutive_failures, 2U);
    call(breaker, Outcome::failure, clock.now());

    EXPECT_EQ(breaker.state(clock.now()), CircuitState::open);
}

TEST(CircuitBreakerModeTest, OpenTimeContinuesInAnotherMode) {
    ManualClock clock;
    CircuitBreaker breaker{plain_options()};
    trip(breaker, clock.now());

    breaker.set_mode(CircuitMode::forced_open, clock.now());
    clock.advance(4s);
    breaker.set_mode(CircuitMode::normal, clock.now());

    EXPECT_EQ(breaker.refusal_at(clock.now()), (Refusal{RefusalReason::circuit_open, 6s}));
}

TEST(CircuitBreakerModeTest, SwitchMakesPermitsStale) {
    ManualClock clock;
    CircuitBreaker breaker{plain_options()};
    call_times(breaker, 2, Outcome::failure, clock.now());
    auto before = admitted(breaker, clock.now());

    breaker.set_mode(CircuitMode::disabled, clock.now());
    auto during = admitted(breaker, clock.now());
    breaker.set_mode(CircuitMode::normal, clock.now());
    before.settle(Outcome::failure, clock.now());
    during.settle(Outcome::failure, clock.now());

    EXPECT_EQ(breaker.state(clock.now()), CircuitState::closed);
    EXPECT_EQ(breaker.status(clock.now()).consecutive_failures, 2U);
    EXPECT_EQ(breaker.permits_outstanding(), 0U);
}

TEST(CircuitBreakerModeTest, SwitchToTheSameModeKeepsPermits) {
    ManualClock clock;
    CircuitBreaker breaker{plain_options()};
    auto permit = admitted(breaker, clock.now());

    breaker.set_mode(CircuitMode::normal, clock.now());
    permit.settle(Outcome::failure, clock.now());

    EXPECT_EQ(breaker.status(clock.now()).consecutive_failures, 1U);
    EXPECT_EQ(breaker.status(clock.now()).generation, 1U);
}

TEST(CircuitBreakerModeTest, SwitchFreesTheSlotsOfProbesAndKeepsTheirResults) {
    ManualClock clock;
    CircuitBreaker breaker{plain_options()};
    trip(breaker, clock.now());
    clock.advance(10s);
    call(breaker, Outcome::success, clock.now());
    auto probe = admitted(breaker, clock.now());

    breaker.set_mode(CircuitMode::metrics_only, clock.now());
    breaker.set_mode(CircuitMode::normal, clock.now());
    probe.settle(Outcome::failure, clock.now());

    EXPECT_EQ(breaker.state(clock.now()), CircuitState::half_open);
    EXPECT_EQ(breaker.status(clock.now()).probes_in_flight, 0U);
    EXPECT_EQ(breaker.status(clock.now()).probe_successes, 1U);
}

TEST(CircuitBreakerModeTest, SwitchAppliesALeaseThatEndedBefore) {
    ManualClock clock;
    CircuitBreaker breaker{plain_options()};
    trip(breaker, clock.now());
    clock.advance(10s);
    const auto probe = admitted(breaker, clock.now(), Deadline::after(clock.now(), 2s));

    clock.advance(3s);
    breaker.set_mode(CircuitMode::forced_open, clock.now());

    EXPECT_EQ(breaker.state(clock.now()), CircuitState::open);
    EXPECT_EQ(breaker.status(clock.now()).state_age, 1s);
}

TEST(CircuitBreakerModeTest, ResetClearsEverythingExceptTheMode) {
    ManualClock clock;
    CircuitBreaker breaker{plain_options()};
    breaker.set_mode(CircuitMode::metrics_only, clock.now());
    call_times(breaker, 4, Outcome::failure, clock.now());
    auto stale = admitted(breaker, clock.now());

    breaker.reset(clock.now());
    stale.settle(Outcome::failure, clock.now());

    const CircuitStatus status = breaker.status(clock.now());
    EXPECT_EQ(status.mode, CircuitMode::metrics_only);
    EXPECT_EQ(status.state, CircuitState::closed);
    EXPECT_EQ(status.consecutive_failures, 0U);
    EXPECT_EQ(status.window, WindowCounts{});
    EXPECT_EQ(status.state_age, 0s);
    EXPECT_EQ(status.permits_outstanding, 0U);
}

TEST(CircuitBreakerModeTest, ResetAppliesALeaseThatEndedBefore) {
    ManualClock clock;
    RecordingObserver observer;
    CircuitBreaker breaker{plain_options(), {.name = "files", .observer = &observer}};
    trip(breaker, clock.now());
    clock.advance(10s);
    const auto probe = admitted(breaker, clock.now(), Deadline::after(clock.now(), 2s));
    clock.advance(3s);
    const auto generation = breaker.status(clock.now()).generation;
    observer.transitions.clear();

    breaker.reset(clock.now());

    EXPECT_EQ(breaker.status(clock.now()).generation, generation + 1);
    ASSERT_EQ(observer.transitions.size(), 2U);
    EXPECT_EQ(observer.transitions[0].second.cause, TransitionCause::probe_lease_expired);
    EXPECT_EQ(observer.transitions[1].second.from, CircuitState::open);
    EXPECT_EQ(observer.transitions[1].second.cause, TransitionCause::reset);
}

TEST(CircuitBreakerModeTest, ReconfigureKeepsStateCountsAndPermits) {
    ManualClock clock;
    CircuitBreaker breaker{plain_options()};
    call_times(breaker, 2, Outcome::failure, clock.now());
    auto permit = admitted(breaker, clock.now());
    const auto before = text_of(breaker.status(clock.now()));

    auto options = plain_options();
    options.failure_threshold = 4;
    options.window = 60s;
    options.probe_limit = 3;
    breaker.reconfigure(options, clock.now());

    EXPECT_EQ(text_of(breaker.status(clock.now())), before);
    EXPECT_EQ(breaker.options(), options);
    permit.settle(Outcome::failure, clock.now());
    EXPECT_EQ(breaker.state(clock.now()), CircuitState::closed);
    call(breaker, Outcome::failure, clock.now());
    EXPECT_EQ(breaker.state(clock.now()), CircuitState::open);
}

TEST(CircuitBreakerModeTest, ReconfigureKeepsProbesInFlight) {
    ManualClock clock;
    auto options = plain_options();
    options.probe_limit = 2;
    CircuitBreaker breaker{options};
    trip(breaker, clock.now());
    clock.advance(10s);
    auto first = admitted(breaker, clock.now());
    auto second = admitted(breaker, clock.now());

    options.probe_limit = 1;
    breaker.reconfigure(options, clock.now());
    EXPECT_EQ(breaker.status(clock.now()).probes_in_flight, 2U);
    first.settle(Outcome::success, clock.now());
    EXPECT_TRUE(refusal_of_call(breaker, clock.now()).has_value());
    second.settle(Outcome::success, clock.now());

    EXPECT_EQ(breaker.state(clock.now()), CircuitState::closed);
}

TEST(CircuitBreakerModeTest, ReconfigureKeepsTheCountsThatFitTheNewWindow) {
    ManualClock clock;
    CircuitBreaker breaker{plain_options()};
    call_times(breaker, 4, Outcome::success, clock.now());
    clock.advance(12s);
    call_times(breaker, 3, Outcome::success, clock.now());
    clock.advance(6s);
    call_times(breaker, 2, Outcome::failure, clock.now());
    auto options = plain_options();

    options.window = 9s;
    options.window_buckets = 3;
    breaker.reconfigure(options, clock.now());
    EXPECT_EQ(breaker.status(clock.now()).window, (WindowCounts{.calls = 5, .failures = 2}));
    breaker.reconfigure(plain_options(), clock.now());

    EXPECT_EQ(breaker.status(clock.now()).window, (WindowCounts{.calls = 5, .failures = 2}));
    EXPECT_EQ(breaker.status(clock.now() + 21s).window.calls, 5U);
    EXPECT_EQ(breaker.status(clock.now() + 24s).window.calls, 2U);
    EXPECT_EQ(breaker.status(clock.now() + 30s).window.calls, 0U);
}

TEST(CircuitBreakerModeTest, ReconfigureShortensAnOpenPeriodAndNeverLengthensIt) {
    ManualClock clock;
    CircuitBreaker breaker{plain_options()};
    trip(breaker, clock.now());
    clock.advance(2s);
    auto options = plain_options();

    options.open_for = 100s;
    breaker.reconfigure(options, clock.now());
    EXPECT_EQ(breaker.status(clock.now()).retry_after, 8s);
    options.open_for = 5s;
    breaker.reconfigure(options, clock.now());
    EXPECT_EQ(breaker.status(clock.now()).retry_after, 3s);
    options.open_for = 1s;
    breaker.reconfigure(options, clock.now());

    EXPECT_TRUE(breaker.status(clock.now()).can_attempt);
    EXPECT_EQ(breaker.state(clock.now()), CircuitState::open);
}

TEST(CircuitBreakerModeTest, ReconfigureLimitsAGrownOpenPeriodToTheNewGrowth) {
    ManualClock clock;
    auto options = plain_options();
    options.open_growth = 4.0;
    CircuitBreaker breaker{options};
    trip(breaker, clock.now());
    clock.advance(10s);
    call(breaker, Outcome::failure, clock.now());
    EXPECT_EQ(breaker.status(clock.now()).retry_after, 40s);

    options.open_growth = 3.0;
    breaker.reconfigure(options, clock.now());

    EXPECT_EQ(breaker.status(clock.now()).retry_after, 30s);
}

TEST(CircuitBreakerModeTest, LowerThresholdOpensWithTheNextFailureOnly) {
    ManualClock clock;
    CircuitBreaker breaker{plain_options()};
    call_times(breaker, 2, Outcome::failure, clock.now());
    auto options = plain_options();

    options.failure_threshold = 1;
    breaker.reconfigure(options, clock.now());
    EXPECT_EQ(breaker.state(clock.now()), CircuitState::closed);
    call(breaker, Outcome::failure, clock.now());

    EXPECT_EQ(breaker.state(clock.now()), CircuitState::open);
}

TEST(CircuitBreakerModeTest, AShorterWindowKeepsRecentCounts) {
    for (const auto& [length, buckets] : {std::pair{2s, 10U}, std::pair{20s, 1U}}) {
        ManualClock clock;
        auto options = plain_options();
        options.window = 30s;
        options.window_buckets = 1;
        CircuitBreaker breaker{options};
        clock.advance(25s);
        call_times(breaker, 1, Outcome::failure, clock.now());

        options.window = length;
        options.window_buckets = buckets;
        breaker.reconfigure(options, clock.now());

        EXPECT_EQ(breaker.status(clock.now()).window.failures, 1U);
    }
}

TEST(CircuitBreakerModeTest, NewThresholdsThatAreMetDecideImmediately) {
    struct Case {
        Outcome outcome;
        CircuitState expected;
    };
    for (const auto& [outcome, expected] : {Case{Outcome::success, CircuitState::closed},
                                            Case{Outcome::failure, CircuitState::open}}) {
        ManualClock clock;
        RecordingObserver observer;
        auto options = plain_options();
        options.successes_to_close = 3;
        options.failures_to_reopen = 3;
        CircuitBreaker breaker{options, {.name = "files", .observer = &observer}};
        trip(breaker, clock.now());
        clock.advance(10s);
        call_times(breaker, 2, outcome, clock.now());
        EXPECT_EQ(breaker.state(clock.now()), CircuitState::half_open);

        options.successes_to_close = 2;
        options.failures_to_reopen = 2;
        breaker.reconfigure(options, clock.now());

        EXPECT_EQ(breaker.state(clock.now()), expected);
        EXPECT_EQ(observer.transitions.back().second.cause, TransitionCause::reconfigured);
    }
}

TEST(CircuitBreakerModeTest, ReconfigureAppliesOldOptionsToLeasesThatEndedBefore) {
    ManualClock clock;
    CircuitBreaker breaker{plain_options()};
    trip(breaker, clock.now());
    clock.advance(10s);
    const auto probe = admitted(breaker, clock.now(), Deadline::after(clock.now(), 2s));
    auto options = plain_options();
    options.on_lease_expiry = LeaseExpiry::success;
    options.successes_to_close = 1;

    clock.advance(2s);
    breaker.reconfigure(options, clock.now());

    EXPECT_EQ(breaker.state(clock.now()), CircuitState::open);
}

void read_often(const CircuitBreaker& breaker, TimePoint now) {
    for (int index = 0; index < 10'000; ++index) {
        const TimePoint when = now + index * 10ms;
        std::ignore = breaker.status(when);
        std::ignore = breaker.state(when);
        std::ignore = breaker.refusal_at(when);
        if (index % 50 == 0) {
            std::ignore = breaker.snapshot(when);
        }
    }
}

TEST(CircuitBreakerModeTest, ReadingChangesNothing) {
    ManualClock clock;
    RecordingObserver observer;
    CircuitBreaker read{plain_options(), {.name = "files", .observer = &observer}};
    CircuitBreaker untouched{plain_options(), {.name = "files"}};
    const auto expect_same = [&] {
        const auto notified = observer.transitions.size() + observer.refusals.size();
        read_often(read, clock.now());
        EXPECT_EQ(text_of(read.status(clock.now())), text_of(untouched.status(clock.now())));
        EXPECT_EQ(text_of(read.snapshot(clock.now())), text_of(untouched.snapshot(clock.now())));
        EXPECT_EQ(read.last_used(), untouched.last_used());
        EXPECT_EQ(observer.transitions.size() + observer.refusals.size(), notified);
    };

    for (CircuitBreaker* breaker : {&read, &untouched}) {
        call_times(*breaker, 2, Outcome::failure, clock.now());
    }
    expect_same();
    trip(read, clock.now());
    trip(untouched, clock.now());
    expect_same();
    clock.advance(10s);
    auto read_probe = admitted(read, clock.now(), Deadline::after(clock.now(), 5s));
    auto untouched_probe = admitted(untouched, clock.now(), Deadline::after(clock.now(), 5s));
    expect_same();
    clock.advance(5s - 1ns);
    read_probe.settle(Outcome::success, clock.now());
    untouched_probe.settle(Outcome::success, clock.now());
    expect_same();

    EXPECT_EQ(read.status(clock.now()).probe_successes, 1U);
}

}  // namespace
}  // namespace holdfast::resilience
