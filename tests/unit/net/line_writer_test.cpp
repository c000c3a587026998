#include "net/line_writer.hpp"

#include <gtest/gtest.h>

namespace holdfast::net {
namespace {

std::string line_of(std::string_view json) {
    std::string out;
    const auto made = append_line(out, json);
    return made ? out : "refused: " + out;
}

TEST(LineWriterTest, EndsATextWithANewline) {
    EXPECT_EQ(line_of("{\"a\":1}"), "{\"a\":1}\n");
}

TEST(LineWriterTest, TurnsLineEndsBetweenValuesIntoSpaces) {
    EXPECT_EQ(line_of("{\r\n\"a\":\n1\r}"), "{  \"a\": 1 }\n");
}

TEST(LineWriterTest, KeepsEveryOtherByte) {
    const std::string text = "{\"a\\\"\\\\\": \"\\n\\u0000\xC3\xA9\t\",\n\"b\":\t2}";
    std::string expected = text;
    expected[expected.find('\n')] = ' ';

    EXPECT_EQ(line_of(text), expected + "\n");
}

TEST(LineWriterTest, RejectsALineEndInsideAString) {
    EXPECT_EQ(line_of("{\"a\":\"x\ny\"}"), "refused: ");
    EXPECT_EQ(line_of("{\"a\":\"\\\"\ry\"}"), "refused: ");
}

TEST(LineWriterTest, AppendsToExistingText) {
    std::string out = "1\n";

    EXPECT_TRUE(append_line(out, "2"));
    EXPECT_FALSE(append_line(out, "\"\n\""));

    EXPECT_EQ(out, "1\n2\n");
}

}  // namespace
}  // namespace holdfast::net
