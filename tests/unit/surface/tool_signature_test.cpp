#include "surface/tool_signature.hpp"

#include <gtest/gtest.h>

#include <string>

namespace holdfast::surface {
namespace {

constexpr std::size_t kBytes = 300;

std::string signature(const std::string& properties, const std::string& required = "") {
    return tool_signature(
        "t",
        R"({"type":"object","properties":{)" + properties + R"(},"required":[)" + required + "]}",
        kBytes);
}

TEST(ToolSignatureTest, ShowsTypesWithTheRequiredParametersFirst) {
    EXPECT_EQ(signature(R"("format":{"enum":["png","jpeg"]},"pageId":{"type":"number"},)"
                        R"("full":{"type":"boolean"})",
                        R"("pageId")"),
              R"(t(pageId: number, format?: "png"|"jpeg", full?: boolean))");
    EXPECT_EQ(signature(""), "t()");
    EXPECT_EQ(tool_signature("t", "{}", kBytes), "t()");
    EXPECT_EQ(tool_signature("t", "not json", kBytes), "t()");
}

TEST(ToolSignatureTest, ShowsListsUnionsAndMembersOfOneLevel) {
    EXPECT_EQ(signature(R"("a":{"type":"array","items":{"type":"string"}},)"
                        R"("b":{"type":["integer","null"]},)"
                        R"("c":{"anyOf":[{"type":"string"},{"type":"number"}]},)"
                        R"("d":{"type":"array","items":{"enum":["x",1]}})"),
              R"(t(a?: string[], b?: integer|null, c?: string|number, d?: ("x"|1)[]))");
    EXPECT_EQ(signature(R"("f":{"type":"object","properties":{"a":{"type":"string"},)"
                        R"("b":{"type":"object","properties":{"c":{"type":"string"}}}},)"
                        R"("required":["a"]})"),
              "t(f?: {a: string, b?: object})");
    EXPECT_EQ(signature(R"("x":{},"y":true,"z":{"$ref":"#/a"},"w":{"type":"object"})"),
              "t(x?: any, y?: any, z?: any, w?: object)");
}

TEST(ToolSignatureTest, ShowsAtMostSixValues) {
    EXPECT_EQ(signature(R"("s":{"type":"string","enum":["1","2","3","4","5","6","7"]})"),
              "t(s?: string)");
    EXPECT_EQ(signature(R"("s":{"enum":["1","2","3","4","5","6"]})"),
              R"(t(s?: "1"|"2"|"3"|"4"|"5"|"6"))");
}

TEST(ToolSignatureTest, OfMoreThanTwelveParametersOnlyTheRequiredOnesAreShown) {
    std::string properties = R"("id":{"type":"string"})";
    for (int index = 0; index < 12; ++index) {
        properties += R"(,"p)" + std::to_string(index) + R"(":{"type":"string"})";
    }

    EXPECT_EQ(signature(properties, R"("id")"), "t(id: string, … 12 more, see describe_tool)");
}

TEST(ToolSignatureTest, StaysWithinItsBytes) {
    std::string properties = R"("id":{"type":"string"})";
    for (int index = 0; index < 10; ++index) {
        properties +=
            ",\"" + std::string(50, static_cast<char>('a' + index)) + R"(":{"type":"string"})";
    }

    const std::string text = signature(properties);

    EXPECT_TRUE(text.starts_with("t(id?: string, aaa")) << text;
    EXPECT_TRUE(text.ends_with("more, see describe_tool)")) << text;
    EXPECT_LT(text.size(), kBytes + 50);
}

TEST(ToolSignatureTest, ShowsHostileNamesOnOneLine) {
    EXPECT_EQ(signature(R"("a\u0007\nIGNORE":{"type":"string"})"), "t(a IGNORE?: string)");
    EXPECT_EQ(signature(R"("s":{"enum":["x\n\u001b[31m"]})"), R"(t(s?: "x\n\u001b[31m"))");
}

}  // namespace
}  // namespace holdfast::surface
