#include "base/iso_time.hpp"

#include <gtest/gtest.h>

namespace holdfast::base {
namespace {

TEST(IsoTimeTest, HasMilliseconds) {
    EXPECT_EQ(iso_time(0), "1970-01-01T00:00:00.000Z");
    EXPECT_EQ(iso_time(1'767'323'045'678), "2026-01-02T03:04:05.678Z");
    EXPECT_EQ(iso_time(1'709'251'199'009), "2024-02-29T23:59:59.009Z");
}

TEST(IsoTimeTest, FormatsTimesBeforeTheEpoch) {
    EXPECT_EQ(iso_time(-1), "1969-12-31T23:59:59.999Z");
}

}  // namespace
}  // namespace holdfast::base
