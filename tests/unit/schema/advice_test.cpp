#include <string>

#include <gtest/gtest.h>

#include "schema/parameters.hpp"
#include "schema/schema.hpp"
#include "schema_text.hpp"

namespace holdfast::schema {
namespace {

std::string complaint(std::string_view schema, std::string_view value) {
    return to_text(schema_of(schema).validate(json(value)));
}

TEST(AdviceTest, ReportsPositionExpectationAndFinding) {
    const Report report = schema_of(R"({"properties": {"a": {"items": {"type": "integer"}}}})")
                              .validate(json(R"({"a": [1, "x"]})"));

    ASSERT_EQ(report.violations.size(), 1U);
    const Violation& violation = report.violations.front();
    EXPECT_EQ(violation.instance, "/a/1");
    EXPECT_EQ(violation.keyword, "type");
    EXPECT_EQ(violation.schema_location, "#/properties/a/items/type");
    EXPECT_EQ(violation.expected, "integer");
    EXPECT_EQ(violation.got, "string \"x\"");
    EXPECT_EQ(violation.advice, "");
}

TEST(AdviceTest, SuggestsTheIntendedProperty) {
    constexpr std::string_view kSchema =
        R"({"properties": {"max_results": {}, "query": {}}, "additionalProperties": false})";

    EXPECT_EQ(complaint(kSchema, R"({"maxResults": 1})"),
              "/maxResults: expected no such property, got the property \"maxResults\"; did you "
              "mean \"max_results\"?");
    EXPECT_EQ(complaint(kSchema, R"({"qeury": 1})"),
              "/qeury: expected no such property, got the property \"qeury\"; did you mean "
              "\"query\"?");
    EXPECT_EQ(complaint(kSchema, R"({"zebra": 1})"),
              "/zebra: expected no such property, got the property \"zebra\"; remove it");
}

TEST(AdviceTest, DoesNotSuggestAPropertyThatExists) {
    EXPECT_EQ(complaint(R"({"properties": {"query": {}}, "additionalProperties": false})",
                        R"({"query": 1, "qeury": 1})"),
              "/qeury: expected no such property, got the property \"qeury\"; remove it");
}

TEST(AdviceTest, SuggestsTheIntendedValue) {
    EXPECT_EQ(complaint(R"({"enum": ["fast", "exact"]})", R"("Fsat")"),
              "the value: expected one of \"fast\" | \"exact\", got string \"Fsat\"; did you mean "
              "\"fast\"?");
    EXPECT_EQ(complaint(R"({"enum": ["fast", "exact"]})", R"("blue")"),
              "the value: expected one of \"fast\" | \"exact\", got string \"blue\"");
}

TEST(AdviceTest, ListsMissingProperties) {
    constexpr std::string_view kSchema =
        R"({"properties": {"query": {}, "limit": {}, "mode": {}}, "required": ["query", "limit"]})";

    EXPECT_EQ(complaint(kSchema, R"({"mode": 1})"),
              "the value: expected the required properties \"query\", \"limit\", got an object "
              "without \"query\", \"limit\"; add \"query\", \"limit\"");
    EXPECT_EQ(complaint(kSchema, R"({"Query": 1})"),
              "the value: expected the required properties \"query\", \"limit\", got an object "
              "without \"query\", \"limit\"; rename \"Query\" to \"query\"; add \"limit\"");
}

TEST(AdviceTest, SaysHowToSendAnotherType) {
    EXPECT_EQ(complaint(R"({"type": "integer"})", R"("5")"),
              "the value: expected integer, got string \"5\"; send it without quotes");
    EXPECT_EQ(complaint(R"({"type": "string"})", "5"),
              "the value: expected string, got integer 5; send it as text, in quotes");
    EXPECT_EQ(complaint(R"({"type": ["array", "null"]})", "5"),
              "the value: expected array or null, got integer 5; send it as a list");
}

TEST(AdviceTest, DescribesLimits) {
    EXPECT_EQ(complaint(R"({"maximum": 10})", "11"),
              "the value: expected at most 10, got integer 11");
    EXPECT_EQ(complaint(R"({"exclusiveMinimum": 0.5})", "0.5"),
              "the value: expected above 5E-1, got number 5E-1");
    EXPECT_EQ(complaint(R"({"minLength": 1})", R"("")"),
              "the value: expected at least 1 character, got string \"\"");
    EXPECT_EQ(complaint(R"({"maxItems": 2})", "[1,2,3]"),
              "the value: expected at most 2 items, got array with 3 items");
    EXPECT_EQ(complaint(R"({"minProperties": 2})", "{}"),
              "the value: expected at least 2 properties, got empty object");
    EXPECT_EQ(complaint(R"({"pattern": "^a"})", R"("b")"),
              "the value: expected text that matches ^a, got string \"b\"");
    EXPECT_EQ(complaint(R"({"dependentRequired": {"a": ["b"]}})", R"({"a": 1})"),
              "the value: expected with \"a\" also \"b\", got object with 1 member");
}

TEST(AdviceTest, ReportsFaultsOfTheOnlyAlternativeForTheKind) {
    EXPECT_EQ(
        complaint(R"({"anyOf": [{"type": "object", "required": ["a"]}, {"type": "null"}]})", "{}"),
        "the value: expected the required property \"a\", got an object without \"a\"; add "
        "\"a\"");
    EXPECT_EQ(complaint(R"({"anyOf": [{"type": "string"}, {"type": "null"}]})", "1"),
              "the value: expected one of: string; null, got integer 1");
}

TEST(AdviceTest, HidesValuesOnRequest) {
    const Report report =
        schema_of(R"({"type": "integer"})").validate(json(R"("secret")"), {.show_values = false});

    ASSERT_EQ(report.violations.size(), 1U);
    EXPECT_EQ(report.violations[0].got, "string");
}

TEST(ParametersTest, DescribesTheProperties) {
    EXPECT_EQ(describe_parameters(schema_of(
                  R"({"properties": {"a": {"type": "string"}, "b": {"type": "integer"}},
                      "required": ["a"]})")),
              "a (string, required), b (integer)");
    EXPECT_EQ(describe_parameters(schema_of(
                  R"({"$defs": {"m": {"enum": ["x", "y"]}}, "allOf": [{"properties": {
                      "mode": {"$ref": "#/$defs/m"}, "tags": {"type": "array",
                      "items": {"type": "string"}}, "note": {"anyOf": [{"type": "string"},
                      {"type": "null"}]}, "any": {}}}]})")),
              "mode (\"x\" | \"y\"), tags (array of string), note (string or null), any (any)");
    EXPECT_EQ(describe_parameters(schema_of("{}")), "none");
}

TEST(ParametersTest, ReportsTheNumberOfOmittedParameters) {
    EXPECT_EQ(describe_parameters(schema_of(R"({"properties": {"a": {}, "b": {}, "c": {}}})"), 10),
              "a (any) and 2 more");
}

}  // namespace
}  // namespace holdfast::schema
