// What changes the state of a circuit, and what does not: the table of states and events, and the
// three trips of the closed state. Probes and their leases are in circuit_breaker_probe_test.cpp,
// the length of the open time in circuit_breaker_open_time_test.cpp.

#include <gtest/gtest.h>

#include <optional>
#include <string>

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
using testing::trip;

enum class Start { closed, one_failure_short, open, open_time_over, half_open, one_success_short };
enum class Event { success, failure, neutral, drop, time, lease_end, reset, reconfigure };

struct Row {
    Start start;
    Event event;
    CircuitState expected;
};

constexpr auto kClosed = CircuitState::closed;
constexpr auto kOpen = CircuitState::open;
constexpr auto kHalfOpen = CircuitState::half_open;

constexpr Row kTable[] = {
    {Start::closed, Event::success, kClosed},
    {Start::closed, Event::failure, kClosed},
    {Start::closed, Event::neutral, kClosed},
    {Start::closed, Event::drop, kClosed},
    {Start::closed, Event::time, kClosed},
    {Start::closed, Event::lease_end, kClosed},
    {Start::closed, Event::reset, kClosed},
    {Start::closed, Event::reconfigure, kClosed},
    {Start::one_failure_short, Event::success, kClosed},
    {Start::one_failure_short, Event::failure, kOpen},
    {Start::one_failure_short, Event::neutral, kClosed},
    {Start::one_failure_short, Event::drop, kClosed},
    {Start::one_failure_short, Event::time, kClosed},
    {Start::one_failure_short, Event::lease_end, kClosed},
    {Start::one_failure_short, Event::reset, kClosed},
    {Start::one_failure_short, Event::reconfigure, kClosed},
    {Start::open, Event::success, kOpen},
    {Start::open, Event::failure, kOpen},
    {Start::open, Event::neutral, kOpen},
    {Start::open, Event::drop, kOpen},
    {Start::open, Event::time, kOpen},
    {Start::open, Event::lease_end, kOpen},
    {Start::open, Event::reset, kClosed},
    {Start::open, Event::reconfigure, kOpen},
    {Start::open_time_over, Event::success, kHalfOpen},
    {Start::open_time_over, Event::failure, kOpen},
    {Start::open_time_over, Event::neutral, kHalfOpen},
    {Start::open_time_over, Event::drop, kHalfOpen},
    {Start::open_time_over, Event::time, kOpen},
    {Start::open_time_over, Event::lease_end, kOpen},
    {Start::open_time_over, Event::reset, kClosed},
    {Start::open_time_over, Event::reconfigure, kOpen},
    {Start::half_open, Event::success, kHalfOpen},
    {Start::half_open, Event::failure, kOpen},
    {Start::half_open, Event::neutral, kHalfOpen},
    {Start::half_open, Event::drop, kHalfOpen},
    {Start::half_open, Event::time, kHalfOpen},
    {Start::half_open, Event::lease_end, kOpen},
    {Start::half_open, Event::reset, kClosed},
    {Start::half_open, Event::reconfigure, kHalfOpen},
    {Start::one_success_short, Event::success, kClosed},
    {Start::one_success_short, Event::failure, kOpen},
    {Start::one_success_short, Event::neutral, kClosed},
    {Start::one_success_short, Event::drop, kHalfOpen},
    {Start::one_success_short, Event::time, kHalfOpen},
    {Start::one_success_short, Event::lease_end, kOpen},
    {Start::one_success_short, Event::reset, kClosed},
    {Start::one_success_short, Event::reconfigure, kHalfOpen},
};

void bring_to(Start start, CircuitBreaker& breaker, ManualClock& clock) {
    if (start == Start::closed) {
        return;
    }
    if (start == Start::one_failure_short) {
        call_times(breaker, 2, Outcome::failure, clock.now());
        return;
    }
    trip(breaker, clock.now());
    if (start == Start::open) {
        return;
    }
    clock.advance(10s);
    if (start == Start::half_open) {
        admitted(breaker, clock.now()).drop();
    } else if (start == Start::one_success_short) {
        call(breaker, Outcome::success, clock.now());
    }
}

void settle_if_admitted(CircuitBreaker& breaker, Outcome outcome, TimePoint now) {
    if (auto permit = breaker.try_acquire(now)) {
        permit->settle(outcome, now);
    }
}

/// A call that is not answered before its lease ends, and whose caller gives up later.
void outlive_lease(CircuitBreaker& breaker, ManualClock& clock) {
    auto permit = breaker.try_acquire(clock.now(), Deadline::after(clock.now(), 7s));
    clock.advance(7s);
    breaker.reconfigure(breaker.options(), clock.now());
}

void bring_about(Event event, CircuitBreaker& breaker, ManualClock& clock) {
    switch (event) {
        case Event::success:
            return settle_if_admitted(breaker, Outcome::success, clock.now());
        case Event::failure:
            return settle_if_admitted(breaker, Outcome::failure, clock.now());
        case Event::neutral:
            return settle_if_admitted(breaker, Outcome::neutral, clock.now());
        case Event::drop:
            return static_cast<void>(refusal_of_call(breaker, clock.now()));
        case Event::time:
            return clock.advance(24h);
        case Event::lease_end:
            return outlive_lease(breaker, clock);
        case Event::reset:
            return breaker.reset(clock.now());
        case Event::reconfigure:
            return breaker.reconfigure(breaker.options(), clock.now());
    }
}

TEST(CircuitBreakerTransitionTest, FollowsTheTableOfStatesAndEvents) {
    for (const Row& row : kTable) {
        SCOPED_TRACE("row " + std::to_string(&row - kTable));
        ManualClock clock;
        CircuitBreaker breaker{plain_options()};
        bring_to(row.start, breaker, clock);

        bring_about(row.event, breaker, clock);

        EXPECT_EQ(breaker.state(clock.now()), row.expected);
        EXPECT_EQ(breaker.status(clock.now()).state, row.expected);
        EXPECT_EQ(breaker.permits_outstanding(), 0U);
    }
}

TEST(CircuitBreakerTransitionTest, OpensAtTheThresholdOfConsecutiveFailures) {
    ManualClock clock;
    RecordingObserver observer;
    CircuitBreaker breaker{plain_options(), {.name = "files", .observer = &observer}};

    call_times(breaker, 2, Outcome::failure, clock.now());
    EXPECT_EQ(breaker.state(clock.now()), kClosed);
    call(breaker, Outcome::failure, clock.now());

    EXPECT_EQ(breaker.state(clock.now()), kOpen);
    ASSERT_EQ(observer.transitions.size(), 1U);
    EXPECT_EQ(observer.transitions[0].second.cause, TransitionCause::consecutive_failures);
}

TEST(CircuitBreakerTransitionTest, SuccessResetsTheCount) {
    ManualClock clock;
    CircuitBreaker breaker{plain_options()};

    call_times(breaker, 2, Outcome::failure, clock.now());
    call(breaker, Outcome::success, clock.now());
    EXPECT_EQ(breaker.status(clock.now()).consecutive_failures, 0U);
    call_times(breaker, 2, Outcome::failure, clock.now());

    EXPECT_EQ(breaker.state(clock.now()), kClosed);
    EXPECT_EQ(breaker.status(clock.now()).consecutive_failures, 2U);
}

TEST(CircuitBreakerTransitionTest, NeutralNeitherCountsNorResetsTheCount) {
    ManualClock clock;
    CircuitBreaker breaker{plain_options()};

    call_times(breaker, 2, Outcome::failure, clock.now());
    call_times(breaker, 50, Outcome::neutral, clock.now());
    EXPECT_EQ(breaker.status(clock.now()).consecutive_failures, 2U);
    EXPECT_EQ(breaker.status(clock.now()).window, (WindowCounts{.calls = 2, .failures = 2}));
    call(breaker, Outcome::failure, clock.now());

    EXPECT_EQ(breaker.state(clock.now()), kOpen);
}

TEST(CircuitBreakerTransitionTest, ZeroThresholdTurnsTheTripOff) {
    ManualClock clock;
    auto options = plain_options();
    options.failure_threshold = 0;
    options.failure_rate = 1.0;
    CircuitBreaker breaker{options};

    call(breaker, Outcome::success, clock.now());
    call_times(breaker, 100, Outcome::failure, clock.now());

    EXPECT_EQ(breaker.state(clock.now()), kClosed);
}

CircuitBreakerOptions rate_options(double rate) {
    auto options = plain_options();
    options.failure_threshold = 0;
    options.failure_rate = rate;
    return options;
}

TEST(CircuitBreakerTransitionTest, RateDoesNotApplyBelowTheMinimumVolume) {
    ManualClock clock;
    RecordingObserver observer;
    CircuitBreaker breaker{rate_options(0.5), {.name = "files", .observer = &observer}};

    call_times(breaker, 9, Outcome::failure, clock.now());
    EXPECT_EQ(breaker.state(clock.now()), kClosed);
    call(breaker, Outcome::failure, clock.now());

    EXPECT_EQ(breaker.state(clock.now()), kOpen);
    ASSERT_EQ(observer.transitions.size(), 1U);
    EXPECT_EQ(observer.transitions[0].second.cause, TransitionCause::failure_rate);
}

TEST(CircuitBreakerTransitionTest, RateTripsExactlyWhenItIsReached) {
    ManualClock clock;
    CircuitBreaker breaker{rate_options(0.5)};

    call_times(breaker, 6, Outcome::success, clock.now());
    call_times(breaker, 5, Outcome::failure, clock.now());
    EXPECT_EQ(breaker.state(clock.now()), kClosed);
    call(breaker, Outcome::failure, clock.now());

    EXPECT_EQ(breaker.state(clock.now()), kOpen);
}

TEST(CircuitBreakerTransitionTest, RateIsADecimalFractionAsWritten) {
    ManualClock clock;
    CircuitBreaker breaker{rate_options(0.1)};

    call_times(breaker, 27, Outcome::success, clock.now());
    call_times(breaker, 2, Outcome::failure, clock.now());
    EXPECT_EQ(breaker.state(clock.now()), kClosed);
    call(breaker, Outcome::failure, clock.now());

    EXPECT_EQ(breaker.state(clock.now()), kOpen) << "3 of 30 are a tenth";
}

TEST(CircuitBreakerTransitionTest, SuccessNeverOpensEvenIfItCompletesTheVolume) {
    ManualClock clock;
    CircuitBreaker breaker{rate_options(0.5)};

    call_times(breaker, 9, Outcome::failure, clock.now());
    call(breaker, Outcome::success, clock.now());
    EXPECT_EQ(breaker.state(clock.now()), kClosed);
    call(breaker, Outcome::neutral, clock.now());
    EXPECT_EQ(breaker.state(clock.now()), kClosed);
    call(breaker, Outcome::failure, clock.now());

    EXPECT_EQ(breaker.state(clock.now()), kOpen);
}

TEST(CircuitBreakerTransitionTest, RateIgnoresCallsOutsideTheWindow) {
    ManualClock clock;
    CircuitBreaker breaker{rate_options(0.5)};

    call_times(breaker, 9, Outcome::failure, clock.now());
    clock.advance(30s);
    EXPECT_EQ(breaker.status(clock.now()).window, WindowCounts{});
    call(breaker, Outcome::failure, clock.now());

    EXPECT_EQ(breaker.state(clock.now()), kClosed);
    EXPECT_EQ(breaker.status(clock.now()).window, (WindowCounts{.calls = 1, .failures = 1}));
}

TEST(CircuitBreakerTransitionTest, WindowMovesBucketByBucket) {
    ManualClock clock;
    CircuitBreaker breaker{rate_options(1.0)};

    for (int bucket = 0; bucket < 10; ++bucket) {
        call(breaker, Outcome::success, clock.now());
        clock.advance(3s);
    }

    for (std::uint32_t left = 9; left > 0; --left) {
        EXPECT_EQ(breaker.status(clock.now()).window.calls, left);
        EXPECT_EQ(breaker.status(clock.now() + 3s - 1ns).window.calls, left);
        clock.advance(3s);
    }
    EXPECT_EQ(breaker.status(clock.now()).window.calls, 0U);
}

CircuitBreakerOptions slow_options() {
    auto options = plain_options();
    options.failure_threshold = 0;
    options.slow_calls = SlowCallTrip{.rate = 0.8, .slow_after = 2s};
    return options;
}

void slow_call(CircuitBreaker& breaker, Duration takes, Outcome outcome, TimePoint end) {
    admitted(breaker, end - takes).settle(outcome, end);
}

TEST(CircuitBreakerTransitionTest, SlowSuccessesOpenAtTheirRate) {
    ManualClock clock;
    RecordingObserver observer;
    CircuitBreaker breaker{slow_options(), {.name = "files", .observer = &observer}};

    call_times(breaker, 2, Outcome::success, clock.now());
    for (int index = 0; index < 7; ++index) {
        slow_call(breaker, 2s, Outcome::success, clock.now());
    }
    EXPECT_EQ(breaker.state(clock.now()), kClosed);
    EXPECT_EQ(breaker.status(clock.now()).window, (WindowCounts{.calls = 9, .slow = 7}));
    slow_call(breaker, 2s, Outcome::success, clock.now());

    EXPECT_EQ(breaker.state(clock.now()), kOpen);
    ASSERT_EQ(observer.transitions.size(), 1U);
    EXPECT_EQ(observer.transitions[0].second.cause, TransitionCause::slow_call_rate);
}

TEST(CircuitBreakerTransitionTest, CallIsSlowFromTheConfiguredDuration) {
    ManualClock clock;
    CircuitBreaker breaker{slow_options()};

    slow_call(breaker, 2s - 1ns, Outcome::success, clock.now());
    EXPECT_EQ(breaker.status(clock.now()).window.slow, 0U);
    slow_call(breaker, 2s, Outcome::failure, clock.now());

    EXPECT_EQ(breaker.status(clock.now()).window,
              (WindowCounts{.calls = 2, .failures = 1, .slow = 1}));
}

TEST(CircuitBreakerTransitionTest, FastSuccessDoesNotOpenAtTheSlowRate) {
    ManualClock clock;
    CircuitBreaker breaker{slow_options()};

    for (int index = 0; index < 9; ++index) {
        slow_call(breaker, 5s, Outcome::success, clock.now());
    }
    call(breaker, Outcome::success, clock.now());

    EXPECT_EQ(breaker.state(clock.now()), kClosed);
}

TEST(CircuitBreakerTransitionTest, OpenRefusesWithTheExactTimeLeftAndNeverChangesByItself) {
    ManualClock clock;
    CircuitBreaker breaker{plain_options()};
    trip(breaker, clock.now());

    const Refusal at_once{RefusalReason::circuit_open, 10s};
    EXPECT_EQ(refusal_of_call(breaker, clock.now()), at_once);
    clock.advance(10s - 1ns);
    const Refusal at_last{RefusalReason::circuit_open, 1ns};
    EXPECT_EQ(refusal_of_call(breaker, clock.now()), at_last);
    EXPECT_EQ(breaker.refusal_at(clock.now()), at_last);
    clock.advance(1ns);
    EXPECT_EQ(breaker.refusal_at(clock.now()), std::nullopt);
    EXPECT_EQ(breaker.state(clock.now()), kOpen);

    const auto probe = admitted(breaker, clock.now());

    EXPECT_TRUE(probe.is_probe());
    EXPECT_EQ(breaker.state(clock.now()), kHalfOpen);
}

TEST(CircuitBreakerTransitionTest, ForcedOpenRefusesWithoutATime) {
    ManualClock clock;
    CircuitBreaker breaker{plain_options()};

    breaker.set_mode(CircuitMode::forced_open, clock.now());

    const Refusal forced{RefusalReason::circuit_forced_open, std::nullopt};
    EXPECT_EQ(refusal_of_call(breaker, clock.now()), forced);
    EXPECT_EQ(breaker.refusal_at(clock.now()), forced);
    EXPECT_FALSE(breaker.status(clock.now()).can_attempt);
    EXPECT_EQ(breaker.status(clock.now()).retry_after, std::nullopt);
}

TEST(CircuitBreakerTransitionTest, ClosingClearsCountsFromBeforeTheOutage) {
    ManualClock clock;
    CircuitBreaker breaker{plain_options()};
    trip(breaker, clock.now());
    clock.advance(10s);

    call_times(breaker, 2, Outcome::success, clock.now());

    EXPECT_EQ(breaker.state(clock.now()), kClosed);
    EXPECT_EQ(breaker.status(clock.now()).window, WindowCounts{});
    EXPECT_EQ(breaker.status(clock.now()).consecutive_failures, 0U);
}

}  // namespace
}  // namespace holdfast::resilience
