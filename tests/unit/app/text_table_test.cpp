#include "app/text_table.hpp"

#include <gtest/gtest.h>

namespace holdfast::app {
namespace {

TEST(TextTableTest, MakesColumnsAsWideAsTheirWidestText) {
    TextTable table;
    table.add({"a", "ready", "x"});
    table.add({"longer", "-", "y z"});
    table.add({"é", "", ""});

    EXPECT_EQ(table.text(), "a       ready  x\nlonger  -      y z\né\n");
}

TEST(TextTableTest, ShowsTheFirstLineOnly) {
    EXPECT_EQ(shown_line("one\ntwo", 100), "one");
    EXPECT_EQ(shown_line("one\r\ntwo", 100), "one");
    EXPECT_EQ(shown_line("", 100), "");
}

TEST(TextTableTest, CutsBetweenCharacters) {
    EXPECT_EQ(shown_line("abcdef", 3), "abc…");
    EXPECT_EQ(shown_line("aé", 2), "a…");
    EXPECT_EQ(shown_line("aé", 3), "aé");
}

TEST(TextTableTest, ShowsNothingThatSteersATerminal) {
    EXPECT_EQ(shown_text("a\x1b[31mb\a\x7f"), "a?[31mb??");
    EXPECT_EQ(shown_text("a\xC2\x9B"
                         "b"),
              "a?b");
    EXPECT_EQ(shown_text("a\n\tb é ü\xC2\xA0"), "a\n\tb é ü\xC2\xA0");
}

}  // namespace
}  // namespace holdfast::app
