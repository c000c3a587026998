#include "telemetry/store/retention_clock.hpp"

#include <gtest/gtest.h>

namespace holdfast::telemetry {
namespace {

constexpr std::int64_t kHour = std::int64_t{60} * 60 * 1'000;
constexpr std::int64_t kYear = 365 * 24 * kHour;
constexpr std::int64_t kKeep = 24 * kHour;
constexpr std::int64_t kNow = 1'700'000'000'000;

TEST(RetentionClockTest, FollowsTheWallClock) {
    RetentionClock clock{kKeep};

    EXPECT_EQ(clock.oldest_ms(kNow, 0), kNow - kKeep);
    EXPECT_EQ(clock.oldest_ms(kNow + 48 * kHour, 48 * kHour), kNow + 48 * kHour - kKeep);
}

TEST(RetentionClockTest, AJumpForwardMakesNoRowOlder) {
    RetentionClock clock{kKeep};
    std::ignore = clock.oldest_ms(kNow, 0);

    EXPECT_EQ(clock.oldest_ms(kNow + 10 * kYear, 0), kNow - kKeep);
    EXPECT_EQ(clock.oldest_ms(kNow + 10 * kYear + kHour, kHour), kNow + kHour - kKeep);
}

TEST(RetentionClockTest, AJumpBackEndsAJumpForward) {
    RetentionClock clock{kKeep};
    std::ignore = clock.oldest_ms(kNow, 0);
    std::ignore = clock.oldest_ms(kNow + 10 * kYear, 0);

    EXPECT_EQ(clock.oldest_ms(kNow + kHour, kHour), kNow + kHour - kKeep);
    EXPECT_EQ(clock.oldest_ms(kNow - kYear, kHour), kNow - kYear - kKeep);
}

TEST(RetentionClockTest, SmallCorrectionsAreFollowed) {
    RetentionClock clock{kKeep};
    std::ignore = clock.oldest_ms(kNow, 0);

    EXPECT_EQ(clock.oldest_ms(kNow + 60'000, 0), kNow + 60'000 - kKeep);
}

TEST(RetentionClockTest, RowsThatAreAllOldAtTheStartAreKept) {
    RetentionClock clock{kKeep};
    const std::int64_t newest = kNow - 30 * 24 * kHour;

    clock.on_open(kNow, newest);

    EXPECT_EQ(clock.oldest_ms(kNow, 0), newest - kKeep);
    EXPECT_EQ(clock.oldest_ms(kNow + kHour, kHour), newest + kHour - kKeep);
}

TEST(RetentionClockTest, AFileWithANewRowIsJudgedByTheClock) {
    for (const std::optional<std::int64_t> newest :
         {std::optional<std::int64_t>{}, std::optional<std::int64_t>{kNow - kHour}}) {
        RetentionClock clock{kKeep};

        clock.on_open(kNow, newest);

        EXPECT_EQ(clock.oldest_ms(kNow, 0), kNow - kKeep);
    }
}

TEST(RetentionClockTest, OnlyTheFirstOpeningOfTheFileCounts) {
    RetentionClock clock{kKeep};
    clock.on_open(kNow, std::nullopt);

    clock.on_open(kNow, kNow - kYear);

    EXPECT_EQ(clock.oldest_ms(kNow, 0), kNow - kKeep);
}

}  // namespace
}  // namespace holdfast::telemetry
