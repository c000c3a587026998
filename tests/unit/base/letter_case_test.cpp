#include "base/letter_case.hpp"

#include <gtest/gtest.h>

namespace holdfast::base {
namespace {

TEST(LetterCaseTest, LowersAsciiLettersOnly) {
    EXPECT_EQ(lower_case("AbZ-[@1"), "abz-[@1");
    EXPECT_EQ(lower_case("\u00c9"), "\u00c9");
    EXPECT_EQ(lower_case(""), "");
}

TEST(LetterCaseTest, ComparesTextsIgnoringCase) {
    EXPECT_TRUE(equals_ignoring_case("", ""));
    EXPECT_TRUE(equals_ignoring_case("Content-Type", "content-TYPE"));
    EXPECT_FALSE(equals_ignoring_case("Content-Type", "Content-Typ"));
    EXPECT_FALSE(equals_ignoring_case("Content-Type", "Content-Tyse"));
    EXPECT_FALSE(equals_ignoring_case("Accept", "Expect"));
    // These differ only in the case bit, and are not letters.
    EXPECT_FALSE(equals_ignoring_case("a@", "a`"));
    EXPECT_FALSE(equals_ignoring_case("a[", "a{"));
}

}  // namespace
}  // namespace holdfast::base
