// Threads that record while another one reads.

#include <atomic>
#include <numeric>
#include <thread>

#include <gtest/gtest.h>

#include "telemetry/recording.hpp"

namespace holdfast::telemetry {
namespace {

constexpr int kThreads = 4;
constexpr int kCallsOfThread = 3'000;

void record_call(telemetry::Recording& recording, int thread, int number) {
    const std::string id = std::to_string(thread) + "-" + std::to_string(number);
    const std::string server = "s" + std::to_string(number % 3);
    const std::string tool = "t" + std::to_string(number % 50);
    record::CallRecord record;
    record.id = id;
    record.at_ms = 1'000'000 + number;
    record.total_us = 100;
    record.server = server;
    record.tool = tool;
    record.outcome = number % 10 == 0 ? "TIMEOUT" : "ok";
    recording.on_call(record);
}

TEST(RecordingThreadedTest, LosesNoCallOfConcurrentThreads) {
    telemetry::Recording recording{{.calls = {.max_calls = 100'000},
                                    .events = {.max_events = 100'000},
                                    .metrics = {.max_tools = 20},
                                    .keeps_query_text = true},
                                   {.now_ms = [] { return std::int64_t{1'000'000}; }}};
    std::atomic<int> running = kThreads;
    std::vector<std::thread> threads;
    for (int thread = 0; thread < kThreads; ++thread) {
        threads.emplace_back([&recording, &running, thread] {
            for (int number = 0; number < kCallsOfThread; ++number) {
                record_call(recording, thread, number);
            }
            --running;
        });
    }
    while (running > 0) {
        std::ignore = recording.metrics().text();
        std::ignore = recording.series().view(1'003'000, 60);
        std::ignore = recording.calls().latest(50);
        std::ignore = recording.events().after(0, 50);
    }
    for (std::thread& thread : threads) {
        thread.join();
    }

    std::uint64_t calls = 0;
    std::uint64_t failures = 0;
    for (const auto& [name, server] : recording.metrics().by_server()) {
        calls += server.calls;
        failures += server.failures;
    }
    const auto line = recording.series().view(1'003'000, 60).all;
    EXPECT_EQ(calls, kThreads * kCallsOfThread);
    EXPECT_EQ(failures, kThreads * kCallsOfThread / 10);
    EXPECT_EQ(std::accumulate(line.calls.begin(), line.calls.end(), 0), kThreads * kCallsOfThread);
    EXPECT_EQ(recording.calls().latest(100'000).size(), kThreads * kCallsOfThread);
    EXPECT_EQ(recording.events().last(), kThreads * kCallsOfThread / 10);
}

// The other thread may have taken the call from its queue, but not counted it yet.
TEST(RecordingThreadedTest, AReaderSeesItsCallsWhileAnotherThreadCounts) {
    constexpr int kCalls = 20'000;
    telemetry::Recording recording{{.calls = {.max_calls = 10 * kCalls}, .keeps_query_text = true},
                                   {.now_ms = [] { return std::int64_t{1'000'000}; }}};
    std::atomic<bool> has_ended = false;
    std::thread other{[&] {
        while (!has_ended) {
            std::ignore = recording.calls();
        }
    }};

    int hidden = 0;
    for (int number = 1; number <= kCalls; ++number) {
        record_call(recording, 0, number);
        hidden += recording.calls().find("0-" + std::to_string(number)) ? 0 : 1;
    }
    has_ended = true;
    other.join();

    EXPECT_EQ(hidden, 0);
}

}  // namespace
}  // namespace holdfast::telemetry
