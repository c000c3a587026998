#include "rest/path_template.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace holdfast::rest {
namespace {

Arguments arguments_of(std::string_view json) {
    auto arguments = Arguments::read(json);
    EXPECT_TRUE(arguments) << json;
    return arguments ? *arguments : Arguments{};
}

PathTemplate path_of(std::string_view text) {
    auto path = PathTemplate::parsed(text);
    EXPECT_TRUE(path) << text;
    return path ? *path : PathTemplate{};
}

/// Returns the path, or "refused: " and the reason.
std::string expanded(std::string_view path, std::string_view arguments) {
    const auto result = path_of(path).expanded(arguments_of(arguments));
    return result ? *result : "refused: " + result.error().message;
}

TEST(PathTemplateTest, FillsInArguments) {
    EXPECT_EQ(expanded("/traces/{id}/votes", R"({"id":"a-1"})"), "/traces/a-1/votes");
    EXPECT_EQ(expanded("/{a}/{b}", R"({"b":2,"a":true})"), "/true/2");
    EXPECT_EQ(expanded("/files/{name}.json", R"({"name":"x"})"), "/files/x.json");
    EXPECT_EQ(expanded("/tags", "{}"), "/tags");
}

TEST(PathTemplateTest, EscapesCharactersThatASegmentCannotContain) {
    EXPECT_EQ(expanded("/t/{id}", R"({"id":"a b?c#d%e&f;g"})"), "/t/a%20b%3Fc%23d%25e%26f%3Bg");
    EXPECT_EQ(expanded("/t/{id}", R"({"id":"\u00e9\ud83d\ude00"})"), "/t/%C3%A9%F0%9F%98%80");
    EXPECT_EQ(expanded("/t/{id}", R"({"id":"%2e%2e%2f"})"), "/t/%252e%252e%252f");
}

TEST(PathTemplateTest, RejectsValuesThatWouldLeaveTheirSegment) {
    const std::vector<std::string> values = {
        R"("")",     R"(".")",      R"("..")",           R"("../x")",
        R"("a/b")",  R"("/")",      R"("a\\b")",         R"("a\u0000b")",
        R"("a\nb")", R"("\u007f")", R"("\u002e\u002e")", R"("\u002f")",
        "null",      "{}",          R"(["a"])"};
    for (const std::string& value : values) {
        const std::string path = expanded("/t/{id}/v", R"({"id":)" + value + "}");

        EXPECT_TRUE(path.starts_with("refused: The argument \"id\" ")) << value << " " << path;
    }
    EXPECT_TRUE(expanded("/t/{id}", "{}").starts_with("refused: "));
}

TEST(PathTemplateTest, RejectsDotsThatFormASegmentWithTheirNeighbours) {
    EXPECT_TRUE(expanded("/t/{a}{b}/x", R"({"a":".","b":"."})").starts_with("refused: "));
    EXPECT_TRUE(expanded("/t/{a}./x", R"({"a":"."})").starts_with("refused: "));
    EXPECT_TRUE(expanded("/t/.{a}", R"({"a":"."})").starts_with("refused: "));
    EXPECT_EQ(expanded("/t/{a}{b}", R"({"a":".x","b":"..y"})"), "/t/.x..y");
}

TEST(PathTemplateTest, RejectsInvalidTemplates) {
    for (const std::string_view text :
         {"", "traces", "/a/{", "/a/{}", "/a/{x", "/a}b", "/a?b", "/a#b", "/a b", "/a/../b", "/./a",
          "/a/..", "/\xC3\xA9", "/a\"b", "/a\r\nHost: x"}) {
        EXPECT_FALSE(PathTemplate::parsed(text)) << text;
    }
}

TEST(PathTemplateTest, RejectsATemplateWithTooManyParts) {
    std::string text;
    for (std::size_t count = 0; count <= PathTemplate::kMaxParts; ++count) {
        text += "/{a}";
    }

    EXPECT_FALSE(PathTemplate::parsed(text));
}

TEST(PathTemplateTest, NamesItsArguments) {
    EXPECT_EQ(path_of("/a/{x}/{y}").parameters(), (std::vector<std::string_view>{"x", "y"}));
}

}  // namespace
}  // namespace holdfast::rest
