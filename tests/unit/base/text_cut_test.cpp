#include "base/text_cut.hpp"

#include <gtest/gtest.h>

namespace holdfast::base {
namespace {

TEST(TextCutTest, KeepsWholeCharacters) {
    EXPECT_EQ(beginning_of("abc", 3), "abc");
    EXPECT_EQ(beginning_of("abcd", 3), "abc");
    EXPECT_EQ(beginning_of("ab\u00e9", 3), "ab");
    EXPECT_EQ(beginning_of("a\u20acb", 4), "a\u20ac");
    EXPECT_EQ(beginning_of("\u20ac", 2), "");
    EXPECT_EQ(beginning_of("", 0), "");
}

TEST(TextCutTest, KeepsTheEndInWholeCharacters) {
    EXPECT_EQ(end_of("abc", 3), "abc");
    EXPECT_EQ(end_of("abcd", 3), "bcd");
    EXPECT_EQ(end_of("\u00e9ab", 3), "ab");
    EXPECT_EQ(end_of("b\u20aca", 4), "\u20aca");
    EXPECT_EQ(end_of("\u20ac", 2), "");
    EXPECT_EQ(end_of("", 0), "");
}

}  // namespace
}  // namespace holdfast::base
