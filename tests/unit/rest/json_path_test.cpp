#include "rest/json_path.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace holdfast::rest {
namespace {

std::string part_of(std::string_view json, std::string_view path) {
    const auto text = JsonText::checked(json);
    const auto way = parsed_path(path);
    if (!text || !way) {
        return text ? "no path" : "no json";
    }
    return text->part(*way).value_or("nothing");
}

TEST(JsonPathTest, ReadsDotPathsAndPointers) {
    EXPECT_EQ(parsed_path("a.b.0"), (JsonPath{{"a", "b", "0"}}));
    EXPECT_EQ(parsed_path("/a.b/c~1d/e~0f"), (JsonPath{{"a.b", "c/d", "e~f"}}));
    EXPECT_EQ(parsed_path(""), JsonPath{});
    EXPECT_EQ(parsed_path("a..b"), std::nullopt);
    EXPECT_EQ(parsed_path("."), std::nullopt);
    EXPECT_EQ(parsed_path("a."), std::nullopt);
    EXPECT_EQ(parsed_path("/a~2"), std::nullopt);
    EXPECT_EQ(parsed_path("/a~"), std::nullopt);
}

TEST(JsonPathTest, LimitsTheNumberOfKeys) {
    std::string text = "k";
    for (std::size_t count = 1; count < JsonPath::kMaxKeys; ++count) {
        text += ".k";
    }

    EXPECT_TRUE(parsed_path(text));
    EXPECT_FALSE(parsed_path(text + ".k"));
}

TEST(JsonPathTest, ReturnsPartsAsWritten) {
    constexpr std::string_view kText = R"( {"a":{"b":[1,{"c": 1.50e2 }]},"s":"\u00e9","n":null} )";

    EXPECT_EQ(part_of(kText, "a.b.1.c"), "1.50e2");
    EXPECT_EQ(part_of(kText, "/a/b/0"), "1");
    EXPECT_EQ(part_of(kText, "a.b.1"), R"({"c": 1.50e2 })");
    EXPECT_EQ(part_of(kText, "s"), R"("\u00e9")");
    EXPECT_EQ(part_of(kText, "n"), "null");
    EXPECT_EQ(part_of(kText, "a.b.2"), "nothing");
    EXPECT_EQ(part_of(kText, "a.b.x"), "nothing");
    EXPECT_EQ(part_of(kText, "a.b.-1"), "nothing");
    EXPECT_EQ(part_of(kText, "s.x"), "nothing");
    EXPECT_EQ(part_of("[]", "0"), "nothing");
}

TEST(JsonTextTest, AcceptsExactlyOneValue) {
    for (const std::string_view text : {"{}", " [1] ", "\"a\"", "1", "true", "null", "[]"}) {
        EXPECT_TRUE(JsonText::checked(text)) << text;
    }
    for (const std::string_view text : {"", " ", "1,2", "{},{}", "{", "nul", "[1", "1]", "{}]",
                                        "<html>", "\"a", "'a'", "\xFF", "\"\xFF\""}) {
        EXPECT_FALSE(JsonText::checked(text)) << text;
    }
}

TEST(JsonTextTest, DropsSurroundingWhiteSpace) {
    EXPECT_EQ(JsonText::checked(" \n{\"a\": 1} ")->whole(), "{\"a\": 1}");
}

}  // namespace
}  // namespace holdfast::rest
