#include "telemetry/counters/pending_calls.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

namespace holdfast::telemetry {
namespace {

record::KeptCall call_of(std::uint64_t thread, std::int64_t number) {
    record::CallRecord record;
    record.session = thread;
    record.total_us = number;
    return record::kept(record);
}

bool put(PendingCalls& pending, std::uint64_t thread, std::int64_t number) {
    auto call = call_of(thread, number);
    return pending.try_put(call);
}

TEST(PendingCallsTest, GivesBackWhatWasPutInItsOrder) {
    PendingCalls pending;
    EXPECT_TRUE(pending.take_all().empty());

    EXPECT_TRUE(put(pending, 1, 10));
    EXPECT_TRUE(put(pending, 1, 11));
    const auto calls = pending.take_all();

    ASSERT_EQ(calls.size(), 2U);
    EXPECT_EQ(calls[0]->total_us, 10);
    EXPECT_EQ(calls[1]->total_us, 11);
    EXPECT_TRUE(pending.take_all().empty());
}

TEST(PendingCallsTest, RefusesWhenTheQueueOfTheThreadIsFull) {
    PendingCalls pending;
    for (std::size_t number = 0; number < PendingCalls::kQueueSlots; ++number) {
        EXPECT_TRUE(put(pending, 1, static_cast<std::int64_t>(number)));
    }

    auto call = call_of(1, 99);
    EXPECT_FALSE(pending.try_put(call));
    EXPECT_NE(call, nullptr) << "the caller still has it";
    std::thread{[&pending] { EXPECT_TRUE(put(pending, 2, 1)); }}.join();

    EXPECT_EQ(pending.take_all().size(), PendingCalls::kQueueSlots + 1);
    EXPECT_TRUE(pending.try_put(call));
}

TEST(PendingCallsTest, LosesNothingAndKeepsTheOrderOfEachThread) {
    constexpr std::uint64_t kThreads = 4;
    constexpr std::int64_t kCallsOfThread = 20'000;
    PendingCalls pending;
    std::atomic<std::uint64_t> running = kThreads;
    std::vector<std::thread> threads;
    for (std::uint64_t thread = 0; thread < kThreads; ++thread) {
        threads.emplace_back([&pending, &running, thread] {
            for (std::int64_t number = 0; number < kCallsOfThread; ++number) {
                while (!put(pending, thread, number)) {
                    std::this_thread::yield();
                }
            }
            --running;
        });
    }

    std::vector<std::int64_t> next(kThreads, 0);
    int faults = 0;
    bool is_last = false;
    while (!is_last) {
        is_last = running == 0;
        for (const record::KeptCall& call : pending.take_all()) {
            faults += call->total_us == next[call->session]++ ? 0 : 1;
        }
    }
    for (std::thread& thread : threads) {
        thread.join();
    }

    EXPECT_EQ(faults, 0);
    EXPECT_EQ(next, std::vector<std::int64_t>(kThreads, kCallsOfThread));
}

}  // namespace
}  // namespace holdfast::telemetry
