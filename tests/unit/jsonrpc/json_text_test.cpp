#include "jsonrpc/json_text.hpp"

#include <gtest/gtest.h>

#include <string>

namespace holdfast::jsonrpc {
namespace {

TEST(JsonTextTest, AcceptsOnlyNumbersOfTheGrammar) {
    for (const char* number : {"0", "-0", "7", "-12", "1.5", "0.0", "1e9", "1E+9", "-1.25e-300",
                               "123456789012345678901234567890"}) {
        EXPECT_TRUE(is_number(number)) << number;
    }
    for (const char* other : {"", "-", "+1", "01", "-01", ".5", "1.", "1e", "1e+", "0x1", "1 ",
                              " 1", "NaN", "Infinity", "1_000", "--1", "1.5.5"}) {
        EXPECT_FALSE(is_number(other)) << other;
    }
    EXPECT_TRUE(is_integer("-9007199254740993"));
    EXPECT_FALSE(is_integer("1.0"));
    EXPECT_FALSE(is_integer("1e3"));
}

TEST(JsonTextTest, AcceptsOnlyLegalEscapes) {
    for (const char* text : {"", "plain", R"(\"\\\/\b\f\n\r\t)", R"(\u00e9\uD83D\uDE00)"}) {
        EXPECT_TRUE(has_legal_escapes(text)) << text;
    }
    for (const char* text : {R"(\)", R"(\x41)", R"(\u12)", R"(\u12g4)", R"(a\)", R"(\\\)"}) {
        EXPECT_FALSE(has_legal_escapes(text)) << text;
    }
}

TEST(JsonTextTest, DecodesStrings) {
    EXPECT_EQ(decoded(R"("")"), "");
    EXPECT_EQ(decoded(R"("a\"b\\c\/d\n")"), "a\"b\\c/d\n");
    EXPECT_EQ(decoded(R"("\u0041\u00e9\u20ac")"), "A\u00e9\u20ac");
    EXPECT_EQ(decoded(R"("\ud83d\ude00!")"), "\U0001F600!");
    EXPECT_EQ(decoded(R"("\ud83dx")"), "\ufffdx");
    EXPECT_EQ(decoded(R"("\ude00")"), "\ufffd");
    EXPECT_EQ(decoded(R"("\ud83d\u0041")"), "\ufffdA");
}

TEST(JsonTextTest, DecodesTheBeginningOfAString) {
    EXPECT_EQ(decoded_beginning(R"("abc")", 0), "");
    EXPECT_EQ(decoded_beginning(R"("abc")", 2), "ab");
    EXPECT_EQ(decoded_beginning(R"("abc")", 9), "abc");
    EXPECT_EQ(decoded_beginning(R"("a\n\tb")", 2), "a\n");
    EXPECT_EQ(decoded_beginning(R"("a\n\tb")", 3), "a\n\t");
    EXPECT_EQ(decoded_beginning(R"("a\u20acb")", 4), "a\u20ac");
    EXPECT_EQ(decoded_beginning(R"("a\u20acb")", 2).size(), 2U) << "within a character";
}

TEST(JsonTextTest, DecodingReversesQuoting) {
    std::string every_byte;
    for (int byte = 0; byte < 0x80; ++byte) {
        every_byte.push_back(static_cast<char>(byte));
    }
    every_byte += "\u00e9\U0001F600";

    EXPECT_EQ(decoded(quoted_text(every_byte)), every_byte);
    EXPECT_EQ(quoted_text("a\n\x01\"\\"), R"("a\n\u0001\"\\")");
}

}  // namespace
}  // namespace holdfast::jsonrpc
