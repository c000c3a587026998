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

}  // namespace
}  // namespace holdfast::base
