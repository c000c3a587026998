#include "base/letter_case.hpp"

#include <gtest/gtest.h>

namespace holdfast::base {
namespace {

TEST(LetterCaseTest, LowersAsciiLettersOnly) {
    EXPECT_EQ(lower_case("AbZ-[@1"), "abz-[@1");
    EXPECT_EQ(lower_case("\u00c9"), "\u00c9");
    EXPECT_EQ(lower_case(""), "");
}

}  // namespace
}  // namespace holdfast::base
