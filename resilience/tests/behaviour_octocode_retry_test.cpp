#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

#include "support/played_pipeline.hpp"
#include "support/preset_figures.hpp"

// The categories of the preset: their timeouts and retries. The circuits are in
// behaviour_octocode_test.cpp.

namespace holdfast::resilience {
namespace {

using namespace std::chrono_literals;
namespace octocode = testing::octocode;
using octocode::Category;
using octocode::ErrorClass;
using testing::answered_well;
using testing::PlayedCall;
using testing::PlayedPipeline;
using testing::silence;

PlayedPipeline pipeline_of(Category category, std::uint64_t seed = 1) {
    return {octocode::pipeline(category), octocode::default_circuit(), seed};
}

AttemptEnd ended_by(ErrorClass error, std::optional<Duration> retry_after = std::nullopt) {
    AttemptEnd end = octocode::ended_by(Category::github, error);
    end.failure->retry_after = retry_after;
    return end;
}

/// One row of the table of categories.
struct RetryRow {
    Duration timeout;
    std::vector<Duration> starts;  ///< Of the attempts of a call that always fails.
    std::vector<Duration> delays;  ///< The first ones, if attempts were not limited.
    std::vector<ErrorClass> retries_on;
};

void expect_retries_on_these_errors_only(Category category, const RetryRow& row) {
    for (const auto error : octocode::kErrorClasses) {
        const bool retried = std::ranges::find(row.retries_on, error) != row.retries_on.end();
        PlayedPipeline pipeline = pipeline_of(category);

        const PlayedCall call = pipeline.call(octocode::ended_by(category, error));

        EXPECT_EQ(call.verdict.ending, CallEnding::failed);
        EXPECT_EQ(call.verdict.stop,
                  retried ? RetryStop::attempts_used_up : RetryStop::not_retryable);
        EXPECT_EQ(call.starts, retried ? row.starts : std::vector{Duration::zero()});
        EXPECT_EQ(call.took, call.starts.back()) << "no wait after the last attempt";
    }
}

void expect_delays_up_to_the_cap(Category category, const RetryRow& row) {
    const RetryPolicy policy{octocode::pipeline(category).retry};
    for (const auto kind : {FailureKind::transient, FailureKind::throttled}) {
        std::vector<Duration> delays;
        for (std::uint32_t failed = 1; failed <= row.delays.size(); ++failed) {
            delays.push_back(policy.backoff_for(kind).computed(failed));
        }
        EXPECT_EQ(delays, row.delays);
    }
}

void expect_total_timeout(Category category, const RetryRow& row) {
    PlayedPipeline pipeline = pipeline_of(category);

    const PlayedCall call = pipeline.call({silence()});

    EXPECT_EQ(call.verdict.ending, CallEnding::timed_out);
    EXPECT_EQ(call.took, row.timeout);
}

void expect_retry_row(Category category, const RetryRow& row) {
    expect_retries_on_these_errors_only(category, row);
    expect_delays_up_to_the_cap(category, row);
    expect_total_timeout(category, row);
}

TEST(OctocodeBehaviourTest, GithubTriesThreeTimesAfterOneAndThreeSecondsWithinSixty) {
    expect_retry_row(
        Category::github,
        {.timeout = 60s,
         .starts = {0s, 1s, 4s},
         .delays = {1s, 3s, 9s, 27s, 30s, 30s},
         .retries_on = {ErrorClass::rate_limited, ErrorClass::server_error, ErrorClass::timeout}});
}

TEST(OctocodeBehaviourTest, LspTriesThreeTimesAfterHalfAndOneSecondWithinThirty) {
    expect_retry_row(Category::lsp, {.timeout = 30s,
                                     .starts = {0s, 500ms, 1'500ms},
                                     .delays = {500ms, 1s, 2s, 4s, 5s, 5s},
                                     .retries_on = {ErrorClass::lsp_not_ready, ErrorClass::timeout,
                                                    ErrorClass::connection_refused}});
}

TEST(OctocodeBehaviourTest, PackageTriesThreeTimesAfterOneAndTwoSecondsWithinThirty) {
    expect_retry_row(
        Category::package,
        {.timeout = 30s,
         .starts = {0s, 1s, 3s},
         .delays = {1s, 2s, 4s, 8s, 15s, 15s},
         .retries_on = {ErrorClass::rate_limited, ErrorClass::server_error, ErrorClass::timeout}});
}

TEST(OctocodeBehaviourTest, LocalTriesTwiceAfterHundredMillisecondsWithinThirtySeconds) {
    expect_retry_row(Category::local, {.timeout = 30s,
                                       .starts = {0s, 100ms},
                                       .delays = {100ms, 200ms, 400ms, 800ms, 1s, 1s},
                                       .retries_on = {ErrorClass::file_busy, ErrorClass::timeout}});
}

TEST(OctocodeBehaviourTest, AnyOtherToolTriesOnceWithinThirtySeconds) {
    expect_retry_row(Category::other,
                     {.timeout = 30s, .starts = {0s}, .delays = {}, .retries_on = {}});
}

TEST(OctocodeBehaviourTest, DelaysHaveNoJitter) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        PlayedPipeline pipeline = pipeline_of(Category::github, seed);

        const PlayedCall call = pipeline.call(ended_by(ErrorClass::rate_limited));

        EXPECT_EQ(call.starts, (std::vector<Duration>{0s, 1s, 4s}));
    }
}

TEST(OctocodeBehaviourTest, DelayCountsFromTheEndOfTheFailedAttempt) {
    PlayedPipeline pipeline = pipeline_of(Category::github);

    const PlayedCall call = pipeline.call({{ended_by(ErrorClass::server_error), 10s},
                                           {ended_by(ErrorClass::server_error), 5s},
                                           {answered_well(), 2s}});

    EXPECT_EQ(call.verdict.ending, CallEnding::answered);
    EXPECT_EQ(call.starts, (std::vector<Duration>{0s, 11s, 19s}));
    EXPECT_EQ(call.took, 21s);
}

TEST(OctocodeBehaviourTest, TotalTimeoutCutsTheAttemptThatIsUnderWay) {
    PlayedPipeline pipeline = pipeline_of(Category::github);

    const PlayedCall call = pipeline.call({{ended_by(ErrorClass::server_error), 25s}});

    EXPECT_EQ(call.verdict.ending, CallEnding::timed_out);
    EXPECT_EQ(call.starts, (std::vector<Duration>{0s, 26s, 54s}));
    EXPECT_EQ(call.limits, (std::vector<Duration>{60s, 34s, 6s}));
    EXPECT_EQ(call.took, 60s);
    EXPECT_EQ(pipeline.failure_count(), 1U);
}

TEST(OctocodeBehaviourTest, RetryThatCannotStartInTimeIsNotWaitedFor) {
    PlayedPipeline pipeline = pipeline_of(Category::package);

    const PlayedCall call = pipeline.call({{ended_by(ErrorClass::server_error), 29s}});

    EXPECT_EQ(call.verdict.ending, CallEnding::failed);
    EXPECT_EQ(call.verdict.stop, RetryStop::deadline);
    EXPECT_EQ(call.verdict.attempts, 1U);
    EXPECT_EQ(call.took, 29s);
    EXPECT_EQ(pipeline.failure_count(), 1U);
}

TEST(OctocodeBehaviourTest, LastErrorIsTheOnePassedOn) {
    PlayedPipeline pipeline = pipeline_of(Category::github);

    const PlayedCall call = pipeline.call({{ended_by(ErrorClass::rate_limited, 40s)},
                                           {ended_by(ErrorClass::rate_limited, 20s)},
                                           {ended_by(ErrorClass::rate_limited, 10s)}});

    EXPECT_EQ(call.verdict.ending, CallEnding::failed);
    EXPECT_EQ(call.verdict.attempts, 3U);
    EXPECT_EQ(call.verdict.retry_after, 10s);
}

TEST(OctocodeBehaviourTest, ErrorThatIsNotRetriedEndsTheRetries) {
    PlayedPipeline pipeline = pipeline_of(Category::github);

    const PlayedCall call =
        pipeline.call({{ended_by(ErrorClass::server_error)}, {ended_by(ErrorClass::unclassified)}});

    EXPECT_EQ(call.verdict.stop, RetryStop::not_retryable);
    EXPECT_EQ(call.starts, (std::vector<Duration>{0s, 1s}));
}

TEST(OctocodeBehaviourTest, RateLimitThatNamesAWaitKeepsTheDelaysOfTheTable) {
    PlayedPipeline pipeline = pipeline_of(Category::github);

    const PlayedCall call = pipeline.call(ended_by(ErrorClass::rate_limited, 25s));

    EXPECT_EQ(call.starts, (std::vector<Duration>{0s, 1s, 4s}));
}

TEST(OctocodeBehaviourTest, RepeatedReadHasNoSideEffects) {
    PlayedPipeline pipeline = pipeline_of(Category::github);

    EXPECT_FALSE(pipeline.call({silence()}).verdict.side_effects_possible);
}

TEST(OctocodeBehaviourTest, EveryRetryIsToldWithItsAttemptAndDelay) {
    PlayedPipeline pipeline = pipeline_of(Category::github);

    pipeline.call(ended_by(ErrorClass::timeout));

    const auto& told = pipeline.observer.retries;
    ASSERT_EQ(told.size(), 2U);
    EXPECT_EQ(told[0].first, "pipeline");
    EXPECT_EQ(told[0].second.attempt, 2U);
    EXPECT_EQ(told[0].second.max_attempts, 3U);
    EXPECT_EQ(told[0].second.delay, 1s);
    EXPECT_EQ(told[1].second.attempt, 3U);
    EXPECT_EQ(told[1].second.max_attempts, 3U);
    EXPECT_EQ(told[1].second.delay, 3s);
}

}  // namespace
}  // namespace holdfast::resilience
