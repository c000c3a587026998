#include "downstream/starting/start_patience.hpp"

#include <gtest/gtest.h>

#include <chrono>

namespace holdfast::downstream {
namespace {

using namespace std::chrono_literals;

const resilience::TimePoint kStart{1h};

ProcessActivity used(resilience::Duration cpu) {
    return {.cpu = cpu};
}

TEST(StartPatienceTest, AProgramThatDoesNothingEndsAtTheTimeout) {
    const StartPatience patience{{.timeout = 5min}, kStart};

    EXPECT_EQ(patience.ends_at(), kStart + 5min);
}

TEST(StartPatienceTest, ItsStartAloneDoesNotProlongAShortTimeout) {
    StartPatience patience{{.timeout = 1s}, kStart};
    EXPECT_EQ(patience.ends_at(), kStart + 1s);

    EXPECT_TRUE(patience.on_activity(kStart + 900ms, used(200ms)));
    EXPECT_EQ(patience.ends_at(), kStart + 4s);
}

TEST(StartPatienceTest, EarlyProgressDoesNotProlongTheTimeout) {
    StartPatience patience{{.timeout = 5min}, kStart};

    EXPECT_TRUE(patience.on_activity(kStart + 10s, used(2s)));

    EXPECT_EQ(patience.last_progress_at(), kStart + 10s);
    EXPECT_EQ(patience.ends_at(), kStart + 5min);
}

TEST(StartPatienceTest, AProgramThatUsesTheProcessorContinuesAfterTheTimeout) {
    StartPatience patience{{.timeout = 5min, .progress_window = 30s}, kStart};

    EXPECT_TRUE(patience.on_activity(kStart + 4min + 50s, used(10s)));
    EXPECT_EQ(patience.ends_at(), kStart + 5min + 20s);

    EXPECT_TRUE(patience.on_activity(kStart + 5min + 19s, used(11s)));
    EXPECT_EQ(patience.ends_at(), kStart + 5min + 49s);
}

TEST(StartPatienceTest, AProgramThatWritesToItsLogContinuesToo) {
    StartPatience patience{{.timeout = 5min, .progress_window = 30s}, kStart};

    EXPECT_TRUE(patience.on_activity(kStart + 5min, {.log_bytes = 1}));
    EXPECT_EQ(patience.ends_at(), kStart + 5min + 30s);

    EXPECT_FALSE(patience.on_activity(kStart + 5min + 20s, {.log_bytes = 1}));
    EXPECT_EQ(patience.ends_at(), kStart + 5min + 30s);
}

TEST(StartPatienceTest, NothingContinuesBeyondFourTimeouts) {
    StartPatience patience{{.timeout = 1min, .progress_window = 30s}, kStart};

    for (auto age = 0s; age < 4min; age += 10s) {
        EXPECT_TRUE(patience.on_activity(kStart + age, used(age + 1s)));
    }

    EXPECT_EQ(patience.ends_at(), kStart + 4min);
    EXPECT_EQ(patience.longest(), 4min);
}

TEST(StartPatienceTest, IdlingCountsOnlyWhenItAddsUp) {
    StartPatience patience{{.cpu_step = 50ms}, kStart};

    EXPECT_FALSE(patience.on_activity(kStart + 1s, used(20ms)));
    EXPECT_FALSE(patience.on_activity(kStart + 2s, used(40ms)));
    EXPECT_TRUE(patience.on_activity(kStart + 3s, used(50ms)));
    EXPECT_FALSE(patience.on_activity(kStart + 4s, used(60ms)));
}

TEST(StartPatienceTest, AProcessThatLeavesTheTreeHidesNoLaterProgress) {
    StartPatience patience{{.cpu_step = 50ms}, kStart};
    EXPECT_TRUE(patience.on_activity(kStart + 1s, used(10s)));

    EXPECT_FALSE(patience.on_activity(kStart + 2s, used(1s)));
    EXPECT_TRUE(patience.on_activity(kStart + 3s, used(1s + 50ms)));
}

TEST(StartPatienceTest, ANewLogOfAProgramThatWasStartedAgainIsProgressToo) {
    StartPatience patience{{.timeout = 5min, .progress_window = 30s}, kStart};
    EXPECT_TRUE(patience.on_activity(kStart + 5min, {.log_bytes = 1'000}));

    EXPECT_FALSE(patience.on_activity(kStart + 5min + 10s, {.log_bytes = 0}));
    EXPECT_EQ(patience.ends_at(), kStart + 5min + 30s);
    EXPECT_TRUE(patience.on_activity(kStart + 5min + 20s, {.log_bytes = 1}));

    EXPECT_EQ(patience.ends_at(), kStart + 5min + 50s);
}

TEST(StartPatienceTest, TheSlotEndsEarlierThanTheStart) {
    StartPatience patience{{.timeout = 5min, .slot_window = 10s}, kStart};
    EXPECT_EQ(patience.slot_ends_at(), kStart + 10s);

    EXPECT_TRUE(patience.on_activity(kStart + 8s, used(1s)));

    EXPECT_EQ(patience.slot_ends_at(), kStart + 18s);
}

TEST(StartPatienceTest, AnEndlessTimeoutStaysEndless) {
    const StartPatience patience{{.timeout = resilience::Duration::max()}, kStart};

    EXPECT_EQ(patience.longest(), resilience::Duration::max());
    EXPECT_EQ(patience.ends_at(), resilience::TimePoint::max());
}

}  // namespace
}  // namespace holdfast::downstream
