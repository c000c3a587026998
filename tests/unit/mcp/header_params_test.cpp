#include "mcp/header_params.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/parse.hpp>

namespace holdfast::mcp {
namespace {

using boost::json::parse;

TEST(HeaderParamsTest, FindsAnnotatedArgumentsAlsoWithinObjects) {
    const auto params = header_params(parse(R"({"type":"object","properties":{
        "region":{"type":"string","x-mcp-header":"Region"},
        "level":{"type":"number"},
        "nested":{"type":"object","properties":{"dry":{"type":"boolean","x-mcp-header":"Dry-Run"}}}
    }})"));

    ASSERT_TRUE(params.has_value()) << params.error().message;
    ASSERT_EQ(params->size(), 2U);
    EXPECT_EQ(params->at(0).header, "Mcp-Param-Region");
    EXPECT_EQ(params->at(1).path, (std::vector<std::string>{"nested", "dry"}));
}

TEST(HeaderParamsTest, RejectsIllegalAnnotations) {
    for (const char* properties : {
             R"("a":{"type":"string","x-mcp-header":""})",
             R"("a":{"type":"string","x-mcp-header":7})",
             R"("a":{"type":"string","x-mcp-header":"with space"})",
             R"("a":{"type":"string","x-mcp-header":"colon:"})",
             R"("a":{"type":"number","x-mcp-header":"A"})",
             R"("a":{"type":"object","x-mcp-header":"A"})",
             R"("a":{"x-mcp-header":"A"})",
             R"("a":{"type":["string","null"],"x-mcp-header":"A"})",
             R"("a":{"type":"string","x-mcp-header":"A"},"b":{"type":"string","x-mcp-header":"a"})",
             R"("a":{"type":"array","items":{"type":"string","x-mcp-header":"A"}})",
             R"("a":{"oneOf":[{"type":"string","x-mcp-header":"A"}]})",
             R"("a":{"if":{"properties":{"b":{"type":"string","x-mcp-header":"A"}}}})",
         }) {
        const auto params = header_params(
            parse(std::string{R"({"type":"object","properties":{)"} + properties + "}}"));
        EXPECT_FALSE(params.has_value()) << properties;
    }
    EXPECT_FALSE(header_params(parse(R"({"x-mcp-header":"Root","type":"string"})")).has_value());
    EXPECT_FALSE(header_params(parse(R"({"$defs":{"a":{"type":"string","x-mcp-header":"A"}}})"))
                     .has_value());
}

TEST(HeaderParamsTest, RejectsASchemaThatIsNestedTooDeep) {
    std::string schema = "{}";
    for (int depth = 0; depth < 200; ++depth) {
        schema.insert(0, R"({"properties":{"a":)").append("}}");
    }
    boost::json::parse_options options;
    options.max_depth = 1'000;

    EXPECT_FALSE(header_params(parse(schema, {}, options)).has_value());
}

TEST(HeaderParamsTest, WritesArgumentsAsHeaderTexts) {
    const auto text = [](const char* arguments) {
        return header_text_of({.path = {"a", "b"}, .header = ""}, parse(arguments));
    };

    EXPECT_EQ(text(R"({"a":{"b":"us-west1"}})"), "us-west1");
    EXPECT_EQ(text(R"({"a":{"b":""}})"), "");
    EXPECT_EQ(text(R"({"a":{"b":42}})"), "42");
    EXPECT_EQ(text(R"({"a":{"b":false}})"), "false");
    EXPECT_EQ(text(R"({"a":{"b":null}})"), std::nullopt);
    EXPECT_EQ(text(R"({"a":{}})"), std::nullopt);
    EXPECT_EQ(text(R"({"a":7})"), std::nullopt);
    EXPECT_EQ(text(R"({"a":{"b":9007199254740993}})"), std::nullopt) << "not exact in a double";
}

TEST(HeaderParamsTest, ComparesIntegersAsNumbersAndOtherTypesAsText) {
    const auto repeats = [](std::optional<std::string_view> header, const char* argument) {
        return repeats_argument(header, {.path = {"a"}, .header = ""}, parse(argument));
    };

    EXPECT_TRUE(repeats("42", R"({"a":42})"));
    EXPECT_TRUE(repeats("42.0", R"({"a":42})"));
    EXPECT_FALSE(repeats("42a", R"({"a":42})"));
    EXPECT_FALSE(repeats("43", R"({"a":42})"));
    EXPECT_FALSE(repeats("42.0", R"({"a":"42"})")) << "a text is a text";
    EXPECT_FALSE(repeats("True", R"({"a":true})"));
    EXPECT_TRUE(repeats("", R"({"a":""})"));
    EXPECT_FALSE(repeats(std::nullopt, R"({"a":""})"));
    EXPECT_TRUE(repeats(std::nullopt, R"({"a":null})"));
    EXPECT_FALSE(repeats("x", "{}"));
}

}  // namespace
}  // namespace holdfast::mcp
