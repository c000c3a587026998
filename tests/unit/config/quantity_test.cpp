#include "config/quantity.hpp"

#include <gtest/gtest.h>

namespace holdfast::config {
namespace {

using namespace std::chrono_literals;

TEST(QuantityTest, ReadsDurations) {
    EXPECT_EQ(parsed_duration("200ms"), 200ms);
    EXPECT_EQ(parsed_duration("30s"), 30s);
    EXPECT_EQ(parsed_duration("2m"), 2min);
    EXPECT_EQ(parsed_duration("1h"), 1h);
    EXPECT_EQ(parsed_duration("1.5s"), 1500ms);
    EXPECT_EQ(parsed_duration("0s"), 0s);
}

TEST(QuantityTest, RefusesInvalidDurations) {
    for (const char* text : {"", "30", "s", "30 s", "-1s", "1e3s", "1.s", ".5s", "1.2.3s", "30S",
                             "1d", "1m30s", "nans", "99999999h", "\xC2\xB5s"}) {
        EXPECT_FALSE(parsed_duration(text)) << text;
    }
}

TEST(QuantityTest, WritesDurationsInTheLargestWholeUnit) {
    EXPECT_EQ(duration_text(500ms), "500ms");
    EXPECT_EQ(duration_text(90s), "90s");
    EXPECT_EQ(duration_text(120s), "2m");
    EXPECT_EQ(duration_text(24h), "24h");
    EXPECT_EQ(duration_text(0s), "0ms");
}

TEST(QuantityTest, ReadsSizes) {
    EXPECT_EQ(parsed_byte_size("512"), 512U);
    EXPECT_EQ(parsed_byte_size("7B"), 7U);
    EXPECT_EQ(parsed_byte_size("64kB"), 65'536U);
    EXPECT_EQ(parsed_byte_size("64KB"), 65'536U);
    EXPECT_EQ(parsed_byte_size("64KiB"), 65'536U);
    EXPECT_EQ(parsed_byte_size("1.5MB"), 1'572'864U);
    EXPECT_EQ(parsed_byte_size("1GB"), 1'073'741'824U);
}

TEST(QuantityTest, RefusesInvalidSizes) {
    for (const char* text : {"", "MB", "-1", "0.5", "1e3", "64 MB", "64mb", "9999999GB", "1TB"}) {
        EXPECT_FALSE(parsed_byte_size(text)) << text;
    }
}

TEST(QuantityTest, WritesSizesInTheLargestWholeUnit) {
    EXPECT_EQ(byte_size_text(1'000), "1000B");
    EXPECT_EQ(byte_size_text(65'536), "64kB");
    EXPECT_EQ(byte_size_text(8'388'608), "8MB");
    EXPECT_EQ(byte_size_text(0), "0B");
}

TEST(QuantityTest, ReadsFiniteNumbersOnly) {
    EXPECT_EQ(parsed_number("-1.5e2"), -150.0);
    for (const char* text : {"", "x", "1x", "inf", "nan", "1e999", " 1"}) {
        EXPECT_FALSE(parsed_number(text)) << text;
    }
}

}  // namespace
}  // namespace holdfast::config
