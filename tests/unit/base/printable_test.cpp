#include "base/printable.hpp"

#include <gtest/gtest.h>

namespace holdfast::base {
namespace {

TEST(PrintableTest, ShowsTheFirstLineOnly) {
    EXPECT_EQ(shown_line("one\ntwo", 100), "one");
    EXPECT_EQ(shown_line("one\r\ntwo", 100), "one");
    EXPECT_EQ(shown_line("", 100), "");
}

TEST(PrintableTest, CutsBetweenCharacters) {
    EXPECT_EQ(shown_line("abcdef", 3), "abc…");
    EXPECT_EQ(shown_line("aé", 2), "a…");
    EXPECT_EQ(shown_line("aé", 3), "aé");
}

TEST(PrintableTest, RemovesTerminalControlCharacters) {
    EXPECT_EQ(shown_text("a\x1b[31mb\a\x7f"), "a?[31mb??");
    EXPECT_EQ(shown_text("a\xC2\x9B"
                         "b"),
              "a?b");
    EXPECT_EQ(shown_text("a\n\tb é ü\xC2\xA0"), "a\n\tb é ü\xC2\xA0");
}

}  // namespace
}  // namespace holdfast::base
