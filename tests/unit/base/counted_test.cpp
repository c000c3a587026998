#include "base/counted.hpp"

#include <gtest/gtest.h>

namespace holdfast::base {
namespace {

TEST(CountedTest, UsesTheSingularForOneOnly) {
    EXPECT_EQ(counted(0, "attempt"), "0 attempts");
    EXPECT_EQ(counted(1, "attempt"), "1 attempt");
    EXPECT_EQ(counted(2, "attempt"), "2 attempts");
    EXPECT_EQ(counted(1'000, "idle circuit"), "1000 idle circuits");
}

}  // namespace
}  // namespace holdfast::base
