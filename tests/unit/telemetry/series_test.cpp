#include "telemetry/series.hpp"

#include <gtest/gtest.h>

#include "counting.hpp"

namespace holdfast::telemetry {
namespace {

// Any time at which a step of ten seconds begins.
constexpr std::int64_t kBegin = 1'700'000'000'000;

record::CallRecord call(std::int64_t at_ms, std::int64_t total_us, std::string_view server = "s",
                        std::string_view outcome = "ok") {
    record::CallRecord record;
    record.at_ms = kBegin + at_ms;
    record.total_us = total_us;
    record.server = server;
    record.outcome = outcome;
    return record;
}

TEST(SeriesTest, CountsByStep) {
    telemetry::Series series;
    count(series, call(0, 1'000));
    count(series, call(9'998, 1'000));
    count(series, call(10'000, 1'000, "s", "TIMEOUT"));
    count(series, call(25'000, 1'000, "r"));

    const telemetry::SeriesView view = series.view(kBegin + 29'999, 1);

    EXPECT_EQ(view.step_s, 10);
    EXPECT_EQ(view.from_ms, kBegin - 30'000);
    EXPECT_EQ(view.all.calls, (std::vector<std::uint32_t>{0, 0, 0, 2, 1, 1}));
    EXPECT_EQ(view.all.failures, (std::vector<std::uint32_t>{0, 0, 0, 0, 1, 0}));
    EXPECT_EQ(view.servers.at("s").calls, (std::vector<std::uint32_t>{0, 0, 0, 2, 1, 0}));
    EXPECT_EQ(view.servers.at("r").calls, (std::vector<std::uint32_t>{0, 0, 0, 0, 0, 1}));
}

TEST(SeriesTest, ACallCountsWhereItEnds) {
    telemetry::Series series;
    count(series, call(0, 12'000'000));

    EXPECT_EQ(series.view(kBegin + 15'000, 1).all.calls,
              (std::vector<std::uint32_t>{0, 0, 0, 0, 0, 1}));
}

TEST(SeriesTest, ReadingTwiceCountsOnce) {
    telemetry::Series series;
    count(series, call(0, 1'000));
    std::ignore = series.view(kBegin, 1);
    count(series, call(1, 1'000));

    EXPECT_EQ(series.view(kBegin, 1).all.calls.back(), 2U);
}

TEST(SeriesTest, MeasuresLatencies) {
    telemetry::Series series;
    for (int number = 0; number < 98; ++number) {
        count(series, call(number, 1'000));
    }
    count(series, call(0, 1'000'000));
    count(series, call(0, 1'000'000));

    const telemetry::SeriesLine line = series.view(kBegin, 1).all;

    // The resolution is half an octave.
    ASSERT_TRUE(line.p50_ms.back().has_value());
    EXPECT_GE(*line.p50_ms.back(), 0.75);
    EXPECT_LE(*line.p50_ms.back(), 1.1);
    EXPECT_GE(*line.p99_ms.back(), 700);
    EXPECT_LE(*line.p99_ms.back(), 1'100);
    EXPECT_FALSE(line.p50_ms.front().has_value());
}

TEST(SeriesTest, DropsTheOldestSteps) {
    telemetry::Series series{{.step_s = 10, .max_steps = 6}};
    count(series, call(0, 0));
    count(series, call(60'000, 0));

    const telemetry::SeriesView view = series.view(kBegin + 60'000, 60);

    EXPECT_EQ(view.all.calls, (std::vector<std::uint32_t>{0, 0, 0, 0, 0, 1}));
}

TEST(SeriesTest, SkipsCallsThatArriveTooLate) {
    telemetry::Series series{{.step_s = 10, .max_steps = 6}};
    count(series, call(60'000, 0));
    count(series, call(0, 0));

    EXPECT_EQ(series.view(kBegin + 60'000, 1).all.calls,
              (std::vector<std::uint32_t>{0, 0, 0, 0, 0, 1}));
}

TEST(SeriesTest, ServersBeyondTheLimitCountOnlyInTheSum) {
    telemetry::Series series{{.max_servers = 2}};
    for (const char* server : {"a", "b", "c", "d"}) {
        count(series, call(0, 0, server));
    }

    const telemetry::SeriesView view = series.view(kBegin, 1);

    EXPECT_EQ(view.servers.size(), 2U);
    EXPECT_EQ(view.all.calls.back(), 4U);
}

}  // namespace
}  // namespace holdfast::telemetry
