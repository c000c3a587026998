#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "holdfast/resilience/circuit_breaker.hpp"
#include "support/circuit_tools.hpp"
#include "support/manual_clock.hpp"
#include "support/preset_figures.hpp"

// What every row of a circuit table promises. The figures are those of the row as the test states
// them, the options those of the preset.

namespace holdfast::resilience::testing {

inline void expect_opens_after_failures_in_a_row(const CircuitBreakerOptions& options,
                                                 const CircuitFigures& row) {
    ManualClock clock;
    CircuitBreaker circuit{options};

    call_times(circuit, row.failures - 1, Outcome::failure, clock.now());
    call(circuit, Outcome::success, clock.now());
    call_times(circuit, row.failures - 1, Outcome::failure, clock.now());
    EXPECT_EQ(circuit.state(clock.now()), CircuitState::closed);

    call(circuit, Outcome::failure, clock.now());
    EXPECT_EQ(circuit.state(clock.now()), CircuitState::open);
}

inline void expect_stays_open_and_says_the_time_left(const CircuitBreakerOptions& options,
                                                     const CircuitFigures& row) {
    ManualClock clock;
    CircuitBreaker circuit{options};
    trip(circuit, clock.now());

    const TimePoint opened = clock.now();
    for (const Duration age : {Duration::zero(), row.open_for / 3, row.open_for - Duration{1}}) {
        const auto refusal = refusal_of_call(circuit, opened + age);
        EXPECT_EQ(refusal, (Refusal{RefusalReason::circuit_open, row.open_for - age}));
    }
    EXPECT_EQ(refusal_of_call(circuit, opened + row.open_for), std::nullopt);
}

inline void expect_limits_the_probes(const CircuitBreakerOptions& options,
                                     const CircuitFigures& row) {
    ManualClock clock;
    CircuitBreaker circuit{options};
    trip(circuit, clock.now());
    clock.advance(row.open_for);

    std::vector<CircuitBreaker::Permit> probes;
    for (std::uint32_t index = 0; index < row.probes; ++index) {
        probes.push_back(admitted(circuit, clock.now()));
        EXPECT_TRUE(probes.back().is_probe());
    }
    const auto refusal = refusal_of_call(circuit, clock.now());
    ASSERT_TRUE(refusal.has_value());
    EXPECT_EQ(refusal->reason, RefusalReason::circuit_probing);
}

inline void expect_closes_after_successes(const CircuitBreakerOptions& options,
                                          const CircuitFigures& row) {
    ManualClock clock;
    CircuitBreaker circuit{options};
    trip(circuit, clock.now());
    clock.advance(row.open_for);

    for (std::uint32_t successes = 1; successes < row.successes; ++successes) {
        call(circuit, Outcome::success, clock.now());
        EXPECT_EQ(circuit.state(clock.now()), CircuitState::half_open) << successes;
    }
    call(circuit, Outcome::success, clock.now());

    EXPECT_EQ(circuit.state(clock.now()), CircuitState::closed);
    EXPECT_EQ(circuit.status(clock.now()).consecutive_failures, 0U);
}

inline void expect_failed_probe_reopens(const CircuitBreakerOptions& options,
                                        const CircuitFigures& row) {
    ManualClock clock;
    CircuitBreaker circuit{options};
    trip(circuit, clock.now());

    for (int round = 0; round < 5; ++round) {
        clock.advance(row.open_for);
        call_times(circuit, row.successes - 1, Outcome::success, clock.now());
        call(circuit, Outcome::failure, clock.now());
        EXPECT_EQ(refusal_of_call(circuit, clock.now()),
                  (Refusal{RefusalReason::circuit_open, row.open_for}))
            << "the open time neither grows nor shrinks, round " << round;
    }
}

inline void expect_circuit_row(const CircuitBreakerOptions& options, const CircuitFigures& row) {
    expect_opens_after_failures_in_a_row(options, row);
    expect_stays_open_and_says_the_time_left(options, row);
    expect_limits_the_probes(options, row);
    expect_closes_after_successes(options, row);
    expect_failed_probe_reopens(options, row);
}

}  // namespace holdfast::resilience::testing
