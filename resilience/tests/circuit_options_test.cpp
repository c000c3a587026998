#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <string>

#include "holdfast/resilience/circuit_breaker_options.hpp"
#include "holdfast/resilience/circuit_registry.hpp"
#include "holdfast/resilience/circuit_state.hpp"
#include "holdfast/resilience/observer.hpp"

namespace holdfast::resilience {
namespace {

using namespace std::chrono_literals;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

template <class Options>
struct Mutation {
    const char* sentence_start;  ///< The option's full name and the beginning of the message.
    std::function<void(Options&)> change;
};
using Bad = Mutation<CircuitBreakerOptions>;
using Good = std::function<void(CircuitBreakerOptions&)>;

TEST(CircuitOptionsTest, RejectsEachInvalidOptionByName) {
    const Bad cases[] = {
        {"circuit.failure_threshold must",
         [](auto& o) {
             o.failure_threshold = 0;
             o.failure_rate = std::nullopt;
         }},
        {"circuit.failure_rate must", [](auto& o) { o.failure_rate = 0.0; }},
        {"circuit.failure_rate must", [](auto& o) { o.failure_rate = -0.1; }},
        {"circuit.failure_rate must", [](auto& o) { o.failure_rate = 1.001; }},
        {"circuit.failure_rate must", [](auto& o) { o.failure_rate = kNaN; }},
        {"circuit.slow_calls.rate must", [](auto& o) { o.slow_calls = {.rate = 0.0}; }},
        {"circuit.slow_calls.rate must", [](auto& o) { o.slow_calls = {.rate = 1.5}; }},
        {"circuit.slow_calls.rate must", [](auto& o) { o.slow_calls = {.rate = kNaN}; }},
        {"circuit.slow_calls.slow_after must", [](auto& o) { o.slow_calls = {.slow_after = 0s}; }},
        {"circuit.slow_calls.slow_after must", [](auto& o) { o.slow_calls = {.slow_after = -1s}; }},
        {"circuit.minimum_calls must", [](auto& o) { o.minimum_calls = 0; }},
        {"circuit.window must", [](auto& o) { o.window = 0s; }},
        {"circuit.window must", [](auto& o) { o.window = -1s; }},
        {"circuit.window must", [](auto& o) { o.window = 9ns; }},
        {"circuit.window_buckets must", [](auto& o) { o.window_buckets = 0; }},
        {"circuit.window_buckets must", [](auto& o) { o.window_buckets = 1'001; }},
        {"circuit.open_for must", [](auto& o) { o.open_for = 0s; }},
        {"circuit.open_for must", [](auto& o) { o.open_for = -5s; }},
        {"circuit.open_growth must", [](auto& o) { o.open_growth = 0.99; }},
        {"circuit.open_growth must", [](auto& o) { o.open_growth = kInfinity; }},
        {"circuit.open_growth must", [](auto& o) { o.open_growth = kNaN; }},
        {"circuit.max_open_for must not be below circuit.open_for (5s), got 4999ms",
         [](auto& o) { o.max_open_for = 4'999ms; }},
        {"circuit.open_jitter must", [](auto& o) { o.open_jitter = -0.01; }},
        {"circuit.open_jitter must", [](auto& o) { o.open_jitter = 1.01; }},
        {"circuit.open_jitter must", [](auto& o) { o.open_jitter = kNaN; }},
        {"circuit.probe_limit must", [](auto& o) { o.probe_limit = 0; }},
        {"circuit.probe_limit must", [](auto& o) { o.probe_limit = 17; }},
        {"circuit.successes_to_close must", [](auto& o) { o.successes_to_close = 0; }},
        {"circuit.failures_to_reopen must", [](auto& o) { o.failures_to_reopen = 0; }},
        {"circuit.probe_lease must", [](auto& o) { o.probe_lease = 0s; }},
        {"circuit.probe_lease must", [](auto& o) { o.probe_lease = -1ns; }},
    };
    for (std::size_t index = 0; index < std::size(cases); ++index) {
        SCOPED_TRACE("case " + std::to_string(index));
        CircuitBreakerOptions options;
        cases[index].change(options);

        const auto result = validated(options);

        ASSERT_FALSE(result.has_value()) << cases[index].sentence_start;
        EXPECT_EQ(result.error().code, Errc::invalid_options);
        EXPECT_TRUE(result.error().message.starts_with(cases[index].sentence_start))
            << result.error().message;
    }
}

TEST(CircuitOptionsTest, AcceptsTheEdges) {
    const Good cases[] = {
        [](auto&) {},
        [](auto& o) { o.failure_threshold = 0; },
        [](auto& o) {
            o.failure_threshold = 0;
            o.failure_rate = std::nullopt;
            o.slow_calls = SlowCallTrip{};
        },
        [](auto& o) { o.failure_rate = std::nullopt; },
        [](auto& o) { o.failure_rate = 1.0; },
        [](auto& o) { o.failure_rate = std::numeric_limits<double>::min(); },
        [](auto& o) { o.slow_calls = {.rate = 1.0, .slow_after = 1ns}; },
        [](auto& o) { o.failure_threshold = std::numeric_limits<std::uint32_t>::max(); },
        [](auto& o) { o.minimum_calls = std::numeric_limits<std::uint32_t>::max(); },
        [](auto& o) { o.window = 10ns; },
        [](auto& o) { o.window = Duration::max(); },
        [](auto& o) { o.window_buckets = 1; },
        [](auto& o) { o.window_buckets = CircuitBreakerOptions::kMaxWindowBuckets; },
        [](auto& o) { o.open_for = 1ns; },
        [](auto& o) { o.max_open_for = o.open_for; },
        [](auto& o) { o.max_open_for = Duration::max(); },
        [](auto& o) { o.open_growth = 1.0; },
        [](auto& o) { o.open_growth = 1e6; },
        [](auto& o) { o.open_jitter = 0.0; },
        [](auto& o) { o.open_jitter = 1.0; },
        [](auto& o) { o.probe_limit = CircuitBreakerOptions::kMaxProbes; },
        [](auto& o) { o.successes_to_close = std::numeric_limits<std::uint32_t>::max(); },
        [](auto& o) { o.probe_lease = 1ns; },
        [](auto& o) { o.probe_lease = Duration::max(); },
    };
    for (std::size_t index = 0; index < std::size(cases); ++index) {
        SCOPED_TRACE("case " + std::to_string(index));
        CircuitBreakerOptions options;
        cases[index](options);

        const auto result = validated(options);

        ASSERT_TRUE(result.has_value()) << result.error().message;
        EXPECT_EQ(*result, options);
    }
}

TEST(CircuitOptionsTest, ExtremeOptionsDoNotOverflow) {
    CircuitBreakerOptions options;
    options.failure_threshold = 1;
    options.window = Duration::max();
    options.window_buckets = 1'000;
    options.open_for = Duration::max();
    options.max_open_for = Duration::max();
    options.open_growth = 1e6;
    options.probe_lease = Duration::max();
    CircuitBreaker breaker{options};
    const TimePoint now{1'000h};

    for (int opening = 0; opening < 3; ++opening) {
        const TimePoint late = TimePoint::max() - Duration{opening + 1};
        breaker.try_acquire(now)->settle(Outcome::failure, late);
        EXPECT_EQ(breaker.state(late), CircuitState::open);
        EXPECT_EQ(breaker.status(late).window.calls, 1U);
        breaker.reset(late);
    }
}

TEST(CircuitOptionsTest, DefaultsAreTheDocumentedOnes) {
    const CircuitBreakerOptions options;

    EXPECT_EQ(options.failure_threshold, 5U);
    EXPECT_EQ(options.failure_rate, 0.5);
    EXPECT_EQ(options.slow_calls, std::nullopt);
    EXPECT_EQ(options.minimum_calls, 10U);
    EXPECT_EQ(options.window, 30s);
    EXPECT_EQ(options.window_buckets, 10U);
    EXPECT_EQ(options.open_for, 5s);
    EXPECT_EQ(options.open_growth, 2.0);
    EXPECT_EQ(options.max_open_for, 300s);
    EXPECT_EQ(options.open_jitter, 0.5);
    EXPECT_EQ(options.probe_limit, 1U);
    EXPECT_EQ(options.successes_to_close, 2U);
    EXPECT_EQ(options.failures_to_reopen, 1U);
    EXPECT_EQ(options.on_lease_expiry, LeaseExpiry::failure);
    EXPECT_EQ(SlowCallTrip{}.rate, 0.8);
}

TEST(CircuitOptionsTest, RejectsEachInvalidRegistryOptionByName) {
    const Mutation<CircuitRegistryOptions> cases[] = {
        {"circuit.open_jitter must", [](auto& o) { o.defaults.open_jitter = kNaN; }},
        {"registry.max_circuits must", [](auto& o) { o.max_circuits = 0; }},
        {"registry.idle_after must", [](auto& o) { o.idle_after = 0s; }},
    };
    EXPECT_TRUE(validated(CircuitRegistryOptions{}).has_value());
    for (const auto& [sentence_start, change] : cases) {
        CircuitRegistryOptions options;
        change(options);

        const auto result = validated(options);

        ASSERT_FALSE(result.has_value()) << sentence_start;
        EXPECT_EQ(result.error().code, Errc::invalid_options);
        EXPECT_TRUE(result.error().message.starts_with(sentence_start)) << result.error().message;
    }
}

TEST(CircuitOptionsTest, ParsesNamesOfStatesAndModes) {
    for (const auto state : {CircuitState::closed, CircuitState::open, CircuitState::half_open}) {
        EXPECT_EQ(*circuit_state_from_name(name_of(state)), state);
    }
    for (const auto mode : {CircuitMode::normal, CircuitMode::metrics_only,
                            CircuitMode::forced_open, CircuitMode::disabled}) {
        EXPECT_EQ(*circuit_mode_from_name(name_of(mode)), mode);
    }
    EXPECT_EQ(name_of(CircuitState::half_open), "half_open");
    EXPECT_EQ(name_of(CircuitMode::metrics_only), "metrics_only");
    EXPECT_EQ(name_of(TransitionCause::probe_lease_expired), "probe_lease_expired");
}

TEST(CircuitOptionsTest, RejectsUnknownNamesWithTheListOfKnownOnes) {
    const auto state = circuit_state_from_name("Half-Open");
    const auto mode = circuit_mode_from_name("");

    ASSERT_FALSE(state.has_value());
    EXPECT_EQ(state.error(), (Error{Errc::unknown_name,
                                    "circuit state must be one of closed, open, half_open; got "
                                    "\"Half-Open\""}));
    ASSERT_FALSE(mode.has_value());
    EXPECT_EQ(mode.error(), (Error{Errc::unknown_name,
                                   "circuit mode must be one of normal, metrics_only, forced_open, "
                                   "disabled; got \"\""}));
}

}  // namespace
}  // namespace holdfast::resilience
