#include "tool_search/encoder_pace.hpp"

#include <gtest/gtest.h>

namespace holdfast::tool_search {
namespace {

using namespace std::chrono_literals;

TEST(EncoderPaceTest, LearnsFromMeasurements) {
    EncoderPace pace;
    const std::size_t before = pace.bytes_in(100ms, 0);

    pace.on_done(100'000, 10ms);

    EXPECT_GT(pace.bytes_in(100ms, 0), before);
}

TEST(EncoderPaceTest, StillTriesSomeTextAfterManyLateResults) {
    EncoderPace pace;
    for (int late = 0; late < 1'000; ++late) {
        pace.on_late();
    }

    EXPECT_EQ(pace.bytes_in(1ms, 24), 24U);
    EXPECT_GT(pace.bytes_in(1s, 24), 24U);
}

TEST(EncoderPaceTest, TriesNothingWithoutTime) {
    const EncoderPace pace;

    EXPECT_EQ(pace.bytes_in(0ms, 24), 0U);
    EXPECT_EQ(pace.bytes_in(-5ms, 24), 0U);
}

}  // namespace
}  // namespace holdfast::tool_search
