#include "telemetry/metrics.hpp"

#include <gtest/gtest.h>

#include "counting.hpp"

namespace holdfast::telemetry {
namespace {

record::CallRecord call(std::string_view server, std::string_view tool,
                        std::string_view outcome = "ok", std::int64_t total_us = 1'000) {
    record::CallRecord record;
    record.server = server;
    record.tool = tool;
    record.outcome = outcome;
    record.total_us = total_us;
    return record;
}

bool has_line(const std::string& text, const std::string& line) {
    return ("\n" + text).find("\n" + line + "\n") != std::string::npos;
}

std::size_t count_of(const std::string& text, const std::string& words) {
    std::size_t count = 0;
    for (std::size_t at = text.find(words); at != std::string::npos;
         at = text.find(words, at + 1)) {
        ++count;
    }
    return count;
}

TEST(MetricsTest, CountsCallsByOutcome) {
    telemetry::Metrics metrics;
    count(metrics, call("s", "t"));
    count(metrics, call("s", "t"));
    count(metrics, call("s", "t", "TIMEOUT"));

    const std::string text = metrics.text();

    EXPECT_TRUE(has_line(text, "# TYPE holdfast_calls_total counter")) << text;
    EXPECT_TRUE(has_line(text, R"(holdfast_calls_total{server="s",tool="t",outcome="ok"} 2)"))
        << text;
    EXPECT_TRUE(has_line(text, R"(holdfast_calls_total{server="s",tool="t",outcome="TIMEOUT"} 1)"))
        << text;
}

TEST(MetricsTest, CountsLatenciesUpToTheBucketBound) {
    telemetry::Metrics metrics;
    count(metrics, call("s", "t", "ok", 1'000));
    count(metrics, call("s", "t", "ok", 1'001));
    count(metrics, call("s", "t", "ok", 70'000'000));

    const std::string text = metrics.text();

    const std::string bucket = R"(holdfast_call_duration_seconds_bucket{server="s",tool="t",le=)";
    EXPECT_TRUE(has_line(text, bucket + R"("0.0005"} 0)")) << text;
    EXPECT_TRUE(has_line(text, bucket + R"("0.001"} 1)")) << text;
    EXPECT_TRUE(has_line(text, bucket + R"("0.0025"} 2)")) << text;
    EXPECT_TRUE(has_line(text, bucket + R"("60"} 2)")) << text;
    EXPECT_TRUE(has_line(text, bucket + R"("+Inf"} 3)")) << text;
    EXPECT_TRUE(
        has_line(text, R"(holdfast_call_duration_seconds_sum{server="s",tool="t"} 70.002001)"))
        << text;
    EXPECT_TRUE(has_line(text, R"(holdfast_call_duration_seconds_count{server="s",tool="t"} 3)"))
        << text;
}

TEST(MetricsTest, EscapesUntrustedLabels) {
    telemetry::Metrics metrics;
    count(metrics, call("s", "a\"} 1\nevil{x=\"\\"));
    count(metrics, call("s", "bad\xff\xc3 utf8 é"));

    const std::string text = metrics.text();

    EXPECT_TRUE(has_line(
        text, R"(holdfast_calls_total{server="s",tool="a\"} 1\nevil{x=\"\\",outcome="ok"} 1)"))
        << text;
    EXPECT_EQ(text.find("\nevil"), std::string::npos);
    EXPECT_NE(text.find("tool=\"bad\xef\xbf\xbd\xef\xbf\xbd utf8 é\""), std::string::npos) << text;
    EXPECT_EQ(text.find('\xff'), std::string::npos);
}

TEST(MetricsTest, ToolsBeyondTheLimitShareALabelOfTheirServer) {
    telemetry::Metrics metrics{{.max_tools = 2}};
    count(metrics, call("s", "a"));
    count(metrics, call("s", "b"));
    for (int number = 0; number < 100; ++number) {
        count(metrics, call(number % 2 == 0 ? "s" : "r", "t" + std::to_string(number)));
    }
    count(metrics, call("s", "a"));

    const std::string text = metrics.text();

    EXPECT_TRUE(has_line(text, R"(holdfast_calls_total{server="s",tool="a",outcome="ok"} 2)"));
    EXPECT_TRUE(has_line(text, R"(holdfast_calls_total{server="s",tool="other",outcome="ok"} 50)"));
    EXPECT_TRUE(has_line(text, R"(holdfast_calls_total{server="r",tool="other",outcome="ok"} 50)"));
    EXPECT_EQ(count_of(text, "holdfast_calls_total{"), 4U) << text;
}

TEST(MetricsTest, ServersBeyondTheLimitShareALabelToo) {
    telemetry::Metrics metrics{{.max_tools = 1, .max_servers = 2}};
    for (int number = 0; number < 50; ++number) {
        count(metrics, call("s" + std::to_string(number), "t"));
    }

    const std::string text = metrics.text();

    EXPECT_TRUE(
        has_line(text, R"(holdfast_calls_total{server="other",tool="other",outcome="ok"} 47)"))
        << text;
    EXPECT_EQ(count_of(text, "holdfast_calls_total{"), 4U) << text;
}

TEST(MetricsTest, OutcomesAreBoundedToo) {
    telemetry::Metrics metrics{{.max_outcomes = 3}};
    for (int number = 0; number < 10; ++number) {
        count(metrics, call("s", "t", "E" + std::to_string(number)));
    }

    const std::string text = metrics.text();

    EXPECT_TRUE(has_line(text, R"(holdfast_calls_total{server="s",tool="t",outcome="other"} 8)"))
        << text;
    EXPECT_EQ(count_of(text, "holdfast_calls_total{"), 3U) << text;
}

TEST(MetricsTest, NeverUsesNamesFromAgentsAsLabels) {
    telemetry::Metrics metrics;
    count(metrics, call("", "made_up", "TOOL_NOT_FOUND"));
    record::CallRecord read = call("s", "file:///secret/plan");
    read.method = "resources/read";
    count(metrics, read);

    const std::string text = metrics.text();

    EXPECT_EQ(text.find("made_up"), std::string::npos);
    EXPECT_EQ(text.find("secret"), std::string::npos);
    EXPECT_NE(text.find(R"(tool="resources/read")"), std::string::npos);
}

TEST(MetricsTest, CountsGuardEvents) {
    telemetry::Metrics metrics;
    metrics.on_event(
        {.kind = record::EventKind::circuit, .subject = "c", .what = record::EventWhat::opened});
    metrics.on_event(
        {.kind = record::EventKind::retry, .subject = "s", .what = record::EventWhat::retry});
    metrics.on_event(
        {.kind = record::EventKind::retry, .subject = "s", .what = record::EventWhat::retry});
    metrics.on_event({.kind = record::EventKind::refusal,
                      .subject = "c",
                      .what = record::EventWhat::circuit_open});

    const std::string text = metrics.text();

    EXPECT_TRUE(has_line(text, R"(holdfast_circuit_transitions_total{circuit="c",to="opened"} 1)"));
    EXPECT_TRUE(has_line(text, R"(holdfast_retries_total{circuit="s"} 2)"));
    EXPECT_TRUE(has_line(text, R"(holdfast_refusals_total{circuit="c",reason="circuit_open"} 1)"));
}

TEST(MetricsTest, EventsOfTooManyCircuitsShareALabel) {
    telemetry::Metrics metrics{{.max_circuits = 1}};  // six series, for the six kinds of events
    for (int number = 0; number < 20; ++number) {
        metrics.on_event(
            {.kind = record::EventKind::retry, .subject = "c" + std::to_string(number)});
    }

    const std::string text = metrics.text();

    EXPECT_TRUE(has_line(text, R"(holdfast_retries_total{circuit="other"} 14)")) << text;
    EXPECT_EQ(count_of(text, "holdfast_retries_total{"), 7U) << text;
}

TEST(MetricsTest, AddsTheMetricsOfTheCaller) {
    const telemetry::Metrics metrics;
    const std::vector<telemetry::MetricFamily> others{
        {.name = "holdfast_sessions", .help = "Sessions.", .samples = {{.value = 3}}},
        {.name = "holdfast_circuit_open",
         .help = "Whether.",
         .samples = {{.labels = {{"circuit", "a\"b"}}, .value = 0.5}}}};

    const std::string text = metrics.text(others);

    EXPECT_TRUE(has_line(text, "# HELP holdfast_sessions Sessions."));
    EXPECT_TRUE(has_line(text, "# TYPE holdfast_sessions gauge"));
    EXPECT_TRUE(has_line(text, "holdfast_sessions 3"));
    EXPECT_TRUE(has_line(text, R"(holdfast_circuit_open{circuit="a\"b"} 0.5)"));
}

TEST(MetricsTest, SumsByServer) {
    telemetry::Metrics metrics;
    count(metrics, call("a", "t"));
    count(metrics, call("a", "u", "TIMEOUT"));
    count(metrics, call("a", "u", "cancelled"));
    count(metrics, call("b", "t", "tool_error"));

    const auto servers = metrics.by_server();

    EXPECT_EQ(servers.at("a").calls, 3U);
    EXPECT_EQ(servers.at("a").failures, 1U);
    EXPECT_EQ(servers.at("b").failures, 0U);
}

TEST(MetricsTest, MistakesOfAgentsAreCallsButNotServerFailures) {
    telemetry::Metrics metrics;
    for (const char* outcome : {"ok", "INVALID_ARGUMENTS", "TOOL_NOT_FOUND", "HELD_BACK"}) {
        count(metrics, call("a", "t", outcome));
    }

    const auto servers = metrics.by_server();

    EXPECT_EQ(servers.at("a").calls, 4U);
    EXPECT_EQ(servers.at("a").failures, 0U);
}

}  // namespace
}  // namespace holdfast::telemetry
