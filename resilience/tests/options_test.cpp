#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "holdfast/resilience/backoff.hpp"
#include "holdfast/resilience/bulkhead.hpp"
#include "holdfast/resilience/detail/option_check.hpp"
#include "holdfast/resilience/rate_limiter.hpp"
#include "holdfast/resilience/retry_budget.hpp"
#include "holdfast/resilience/retry_sequence.hpp"
#include "holdfast/resilience/single_flight.hpp"
#include "holdfast/resilience/stale_cache.hpp"

namespace holdfast::resilience {
namespace {

using namespace std::chrono_literals;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::uint32_t kMost = std::numeric_limits<std::uint32_t>::max();
constexpr Duration kYear = 24h * 366;

/// Invalid options and the expected message.
template <class Options>
using Refused = std::vector<std::pair<Options, std::string_view>>;

template <class Options>
void expect_refused(const Refused<Options>& table) {
    for (const auto& [options, sentence] : table) {
        const Result<Options> checked = validated(options);
        ASSERT_FALSE(checked.has_value()) << "expected: " << sentence;
        EXPECT_EQ(checked.error().code, Errc::invalid_options);
        EXPECT_EQ(checked.error().message, sentence);
    }
}

template <class Options>
void expect_accepted(const std::vector<Options>& table) {
    for (const Options& options : table) {
        const Result<Options> checked = validated(options);
        ASSERT_TRUE(checked.has_value()) << checked.error().message;
        EXPECT_EQ(*checked, options);
    }
}

TEST(BackoffOptionsTest, RejectsInvalidValues) {
    expect_refused<BackoffOptions>({
        {{.base = -1ms}, "backoff.base must not be negative, got -1ms"},
        {{.multiplier = 0.5}, "backoff.multiplier must be from 1 to 1e+06, got 0.5"},
        {{.multiplier = 2e6}, "backoff.multiplier must be from 1 to 1e+06, got 2e+06"},
        {{.multiplier = kNaN}, "backoff.multiplier must be from 1 to 1e+06, got nan"},
        {{.multiplier = kInfinity}, "backoff.multiplier must be from 1 to 1e+06, got inf"},
        {{.base = 2s, .cap = 1s}, "backoff.cap must not be below backoff.base (2s), got 1s"},
        {{.cap = -1s}, "backoff.cap must not be below backoff.base (50ms), got -1s"},
        {{.jitter_ratio = -0.1}, "backoff.jitter_ratio must be from 0 to 1, got -0.1"},
        {{.jitter_ratio = 1.5}, "backoff.jitter_ratio must be from 0 to 1, got 1.5"},
        {{.jitter_ratio = kNaN}, "backoff.jitter_ratio must be from 0 to 1, got nan"},
    });
}

TEST(BackoffOptionsTest, AcceptsTheEdges) {
    expect_accepted<BackoffOptions>({
        {},
        {.base = 0ms, .cap = 0ms},
        {.base = 1s, .cap = 1s},
        {.multiplier = 1.0, .jitter_ratio = 0.0},
        {.multiplier = 1e6, .jitter_ratio = 1.0},
        {.base = Duration::max(), .cap = Duration::max()},
    });
}

TEST(BackoffOptionsTest, ErrorsUseTheNameOfThePolicy) {
    const auto checked = validated(BackoffOptions{.base = 2s, .cap = 1s}, "server.reconnect");

    ASSERT_FALSE(checked.has_value());
    EXPECT_EQ(checked.error().message,
              "server.reconnect.cap must not be below server.reconnect.base (2s), got 1s");
}

TEST(RetryOptionsTest, RejectsInvalidValues) {
    expect_refused<RetryOptions>({
        {{.max_attempts = 0}, "retry.max_attempts must be at least 1, got 0"},
        {{.transient = {.base = -1ns}}, "retry.transient.base must not be negative, got -1ns"},
        {{.transient = {.base = 3s}},
         "retry.transient.cap must not be below retry.transient.base (3s), got 2s"},
        {{.throttled = {.jitter_ratio = 2.0}},
         "retry.throttled.jitter_ratio must be from 0 to 1, got 2"},
        {{.retry_after_slack = -1s}, "retry.retry_after_slack must not be negative, got -1s"},
        {{.minimum_attempt = -2min}, "retry.minimum_attempt must not be negative, got -2m"},
    });
}

TEST(RetryOptionsTest, AcceptsTheEdges) {
    expect_accepted<RetryOptions>({
        {},
        {.max_attempts = 1},
        {.max_attempts = kMost},
        {.retry_after_slack = 0s, .minimum_attempt = 0s},
        {.retry_after_slack = Duration::max(), .minimum_attempt = Duration::max()},
    });
}

TEST(RetryBudgetOptionsTest, RejectsInvalidValues) {
    constexpr std::string_view kNoRetries =
        "budget.floor must be at least 1 when ratio is 0; remove the budget to forbid retries";
    expect_refused<RetryBudgetOptions>({
        {{.ratio = -0.1}, "budget.ratio must be from 0 to 1, got -0.1"},
        {{.ratio = 1.01}, "budget.ratio must be from 0 to 1, got 1.01"},
        {{.ratio = kNaN}, "budget.ratio must be from 0 to 1, got nan"},
        {{.window = 0s}, "budget.window must be longer than zero, got 0s"},
        {{.window = -1s}, "budget.window must be longer than zero, got -1s"},
        {{.window_buckets = 0}, "budget.window_buckets must be at least 1, got 0"},
        {{.window_buckets = 1'001}, "budget.window_buckets must be at most 1000, got 1001"},
        {{.window = 9ns}, "budget.window must be at least one nanosecond per bucket"},
        {{.ratio = 0.0, .floor = 0}, kNoRetries},
    });
}

TEST(RetryBudgetOptionsTest, AcceptsTheEdges) {
    expect_accepted<RetryBudgetOptions>({
        {},
        {.ratio = 0.0, .floor = 1},
        {.ratio = 1.0, .floor = 0},
        {.window = 10ns},
        {.window = 1ns, .window_buckets = 1},
        {.window_buckets = 1'000},
        {.window = Duration::max()},
        {.floor = kMost},
    });
}

TEST(BulkheadOptionsTest, RejectsInvalidValues) {
    expect_refused<BulkheadOptions>({
        {{.max_in_flight = 0}, "bulkhead.max_in_flight must be at least 1, got 0"},
        {{.max_in_flight = 1'000'001},
         "bulkhead.max_in_flight must be at most 1000000, got 1000001"},
        {{.max_queue = kMost}, "bulkhead.max_queue must be at most 1000000, got 4294967295"},
        {{.max_wait = -1us}, "bulkhead.max_wait must not be negative, got -1us"},
    });
}

TEST(BulkheadOptionsTest, AcceptsTheEdges) {
    expect_accepted<BulkheadOptions>({
        {},
        {.max_in_flight = 1, .max_queue = 0, .max_wait = 0s},
        {.max_in_flight = 1'000'000, .max_queue = 1'000'000, .max_wait = Duration::max()},
    });
}

TEST(RateLimiterOptionsTest, RejectsInvalidValues) {
    constexpr std::string_view kTooSlow = "limiter.burst must be regained within a year";
    expect_refused<RateLimiterOptions>({
        {{.permits = 0}, "limiter.permits must be at least 1, got 0"},
        {{.per = 0s}, "limiter.per must be longer than zero, got 0s"},
        {{.per = -1s}, "limiter.per must be longer than zero, got -1s"},
        {{.per = kYear + 1ns}, "limiter.per must be at most a year"},
        {{.burst = 0}, "limiter.burst must be at least 1, got 0"},
        {{.burst = 1'000'001}, "limiter.burst must be at most 1000000, got 1000001"},
        {{.permits = 1, .per = kYear, .burst = 2}, kTooSlow},
        {{.permits = 1, .per = 1min, .burst = 1'000'000}, kTooSlow},
    });
}

TEST(RateLimiterOptionsTest, AcceptsTheEdges) {
    expect_accepted<RateLimiterOptions>({
        {},
        {.permits = 1, .per = kYear, .burst = 1},
        {.permits = kMost, .per = 1ns, .burst = 1},
        {.permits = 1, .per = 1ns, .burst = 1'000'000},
        {.permits = 1, .per = 1s, .burst = 1'000'000},
    });
}

TEST(StaleCacheOptionsTest, RejectsInvalidValues) {
    expect_refused<StaleCacheOptions>({
        {{.max_entries = 0}, "stale_cache.max_entries must be at least 1, got 0"},
        {{.max_cost = 0}, "stale_cache.max_cost must be at least 1, got 0"},
        {{.max_age = 0s}, "stale_cache.max_age must be longer than zero, got 0s"},
        {{.max_age = -90s}, "stale_cache.max_age must be longer than zero, got -90s"},
    });
}

TEST(StaleCacheOptionsTest, AcceptsTheEdges) {
    expect_accepted<StaleCacheOptions>({
        {},
        {.max_entries = 1, .max_cost = 1, .max_age = 1ns},
        {.max_age = Duration::max()},
    });
}

TEST(SingleFlightOptionsTest, RejectsInvalidValues) {
    expect_refused<SingleFlightOptions>({
        {{.max_keys = 0}, "single_flight.max_keys must be at least 1, got 0"},
        {{.max_followers = 0}, "single_flight.max_followers must be at least 1, got 0"},
    });
}

TEST(SingleFlightOptionsTest, AcceptsTheEdges) {
    expect_accepted<SingleFlightOptions>({{}, {.max_keys = 1, .max_followers = 1}});
}

TEST(OptionCheckTest, KeepsTheFirstError) {
    const auto checked = detail::OptionCheck{"policy"}
                             .at_least("first", 0, 1)
                             .at_most("second", 9, 1)
                             .nested(validated(BackoffOptions{.base = -1s}))
                             .result(BackoffOptions{});

    ASSERT_FALSE(checked.has_value());
    EXPECT_EQ(checked.error().message, "policy.first must be at least 1, got 0");
}

TEST(OptionCheckTest, ExcludesTheLowerEndOfAnOpenRange) {
    const auto check = [](double value) {
        return detail::OptionCheck{"policy"}.above("rate", value, 0.0, 1.0).result(value);
    };

    EXPECT_TRUE(check(1.0).has_value());
    EXPECT_TRUE(check(0.001).has_value());
    EXPECT_EQ(check(0.0).error().message, "policy.rate must be above 0 and at most 1, got 0");
    EXPECT_EQ(check(1.1).error().message, "policy.rate must be above 0 and at most 1, got 1.1");
    EXPECT_EQ(check(kNaN).error().message, "policy.rate must be above 0 and at most 1, got nan");
}

TEST(DurationTextTest, UsesTheLargestUnitThatFits) {
    const std::vector<std::pair<Duration, std::string_view>> table{
        {0ns, "0s"},    {7ns, "7ns"}, {1'500us, "1500us"}, {1'500ms, "1500ms"},
        {30s, "30s"},   {90s, "90s"}, {2min, "2m"},        {3h, "180m"},
        {-5ms, "-5ms"}, {1s, "1s"},   {1'001ns, "1001ns"},
    };

    for (const auto& [duration, text] : table) {
        EXPECT_EQ(detail::duration_text(duration), text);
    }
    EXPECT_EQ(detail::duration_text(Duration::max()), "9223372036854775807ns");
    EXPECT_EQ(detail::duration_text(Duration::min()), "-9223372036854775808ns");
}

}  // namespace
}  // namespace holdfast::resilience
