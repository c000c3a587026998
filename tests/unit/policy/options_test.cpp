#include "policy/options.hpp"

#include <gtest/gtest.h>

namespace holdfast::policy {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(OptionsTest, BuiltInPolicyGivesValidOptions) {
    const Policy policy;

    EXPECT_TRUE(validated(pipeline_options(policy)));
    EXPECT_TRUE(validated(circuit_options(policy.circuit.figures)));
    EXPECT_TRUE(validated(bulkhead_options(policy.limit)));
    EXPECT_TRUE(validated(*budget_options(policy.retry)));
    EXPECT_TRUE(validated(*rate_limiter_options({.is_on = true})));
    EXPECT_FALSE(rate_limiter_options(policy.rate_limit));
}

TEST(OptionsTest, ConflictingLayersGiveValidOptions) {
    Policy policy;
    policy.timeout = seconds{1};
    policy.attempt_timeout = seconds{30};
    policy.retry.delay = seconds{30};
    policy.retry.max_delay = seconds{2};
    policy.circuit.figures.open = hours{24};

    const auto options = pipeline_options(policy);

    EXPECT_TRUE(validated(options));
    EXPECT_EQ(options.attempt_timeout, seconds{1});
    EXPECT_EQ(options.retry.transient.base, seconds{2});
    EXPECT_TRUE(validated(circuit_options(policy.circuit.figures)));
}

TEST(OptionsTest, TheLargestFiguresGiveValidOptions) {
    EXPECT_TRUE(validated(
        *rate_limiter_options({.is_on = true, .permits = 1, .per = hours{24}, .burst = 365})));
    EXPECT_TRUE(validated(bulkhead_options({.in_flight = 1'000'000, .queue = 1'000'000})));
    EXPECT_TRUE(validated(
        *budget_options({.budget = {.ratio = 0.001, .floor = 0, .window = milliseconds{1}}})));
    EXPECT_TRUE(validated(circuit_options({.probes = 16, .window = milliseconds{1}})));
}

TEST(OptionsTest, CopiesEveryFigureOfACircuit) {
    const auto options = circuit_options({.failures = 1,
                                          .open = seconds{2},
                                          .probes = 3,
                                          .successes = 4,
                                          .failure_rate = 0.5,
                                          .minimum_calls = 6,
                                          .window = seconds{7},
                                          .open_growth = 8,
                                          .max_open = seconds{9},
                                          .open_jitter = 0.1});

    EXPECT_EQ(options.failure_threshold, 1U);
    EXPECT_EQ(options.open_for, seconds{2});
    EXPECT_EQ(options.probe_limit, 3U);
    EXPECT_EQ(options.successes_to_close, 4U);
    EXPECT_EQ(options.failure_rate, 0.5);
    EXPECT_EQ(options.minimum_calls, 6U);
    EXPECT_EQ(options.window, seconds{7});
    EXPECT_EQ(options.open_growth, 8);
    EXPECT_EQ(options.max_open_for, seconds{9});
    EXPECT_EQ(options.open_jitter, 0.1);
}

TEST(OptionsTest, HasNoRetriesOrBudgetIfRetriesAreOff) {
    Policy policy;
    policy.retry.is_on = false;

    EXPECT_EQ(pipeline_options(policy).retry.max_attempts, 1U);
    EXPECT_FALSE(budget_options(policy.retry));
}

TEST(OptionsTest, ConvertsJitterToAShareOfTheDelay) {
    Policy policy;
    policy.retry.jitter = 0.2;
    EXPECT_EQ(pipeline_options(policy).retry.transient.jitter, resilience::Jitter::proportional);
    EXPECT_EQ(pipeline_options(policy).retry.transient.jitter_ratio, 0.2);

    policy.retry.jitter = 0;
    EXPECT_EQ(pipeline_options(policy).retry.throttled.jitter, resilience::Jitter::none);
}

}  // namespace
}  // namespace holdfast::policy
