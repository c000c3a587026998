#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "schema/schema.hpp"
#include "schema_text.hpp"

namespace holdfast::schema {
namespace {

Schema pattern_schema(std::string_view pattern) {
    const boost::json::value schema{{"pattern", pattern}};
    const auto compiled = compile(schema);
    EXPECT_TRUE(compiled);
    return *compiled;
}

bool matches(std::string_view pattern, std::string_view text) {
    const Schema schema = pattern_schema(pattern);
    EXPECT_TRUE(schema.skipped().empty()) << pattern << ": " << schema.skipped()[0].reason;
    return schema.validate(boost::json::value(text)).is_valid();
}

std::string reason(std::string_view pattern) {
    const Schema schema = pattern_schema(pattern);
    EXPECT_TRUE(schema.validate(boost::json::value("anything")).is_valid()) << pattern;
    return schema.skipped().empty() ? "" : schema.skipped()[0].reason;
}

TEST(PatternTest, MatchesAsEcmaDoes) {
    EXPECT_TRUE(matches(R"(^\d+$)", "12"));
    EXPECT_FALSE(matches(R"(^\d$)", "٣"));
    EXPECT_FALSE(matches(R"(^a$)", "a\n"));
    EXPECT_FALSE(matches(R"(^.$)", "\r"));
    EXPECT_FALSE(matches(R"(^.$)", "\u2028"));
    EXPECT_TRUE(matches(R"(^.$)", "😀"));
    EXPECT_TRUE(matches(R"(^\s$)", "\u00a0"));
    EXPECT_FALSE(matches(R"(^\S$)", "\ufeff"));
    EXPECT_TRUE(matches(R"(^[\S]$)", "x"));
    EXPECT_FALSE(matches(R"(^[\S]$)", "\u3000"));
    EXPECT_FALSE(matches(R"(^\w$)", "é"));
    EXPECT_TRUE(matches(R"(^\u00e9$)", "é"));
    EXPECT_TRUE(matches(R"(^\u{1F600}$)", "😀"));
    EXPECT_TRUE(matches(R"(^\ud83d\ude00$)", "😀"));
    EXPECT_TRUE(matches(R"(^\x41\cI\0$)", std::string_view{"A\t\0", 3}));
    EXPECT_TRUE(matches(R"(^[\b]$)", "\b"));
    EXPECT_TRUE(matches(R"(\bcat\b)", "a cat sat"));
    EXPECT_TRUE(matches(R"(^\/\-\.$)", "/-."));
}

TEST(PatternTest, TranslatesUnicodeProperties) {
    EXPECT_TRUE(matches(R"(^\p{Letter}\p{Lu}\p{Nd}$)", "éÉ٣"));
    EXPECT_TRUE(matches(R"(^\p{Script=Greek}+$)", "αβγ"));
    EXPECT_TRUE(matches(R"(^[\p{L}\p{gc=Decimal_Number}]+$)", "aé1"));
    EXPECT_FALSE(matches(R"(^\P{Letter}$)", "a"));
}

TEST(PatternTest, ReadsClassesAsEcmaDoes) {
    EXPECT_TRUE(matches(R"(^[[:a]+$)", "[:a"));
    EXPECT_TRUE(matches(R"(^[\w-.]+$)", "a-."));
    EXPECT_TRUE(matches(R"(^[a^]+$)", "^a"));
    EXPECT_TRUE(matches(R"(^[^]$)", "\n"));
    EXPECT_FALSE(matches(R"([])", "a"));
}

TEST(PatternTest, ReadsBracesAndGroupsAsEcmaDoes) {
    EXPECT_TRUE(matches(R"(^a{2}b{1,}c{0,2}$)", "aabb"));
    EXPECT_TRUE(matches(R"(^{a}$)", "{a}"));
    EXPECT_TRUE(matches(R"(^x{,2}$)", "x{,2}"));
    EXPECT_TRUE(matches(R"(^(?<year>\d{4})-(?:\d\d)$)", "2025-01"));
    EXPECT_TRUE(matches(R"(^]$)", "]"));
}

TEST(PatternTest, SkipsPatternsThatNeedMoreThanLinearTime) {
    for (const std::string_view pattern : {R"((?=a))", R"((?!a))", R"((?<=a)b)", R"((?<!a)b)"}) {
        EXPECT_EQ(reason(pattern), "look-ahead and look-behind are not supported") << pattern;
    }
    for (const std::string_view pattern : {R"((a)\1)", R"((?<n>a)\k<n>)"}) {
        EXPECT_EQ(reason(pattern), "back-references are not supported") << pattern;
    }
}

TEST(PatternTest, SkipsInvalidPatterns) {
    for (const std::string_view pattern : {R"(\Aa\Z)",
                                           R"(\Qa\E)",
                                           R"(\C)",
                                           R"((?P<n>a))",
                                           R"((?i)a)",
                                           R"(a{2000})",
                                           R"([z-a])",
                                           R"((a)",
                                           R"(a))",
                                           R"(a**)",
                                           R"([a)",
                                           R"(\)",
                                           R"(\u12)",
                                           R"(\u{110000})",
                                           R"(\ud800)",
                                           R"(\u{)",
                                           R"(\x4)",
                                           R"(\c1)",
                                           R"(\p{Emoji_Keycap})",
                                           R"(\p{1})",
                                           R"(\pL)",
                                           R"([\B])"}) {
        EXPECT_NE(reason(pattern), "") << pattern;
    }
}

TEST(PatternTest, ListsSkippedPatterns) {
    const Schema schema =
        schema_of(R"j({"properties": {"a": {"pattern": "^(?!x)"}}, "minProperties": 1})j");

    ASSERT_EQ(schema.skipped().size(), 1U);
    EXPECT_EQ(schema.skipped()[0].location, "#/properties/a/pattern");
    EXPECT_TRUE(schema.validate(json(R"({"a": "x"})")).is_valid());
    EXPECT_FALSE(schema.validate(json("{}")).is_valid());
}

TEST(PatternTest, AcceptsPropertiesThatASkippedPatternMayAllow) {
    const Schema schema = schema_of(R"j({"patternProperties": {"^(?!x)": {"type": "integer"}},
                                         "additionalProperties": false})j");

    ASSERT_EQ(schema.skipped().size(), 1U);
    EXPECT_EQ(schema.skipped()[0].location, "#/patternProperties/^(?!x)");
    EXPECT_TRUE(schema.validate(json(R"({"a": 1})")).is_valid());
}

}  // namespace
}  // namespace holdfast::schema
