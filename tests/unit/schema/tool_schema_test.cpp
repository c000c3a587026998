#include "schema/tool_schema.hpp"

#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include <boost/json.hpp>

namespace holdfast::schema {
namespace {

constexpr std::string_view kSearch = R"({
    "$schema": "http://json-schema.org/draft-07/schema#",
    "type": "object",
    "properties": {
        "query": {"type": "string", "description": "Words to look for."},
        "limit": {"type": "integer", "minimum": 1, "maximum": 100},
        "mode": {"enum": ["fast", "exact"]},
        "token": {"type": "string", "maxLength": 3}
    },
    "required": ["query"],
    "additionalProperties": false
})";

TEST(ToolSchemaTest, AcceptsValidArguments) {
    const ToolSchema schema{kSearch};

    EXPECT_EQ(schema.problem(), "");
    EXPECT_FALSE(schema.check(R"({"query":"x","limit":5})"));
}

TEST(ToolSchemaTest, ChecksArgumentsWithoutNulls) {
    const ToolSchema rule{R"({"anyOf":[{"required":["a"]},{"required":["b"]}]})"};

    EXPECT_FALSE(rule.refuses_without_nulls(R"({"a":1})"));
    EXPECT_FALSE(rule.refuses_without_nulls(R"({"a":1,"b":null})"));
    EXPECT_TRUE(rule.refuses_without_nulls(R"({"a":null})"));
    EXPECT_TRUE(rule.refuses_without_nulls("{}"));
    EXPECT_FALSE(ToolSchema{"{"}.refuses_without_nulls("{}")) << "nothing is checked";
}

TEST(ToolSchemaTest, AcceptsNullForOptionalParameters) {
    const ToolSchema schema{
        R"({"type":"object","required":["a"],"properties":{"a":{"type":"string"},)"
        R"("b":{"type":"string"}},"additionalProperties":false})"};

    EXPECT_FALSE(schema.check(R"({"a":"x","b":null})"));
    EXPECT_TRUE(schema.check(R"({"a":null})"));
    EXPECT_TRUE(schema.check(R"({"a":"x","b":1})"));
    EXPECT_TRUE(schema.check(R"({"a":"x","b":null,"c":null})"));
}

TEST(ToolSchemaTest, ListsEveryViolationAndAValidExample) {
    const auto report = ToolSchema{kSearch}.check(R"({"qeury":"x","limit":"5","mode":"fats"})");

    ASSERT_TRUE(report);
    EXPECT_FALSE(report->truncated);
    std::string text;
    for (const Violation& violation : report->violations) {
        text += to_text(violation) + "\n";
    }
    EXPECT_NE(text.find(R"(/limit: expected integer, got string "5"; send it without quotes)"),
              std::string::npos)
        << text;
    EXPECT_NE(text.find(R"(did you mean "fast"?)"), std::string::npos) << text;
    EXPECT_NE(text.find(R"(did you mean "query"?)"), std::string::npos) << text;
    EXPECT_EQ(report->example, R"({"query":"x","limit":5,"mode":"fast"})");
}

TEST(ToolSchemaTest, DoesNotQuoteSecrets) {
    const ToolSchema schema{kSearch};

    const auto report = schema.check(R"({"query":"x","token":"hunter2","limit":999})");
    const auto silent = schema.check(R"({"query":"x","limit":999})", false);

    ASSERT_TRUE(report);
    for (const Violation& violation : report->violations) {
        EXPECT_EQ(to_text(violation).find("hunter2"), std::string::npos) << to_text(violation);
    }
    ASSERT_TRUE(silent);
    EXPECT_EQ(silent->violations.front().got, "integer");
}

TEST(ToolSchemaTest, DescribesItsParameters) {
    const ToolSchema schema{kSearch};

    const auto parameters = schema.parameters();

    ASSERT_EQ(parameters.size(), 4U);
    EXPECT_EQ(parameters[0].name, "query");
    EXPECT_EQ(parameters[0].type, "string");
    EXPECT_TRUE(parameters[0].is_required);
    EXPECT_EQ(parameters[0].description, "Words to look for.");
    EXPECT_FALSE(parameters[1].is_required);
    EXPECT_EQ(parameters[2].type, R"("fast" | "exact")");
    EXPECT_EQ(
        schema.parameter_summary(),
        R"(query (string, required), limit (integer), mode ("fast" | "exact"), token (string))");
}

TEST(ToolSchemaTest, ReportsWhyArgumentsAreNotChecked) {
    for (const std::string_view text :
         {R"({"type":"nubmer"})", "{", "[]", R"({"$ref":"https://elsewhere.example/s.json"})",
          R"({"properties":{"a":{"$ref":"#/$defs/none"}}})"}) {
        const ToolSchema schema{text};

        EXPECT_NE(schema.problem(), "") << text;
        EXPECT_FALSE(schema.check(R"({"a":1})")) << text;
        EXPECT_TRUE(schema.parameters().empty());
        EXPECT_EQ(schema.parameter_summary(), "");
    }
    EXPECT_NE(ToolSchema{R"({"properties":{"n":{"type":"nubmer"}}})"}.problem().find(
                  "#/properties/n/type"),
              std::string::npos);
}

TEST(ToolSchemaTest, AcceptsArgumentsThatExceedTheLimits) {
    const ToolSchema circle{R"({"$ref":"#"})"};
    const std::string deep = std::string(2'000, '[') + std::string(2'000, ']');

    EXPECT_FALSE(circle.check("{}"));
    EXPECT_FALSE(ToolSchema{R"({"type":"string"})"}.check(deep));
}

TEST(ToolSchemaTest, ChecksArgumentsLargerThanTheBuffer) {
    const ToolSchema schema{R"({"properties":{"a":{"items":{"type":"integer"}}}})"};
    std::string numbers = "1";
    for (int i = 0; i < 10'000; ++i) {
        numbers += ",2";
    }

    EXPECT_FALSE(schema.check("{\"a\":[" + numbers + "]}"));
    EXPECT_TRUE(schema.check("{\"a\":[" + numbers + ",\"x\"]}"));
    EXPECT_TRUE(schema.check(R"({"a":[)" + std::string(300, '[') + std::string(300, ']') + "]}"));
}

TEST(ToolSchemaTest, OmitsExamplesThatAreTooLongOrNotObjects) {
    const auto no_object = ToolSchema{R"({"type":"string"})"}.check("{}");
    const auto too_long = ToolSchema{R"({"properties":{"a":{"type":"integer"}}})"}.check(
        R"({"a":"x","b":")" + std::string(10'000, 'b') + "\"}");

    ASSERT_TRUE(no_object && too_long);
    EXPECT_EQ(no_object->example, "");
    EXPECT_EQ(too_long->example, "");
}

}  // namespace
}  // namespace holdfast::schema
