#include "downstream/http/reopen_pace.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace holdfast::downstream {
namespace {

using namespace std::chrono_literals;
using resilience::Duration;

constexpr resilience::BackoffOptions kOptions{
    .base = 1s, .multiplier = 2.0, .cap = 30s, .jitter = resilience::Jitter::none};

std::vector<Duration> waits_after(const EndedStream& stream, int count) {
    ReopenPace pace{kOptions};
    std::vector<Duration> waits;
    for (int index = 0; index < count; ++index) {
        waits.push_back(pace.wait_after(stream));
    }
    return waits;
}

TEST(ReopenPaceTest, FailuresInARowMakeTheDelayGrow) {
    EXPECT_EQ(waits_after({}, 7), (std::vector<Duration>{1s, 2s, 4s, 8s, 16s, 30s, 30s}));
}

TEST(ReopenPaceTest, TheServerSetsTheDelayOfAStreamWithMessages) {
    EXPECT_EQ(waits_after({.has_heard = true, .retry = 1s}, 3),
              (std::vector<Duration>{1s, 1s, 1s}));
    EXPECT_EQ(waits_after({.has_heard = true, .retry = 5s}, 2), (std::vector<Duration>{5s, 5s}));
}

TEST(ReopenPaceTest, ADelayOfZeroDoesNotBecomeAHotLoop) {
    EXPECT_EQ(waits_after({.has_heard = true, .retry = 0ms}, 6),
              (std::vector<Duration>{100ms, 200ms, 400ms, 800ms, 1s, 1s}));
    EXPECT_EQ(waits_after({.retry = 0ms}, 4), (std::vector<Duration>{100ms, 2s, 4s, 8s}));
}

TEST(ReopenPaceTest, ALongStreamStartsFromTheBeginning) {
    ReopenPace pace{kOptions};
    for (int index = 0; index < 5; ++index) {
        std::ignore = pace.wait_after({.has_heard = true, .retry = 0ms});
    }

    EXPECT_EQ(pace.wait_after({.age = 30s, .has_heard = true, .retry = 0ms}), 100ms);
    EXPECT_EQ(pace.wait_after({.age = 30s}), 1s);
    EXPECT_EQ(pace.wait_after({}), 2s);
}

}  // namespace
}  // namespace holdfast::downstream
