#include "schema/example.hpp"

#include <string>

#include <gtest/gtest.h>

#include "schema_text.hpp"

namespace holdfast::schema {
namespace {

std::string corrected(std::string_view schema, std::string_view sent) {
    const Example example = corrected_example(schema_of(schema), json(sent));
    EXPECT_TRUE(example.is_valid) << example.value;
    return boost::json::serialize(example.value);
}

constexpr std::string_view kSearch = R"({
    "type": "object",
    "properties": {
        "query": {"type": "string"},
        "limit": {"type": "integer", "minimum": 1, "maximum": 100},
        "mode": {"enum": ["fast", "exact"]},
        "tags": {"type": "array", "items": {"type": "string"}},
        "when": {"type": "string", "format": "date"}
    },
    "required": ["query", "limit"],
    "additionalProperties": false
})";

TEST(ExampleTest, KeepsValidParts) {
    EXPECT_EQ(corrected(kSearch, R"({"limit":5,"query":"x"})"), R"({"limit":5,"query":"x"})");
}

TEST(ExampleTest, RepairsObviousMistakes) {
    EXPECT_EQ(corrected(kSearch, R"({"qeury":"x","limit":"5","mode":"Fast","tags":"a"})"),
              R"({"query":"x","limit":5,"mode":"fast","tags":["a"]})");
    EXPECT_EQ(corrected(kSearch, R"({"query":7,"limit":5000})"), R"({"query":"7","limit":100})");
    EXPECT_EQ(corrected(kSearch, R"("{\"query\":\"x\",\"limit\":3}")"),
              R"({"query":"x","limit":3})");
    EXPECT_EQ(corrected(R"({"type": "boolean"})", R"("true")"), "true");
    EXPECT_EQ(corrected(R"({"maxLength": 2})", R"("äöü")"), R"("äö")");
}

TEST(ExampleTest, AddsRequiredProperties) {
    EXPECT_EQ(corrected(kSearch, "{}"), R"({"query":"text","limit":1})");
    EXPECT_EQ(corrected(kSearch, "null"), R"({"query":"text","limit":1})");
    EXPECT_EQ(corrected(R"({"properties": {"a": {"type": "string", "format": "date"},
                            "b": {"type": "number", "exclusiveMinimum": 10},
                            "c": {"type": "array", "minItems": 2, "items": {"type": "boolean"}},
                            "d": {"default": 7}, "e": {"$ref": "#/$defs/e"}},
                            "required": ["a", "b", "c", "d", "e"],
                            "$defs": {"e": {"enum": ["x"]}}})",
                        "{}"),
              R"({"a":"2025-01-31","b":11,"c":[true,true],"d":7,"e":"x"})");
}

TEST(ExampleTest, RemovesRejectedProperties) {
    EXPECT_EQ(corrected(kSearch, R"({"query":"x","limit":1,"colour":"red"})"),
              R"({"query":"x","limit":1})");
}

TEST(ExampleTest, KeepsUndescribedPropertiesIfAllowed) {
    EXPECT_EQ(corrected(R"({"properties": {"a": {"type": "integer"}}})", R"({"a":"1","z":[1]})"),
              R"({"a":1,"z":[1]})");
}

TEST(ExampleTest, RepairsInsideAlternativesAndReferences) {
    EXPECT_EQ(corrected(R"({"$defs": {"p": {"type": "object", "properties":
                            {"n": {"type": "integer"}}, "required": ["n"]}},
                            "properties": {"p": {"anyOf": [{"$ref": "#/$defs/p"},
                            {"type": "null"}]}}})",
                        R"({"p":{"n":"4"}})"),
              R"({"p":{"n":4}})");
}

TEST(ExampleTest, ReportsAnExampleThatIsNotValid) {
    const Example example =
        corrected_example(schema_of(R"({"type": "string", "pattern": "^[0-9]{4}$"})"), json("1"));

    EXPECT_FALSE(example.is_valid);
}

TEST(ExampleTest, TerminatesForASchemaWithoutValidValues) {
    EXPECT_FALSE(corrected_example(schema_of(R"({"$ref": "#"})"), json("1")).is_valid);
    EXPECT_FALSE(corrected_example(schema_of("false"), json("{}")).is_valid);
    EXPECT_FALSE(corrected_example(schema_of(R"({"type": "object", "required": ["a"],
                                                 "properties": {"a": {"$ref": "#"}}})"),
                                   json("{}"))
                     .is_valid);
}

}  // namespace
}  // namespace holdfast::schema
