// The half-open circuit: how many probes pass, what their outcomes lead to, what an expired lease
// does, and which answers come too late to count.

#include <gtest/gtest.h>

#include <optional>
#include <vector>

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

CircuitBreakerOptions probe_options(std::uint32_t limit, std::uint32_t to_close,
                                    std::uint32_t to_reopen) {
    auto options = plain_options();
    options.probe_limit = limit;
    options.successes_to_close = to_close;
    options.failures_to_reopen = to_reopen;
    return options;
}

/// Opens the circuit and lets its open time pass.
void make_ready_to_probe(CircuitBreaker& breaker, ManualClock& clock) {
    trip(breaker, clock.now());
    clock.advance(breaker.refusal_at(clock.now())->retry_after.value());
}

Deadline lease_of(const ManualClock& clock, Duration length) {
    return Deadline::after(clock.now(), length);
}

TEST(CircuitBreakerProbeTest, AdmitsProbesUpToTheLimitAndReportsTheEarliestLease) {
    ManualClock clock;
    CircuitBreaker breaker{probe_options(3, 5, 1)};
    make_ready_to_probe(breaker, clock);

    const auto first = admitted(breaker, clock.now(), lease_of(clock, 9s));
    const auto second = admitted(breaker, clock.now(), lease_of(clock, 4s));
    const auto third = admitted(breaker, clock.now(), lease_of(clock, 6s));
    clock.advance(1s);

    const Refusal probing{RefusalReason::circuit_probing, 3s};
    EXPECT_EQ(refusal_of_call(breaker, clock.now()), probing);
    EXPECT_EQ(breaker.refusal_at(clock.now()), probing);
    EXPECT_EQ(breaker.status(clock.now()).probes_in_flight, 3U);
    EXPECT_EQ(breaker.status(clock.now()).retry_after, 3s);
}

TEST(CircuitBreakerProbeTest, NeverSendsMoreProbesThanSuccessesAreMissing) {
    ManualClock clock;
    CircuitBreaker breaker{probe_options(5, 2, 1)};
    make_ready_to_probe(breaker, clock);

    auto first = admitted(breaker, clock.now());
    auto second = admitted(breaker, clock.now());
    EXPECT_TRUE(refusal_of_call(breaker, clock.now()).has_value());
    first.settle(Outcome::success, clock.now());
    EXPECT_TRUE(refusal_of_call(breaker, clock.now()).has_value()) << "one is missing, one is sent";
    second.drop();

    EXPECT_FALSE(refusal_of_call(breaker, clock.now()).has_value());
}

TEST(CircuitBreakerProbeTest, ClosesAtTheGivenNumberOfSuccesses) {
    ManualClock clock;
    CircuitBreaker breaker{probe_options(1, 3, 1)};
    make_ready_to_probe(breaker, clock);

    call_times(breaker, 2, Outcome::success, clock.now());
    EXPECT_EQ(breaker.state(clock.now()), CircuitState::half_open);
    EXPECT_EQ(breaker.status(clock.now()).probe_successes, 2U);
    call(breaker, Outcome::success, clock.now());

    EXPECT_EQ(breaker.state(clock.now()), CircuitState::closed);
    EXPECT_EQ(breaker.status(clock.now()).probe_successes, 0U);
}

TEST(CircuitBreakerProbeTest, NeutralAnswerOfAProbeIsASuccess) {
    ManualClock clock;
    CircuitBreaker breaker{probe_options(1, 2, 1)};
    make_ready_to_probe(breaker, clock);

    call_times(breaker, 2, Outcome::neutral, clock.now());

    EXPECT_EQ(breaker.state(clock.now()), CircuitState::closed);
}

TEST(CircuitBreakerProbeTest, ToleratesAFlakyProbeIfConfigured) {
    ManualClock clock;
    CircuitBreaker breaker{probe_options(1, 2, 2)};
    make_ready_to_probe(breaker, clock);

    call(breaker, Outcome::success, clock.now());
    call(breaker, Outcome::failure, clock.now());
    EXPECT_EQ(breaker.state(clock.now()), CircuitState::half_open);
    EXPECT_EQ(breaker.status(clock.now()).probe_successes, 1U);
    call(breaker, Outcome::success, clock.now());

    EXPECT_EQ(breaker.state(clock.now()), CircuitState::closed);
}

TEST(CircuitBreakerProbeTest, ReopensAtTheGivenNumberOfFailures) {
    ManualClock clock;
    CircuitBreaker breaker{probe_options(1, 3, 2)};
    make_ready_to_probe(breaker, clock);

    call(breaker, Outcome::failure, clock.now());
    call_times(breaker, 2, Outcome::success, clock.now());
    EXPECT_EQ(breaker.state(clock.now()), CircuitState::half_open);
    call(breaker, Outcome::failure, clock.now());

    EXPECT_EQ(breaker.state(clock.now()), CircuitState::open);
}

TEST(CircuitBreakerProbeTest, ClearsCountsOfAnEarlierHalfOpenPeriod) {
    ManualClock clock;
    CircuitBreaker breaker{probe_options(1, 2, 1)};
    make_ready_to_probe(breaker, clock);
    call(breaker, Outcome::success, clock.now());
    call(breaker, Outcome::failure, clock.now());
    clock.advance(10s);

    call(breaker, Outcome::success, clock.now());

    EXPECT_EQ(breaker.state(clock.now()), CircuitState::half_open);
    EXPECT_EQ(breaker.status(clock.now()).probe_successes, 1U);
}

TEST(CircuitBreakerProbeTest, SlowProbeFailsIfTheSlowTripIsOn) {
    ManualClock clock;
    auto options = probe_options(1, 1, 1);
    options.slow_calls = SlowCallTrip{.rate = 1.0, .slow_after = 2s};
    CircuitBreaker breaker{options};
    make_ready_to_probe(breaker, clock);
    auto probe = admitted(breaker, clock.now());

    clock.advance(2s);
    probe.settle(Outcome::success, clock.now());

    EXPECT_EQ(breaker.state(clock.now()), CircuitState::open);
}

TEST(CircuitBreakerProbeTest, DroppedProbeOnlyFreesItsSlot) {
    ManualClock clock;
    CircuitBreaker breaker{probe_options(1, 2, 1)};
    make_ready_to_probe(breaker, clock);
    call(breaker, Outcome::success, clock.now());
    const auto before = text_of(breaker.status(clock.now()));

    {
        const auto dropped = admitted(breaker, clock.now());
    }

    EXPECT_EQ(text_of(breaker.status(clock.now())), before);
    EXPECT_FALSE(refusal_of_call(breaker, clock.now()).has_value());
}

TEST(CircuitBreakerProbeTest, ExpiredLeaseReopensAsOfItsEnd) {
    ManualClock clock;
    RecordingObserver observer;
    CircuitBreaker breaker{plain_options(), {.name = "files", .observer = &observer}};
    make_ready_to_probe(breaker, clock);
    const auto probe = admitted(breaker, clock.now(), lease_of(clock, 4s));
    const TimePoint lease_end = clock.now() + 4s;

    clock.advance(4s - 1ns);
    EXPECT_EQ(breaker.state(clock.now()), CircuitState::half_open);
    clock.advance(7s + 1ns);

    EXPECT_EQ(breaker.state(clock.now()), CircuitState::open);
    EXPECT_EQ(breaker.status(clock.now()).state_age, 7s);
    EXPECT_EQ(refusal_of_call(breaker, clock.now()), (Refusal{RefusalReason::circuit_open, 3s}));
    ASSERT_EQ(observer.transitions.size(), 3U);
    const CircuitTransition& reopened = observer.transitions.back().second;
    EXPECT_EQ(reopened.cause, TransitionCause::probe_lease_expired);
    EXPECT_EQ(reopened.at, lease_end);
    EXPECT_EQ(reopened.open_for, 10s);
}

TEST(CircuitBreakerProbeTest, LeaseEndsAtItsInstant) {
    ManualClock clock;
    CircuitBreaker breaker{probe_options(1, 1, 1)};
    make_ready_to_probe(breaker, clock);
    auto probe = admitted(breaker, clock.now(), lease_of(clock, 4s));

    clock.advance(4s);
    probe.settle(Outcome::success, clock.now());

    EXPECT_EQ(breaker.state(clock.now()), CircuitState::open);
}

TEST(CircuitBreakerProbeTest, NextCallIsAProbeIfTheReopenedPeriodHasEndedToo) {
    ManualClock clock;
    CircuitBreaker breaker{plain_options()};
    make_ready_to_probe(breaker, clock);
    const auto lost = admitted(breaker, clock.now(), lease_of(clock, 4s));

    clock.advance(4s + 10s);
    EXPECT_EQ(breaker.refusal_at(clock.now()), std::nullopt);
    const auto next = admitted(breaker, clock.now());

    EXPECT_TRUE(next.is_probe());
    EXPECT_EQ(breaker.status(clock.now()).probes_in_flight, 1U);
    EXPECT_EQ(breaker.status(clock.now()).state_age, 0s);
}

TEST(CircuitBreakerProbeTest, EarliestOfSeveralLeasesReopensAndOthersDoNotCount) {
    ManualClock clock;
    CircuitBreaker breaker{probe_options(3, 3, 1)};
    make_ready_to_probe(breaker, clock);
    auto late = admitted(breaker, clock.now(), lease_of(clock, 8s));
    const auto early = admitted(breaker, clock.now(), lease_of(clock, 2s));
    const auto middle = admitted(breaker, clock.now(), lease_of(clock, 5s));

    clock.advance(8s - 1ns);
    late.settle(Outcome::success, clock.now());

    const CircuitStatus status = breaker.status(clock.now());
    EXPECT_EQ(status.state, CircuitState::open);
    EXPECT_EQ(status.state_age, 6s - 1ns);
    EXPECT_EQ(status.probes_in_flight, 0U);
    EXPECT_EQ(status.permits_outstanding, 2U);
}

TEST(CircuitBreakerProbeTest, EveryExpiredLeaseCounts) {
    ManualClock clock;
    CircuitBreaker breaker{probe_options(3, 3, 2)};
    make_ready_to_probe(breaker, clock);
    const auto first = admitted(breaker, clock.now(), lease_of(clock, 5s));
    const auto second = admitted(breaker, clock.now(), lease_of(clock, 2s));

    EXPECT_EQ(breaker.state(clock.now() + 5s - 1ns), CircuitState::half_open);
    EXPECT_EQ(breaker.status(clock.now() + 2s).probes_in_flight, 1U);

    EXPECT_EQ(breaker.status(clock.now() + 6s).state, CircuitState::open);
    EXPECT_EQ(breaker.status(clock.now() + 6s).state_age, 1s);
}

TEST(CircuitBreakerProbeTest, ProbeWithoutADeadlineGetsTheOptionsLease) {
    for (const Duration lease : {Duration::max(), Duration{0s}, Duration{-1s}}) {
        ManualClock clock;
        CircuitBreaker breaker{plain_options()};
        make_ready_to_probe(breaker, clock);

        const auto probe = admitted(breaker, clock.now(), lease_of(clock, lease));

        EXPECT_EQ(breaker.refusal_at(clock.now())->retry_after, 30s);
    }
}

CircuitBreakerOptions forgiving_options() {
    auto options = probe_options(2, 2, 1);
    options.on_lease_expiry = LeaseExpiry::success;
    return options;
}

TEST(CircuitBreakerProbeTest, ExpiredLeaseMayCountAsSuccess) {
    ManualClock clock;
    CircuitBreaker breaker{forgiving_options()};
    make_ready_to_probe(breaker, clock);
    const auto first = admitted(breaker, clock.now(), lease_of(clock, 4s));
    const auto second = admitted(breaker, clock.now(), lease_of(clock, 6s));

    EXPECT_EQ(breaker.status(clock.now() + 4s).probe_successes, 1U);
    clock.advance(9s);
    const auto next = admitted(breaker, clock.now());

    EXPECT_FALSE(next.is_probe());
    EXPECT_EQ(breaker.state(clock.now()), CircuitState::closed);
    EXPECT_EQ(breaker.status(clock.now()).state_age, 3s);
}

TEST(CircuitBreakerProbeTest, CircuitClosedByALeaseReadsTheSameBeforeTheNextOperation) {
    ManualClock clock;
    CircuitBreaker breaker{forgiving_options()};
    make_ready_to_probe(breaker, clock);
    const auto first = admitted(breaker, clock.now(), lease_of(clock, 4s));
    const auto second = admitted(breaker, clock.now(), lease_of(clock, 4s));
    clock.advance(4s);

    const auto unnoticed_status = breaker.status(clock.now());
    const auto unnoticed_snapshot = breaker.snapshot(clock.now());
    breaker.reconfigure(breaker.options(), clock.now());

    EXPECT_EQ(text_of(unnoticed_status), text_of(breaker.status(clock.now())));
    EXPECT_EQ(text_of(unnoticed_snapshot), text_of(breaker.snapshot(clock.now())));
    EXPECT_EQ(unnoticed_status.window, WindowCounts{}) << "closing forgets the outage";
}

TEST(CircuitBreakerProbeTest, LateAnswerOfAClosedAdmissionChangesNothing) {
    for (const Outcome outcome : {Outcome::success, Outcome::failure, Outcome::neutral}) {
        ManualClock clock;
        CircuitBreaker breaker{plain_options()};
        auto while_open = admitted(breaker, clock.now());
        auto while_probing = admitted(breaker, clock.now());
        auto after_closing = admitted(breaker, clock.now());
        const auto settle_late = [&](CircuitBreaker::Permit& permit) {
            auto before = breaker.status(clock.now());
            permit.settle(outcome, clock.now());
            --before.permits_outstanding;
            EXPECT_EQ(text_of(before), text_of(breaker.status(clock.now())));
        };

        make_ready_to_probe(breaker, clock);
        settle_late(while_open);
        call(breaker, Outcome::success, clock.now());
        settle_late(while_probing);
        call(breaker, Outcome::success, clock.now());
        settle_late(after_closing);

        EXPECT_EQ(breaker.state(clock.now()), CircuitState::closed);
    }
}

TEST(CircuitBreakerProbeTest, LateAnswerOfAProbeChangesNothing) {
    for (const Outcome outcome : {Outcome::success, Outcome::failure, Outcome::neutral}) {
        ManualClock clock;
        CircuitBreaker breaker{probe_options(3, 3, 1)};
        make_ready_to_probe(breaker, clock);
        auto while_open = admitted(breaker, clock.now());
        auto while_probing = admitted(breaker, clock.now());
        call(breaker, Outcome::failure, clock.now());

        while_open.settle(outcome, clock.now());
        EXPECT_EQ(breaker.refusal_at(clock.now()), (Refusal{RefusalReason::circuit_open, 10s}));
        clock.advance(10s);
        const auto probe = admitted(breaker, clock.now());
        while_probing.settle(outcome, clock.now());

        EXPECT_EQ(breaker.state(clock.now()), CircuitState::half_open);
        EXPECT_EQ(breaker.status(clock.now()).probes_in_flight, 1U);
        EXPECT_EQ(breaker.status(clock.now()).probe_successes, 0U);
    }
}

TEST(CircuitBreakerProbeTest, LateAnswerOfAnExpiredLeaseDoesNotAffectTheNextProbe) {
    for (const bool dropped : {false, true}) {
        ManualClock clock;
        CircuitBreaker breaker{probe_options(1, 2, 2)};
        make_ready_to_probe(breaker, clock);
        auto expired = admitted(breaker, clock.now(), lease_of(clock, 2s));
        clock.advance(2s);
        auto holder = admitted(breaker, clock.now(), lease_of(clock, 5s));
        const auto before = breaker.status(clock.now());

        if (dropped) {
            expired.drop();
        } else {
            expired.settle(Outcome::failure, clock.now());
        }

        auto expected = before;
        --expected.permits_outstanding;
        EXPECT_EQ(text_of(expected), text_of(breaker.status(clock.now())));
        holder.settle(Outcome::success, clock.now());
        EXPECT_EQ(breaker.status(clock.now()).probe_successes, 1U);
    }
}

}  // namespace
}  // namespace holdfast::resilience
