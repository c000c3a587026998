#include <gtest/gtest.h>

#include <array>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "holdfast/resilience/backoff.hpp"
#include "holdfast/resilience/circuit_state.hpp"
#include "holdfast/resilience/observer.hpp"
#include "holdfast/resilience/outcome.hpp"
#include "holdfast/resilience/pipeline.hpp"
#include "holdfast/resilience/retry_sequence.hpp"

namespace holdfast::resilience {
namespace {

template <class Enum, std::size_t Size>
using Table = std::array<std::pair<Enum, std::string_view>, Size>;

/// Every enumerator has the name in the table, no two share one, and what is no enumerator has a
/// name as well.
template <class Enum, std::size_t Size>
void expect_names(const Table<Enum, Size>& table) {
    std::set<std::string_view> seen;
    for (const auto& [value, name] : table) {
        EXPECT_EQ(name_of(value), name);
        EXPECT_TRUE(seen.insert(name_of(value)).second) << name;
    }
    EXPECT_EQ(name_of(static_cast<Enum>(Size)), "unknown") << "an enumerator is missing here";
    EXPECT_EQ(name_of(static_cast<Enum>(1'000)), "unknown");
}

/// Names are read back, and anything else is answered with the list of what is accepted.
template <class Enum, std::size_t Size, class FromName>
void expect_read_back(const Table<Enum, Size>& table, FromName from_name) {
    for (const auto& [value, name] : table) {
        const Result<Enum> read = from_name(name);
        ASSERT_TRUE(read.has_value()) << name;
        EXPECT_EQ(*read, value);
    }
    const std::string known{table[0].second};
    for (const std::string& text : {std::string{}, std::string{"nonsense"}, known + " ",
                                    known.substr(1), std::string{"unknown"}}) {
        const Result<Enum> read = from_name(text);
        ASSERT_FALSE(read.has_value()) << text;
        EXPECT_EQ(read.error().code, Errc::unknown_name);
        EXPECT_NE(read.error().message.find("\"" + text + "\""), std::string::npos);
        for (const auto& [value, name] : table) {
            EXPECT_NE(read.error().message.find(name), std::string::npos) << read.error().message;
        }
    }
}

constexpr Table<CircuitState, 3> kStates{{
    {CircuitState::closed, "closed"},
    {CircuitState::open, "open"},
    {CircuitState::half_open, "half_open"},
}};

constexpr Table<CircuitMode, 4> kModes{{
    {CircuitMode::normal, "normal"},
    {CircuitMode::metrics_only, "metrics_only"},
    {CircuitMode::forced_open, "forced_open"},
    {CircuitMode::disabled, "disabled"},
}};

constexpr Table<Jitter, 4> kJitters{{
    {Jitter::none, "none"},
    {Jitter::proportional, "proportional"},
    {Jitter::full, "full"},
    {Jitter::decorrelated, "decorrelated"},
}};

TEST(NamesTest, OutcomesAreNamed) {
    expect_names(Table<Outcome, 3>{{
        {Outcome::success, "success"},
        {Outcome::failure, "failure"},
        {Outcome::neutral, "neutral"},
    }});
}

TEST(NamesTest, RefusalReasonsAreNamed) {
    expect_names(Table<RefusalReason, 7>{{
        {RefusalReason::circuit_open, "circuit_open"},
        {RefusalReason::circuit_probing, "circuit_probing"},
        {RefusalReason::circuit_forced_open, "circuit_forced_open"},
        {RefusalReason::rate_limited, "rate_limited"},
        {RefusalReason::queue_full, "queue_full"},
        {RefusalReason::queue_wait_exceeded, "queue_wait_exceeded"},
        {RefusalReason::key_limit_reached, "key_limit_reached"},
    }});
}

TEST(NamesTest, TransitionCausesAreNamed) {
    expect_names(Table<TransitionCause, 10>{{
        {TransitionCause::consecutive_failures, "consecutive_failures"},
        {TransitionCause::failure_rate, "failure_rate"},
        {TransitionCause::slow_call_rate, "slow_call_rate"},
        {TransitionCause::open_time_over, "open_time_over"},
        {TransitionCause::probes_succeeded, "probes_succeeded"},
        {TransitionCause::probe_failed, "probe_failed"},
        {TransitionCause::probe_lease_expired, "probe_lease_expired"},
        {TransitionCause::reset, "reset"},
        {TransitionCause::restored, "restored"},
        {TransitionCause::reconfigured, "reconfigured"},
    }});
}

TEST(NamesTest, RetryStopsAreNamed) {
    expect_names(Table<RetryStop, 7>{{
        {RetryStop::attempts_used_up, "attempts_used_up"},
        {RetryStop::deadline, "deadline"},
        {RetryStop::unsafe_repeat, "unsafe_repeat"},
        {RetryStop::not_retryable, "not_retryable"},
        {RetryStop::budget_exhausted, "budget_exhausted"},
        {RetryStop::refused, "refused"},
        {RetryStop::cancelled, "cancelled"},
    }});
}

TEST(NamesTest, CallEndingsAreNamed) {
    expect_names(Table<CallEnding, 6>{{
        {CallEnding::answered, "answered"},
        {CallEnding::cached, "cached"},
        {CallEnding::failed, "failed"},
        {CallEnding::refused, "refused"},
        {CallEnding::timed_out, "timed_out"},
        {CallEnding::cancelled, "cancelled"},
    }});
}

TEST(NamesTest, WhatACircuitCountsIsNamedAndReadBack) {
    constexpr Table<CircuitCounts, 2> kCounts{{
        {CircuitCounts::call, "call"},
        {CircuitCounts::attempt, "attempt"},
    }};
    expect_names(kCounts);
    expect_read_back(kCounts, &circuit_counts_from_name);
}

TEST(NamesTest, CircuitStatesAreNamedAndReadBack) {
    expect_names(kStates);
    expect_read_back(kStates, &circuit_state_from_name);
}

TEST(NamesTest, CircuitModesAreNamedAndReadBack) {
    expect_names(kModes);
    expect_read_back(kModes, &circuit_mode_from_name);
}

TEST(NamesTest, JitterKindsAreNamedAndReadBack) {
    expect_names(kJitters);
    expect_read_back(kJitters, &jitter_from_name);
}

TEST(NamesTest, AnUnknownNameIsAnsweredWithOneSentence) {
    const auto read = jitter_from_name("fuller");

    ASSERT_FALSE(read.has_value());
    EXPECT_EQ(read.error().message,
              "jitter kind must be one of none, proportional, full, decorrelated; got \"fuller\"");
}

}  // namespace
}  // namespace holdfast::resilience
