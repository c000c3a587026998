#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "schema/compile/program.hpp"
#include "schema/schema.hpp"
#include "schema_text.hpp"

namespace holdfast::schema {
namespace {

CompileError error_of(std::string_view schema, const CompileOptions& options = {}) {
    const auto result = compile(json(schema), options);
    EXPECT_FALSE(result) << schema;
    return result ? CompileError{} : result.error();
}

TEST(CompileTest, ReportsThePositionOfAMalformedKeyword) {
    const CompileError error = error_of(R"({"properties": {"a/b": {"type": "text"}}})");

    EXPECT_TRUE(error.code == CompileErrc::malformed);
    EXPECT_EQ(error.location, "#/properties/a~1b/type");
    EXPECT_EQ(error.message, "must be the name of a type or a list of them");
}

TEST(CompileTest, RejectsEveryMalformedKeyword) {
    for (const std::string_view schema : {R"(5)",
                                          R"("x")",
                                          R"([])",
                                          R"(null)",
                                          R"({"type": []})",
                                          R"({"type": 5})",
                                          R"({"enum": 1})",
                                          R"({"minimum": "1"})",
                                          R"({"multipleOf": 0})",
                                          R"({"multipleOf": -1})",
                                          R"({"minLength": -1})",
                                          R"({"maxItems": 1.5})",
                                          R"({"pattern": 5})",
                                          R"({"uniqueItems": 1})",
                                          R"({"required": "a"})",
                                          R"({"required": [1]})",
                                          R"({"properties": []})",
                                          R"({"properties": {"a": 1}})",
                                          R"({"patternProperties": 1})",
                                          R"({"additionalProperties": 1})",
                                          R"({"propertyNames": []})",
                                          R"({"dependentRequired": {"a": 1}})",
                                          R"({"dependentRequired": []})",
                                          R"({"dependentSchemas": {"a": []}})",
                                          R"({"prefixItems": {}})",
                                          R"({"items": 1})",
                                          R"({"contains": 1})",
                                          R"({"contains": true, "minContains": "1"})",
                                          R"({"allOf": {}})",
                                          R"({"allOf": []})",
                                          R"({"anyOf": [1]})",
                                          R"({"oneOf": []})",
                                          R"({"not": 1})",
                                          R"({"if": 1})",
                                          R"({"$ref": 1})",
                                          R"({"$dynamicRef": 1})",
                                          R"({"$defs": []})",
                                          R"({"$defs": {"a": 1}})",
                                          R"({"unevaluatedItems": 1})",
                                          R"({"unevaluatedProperties": []})"}) {
        EXPECT_TRUE(error_of(schema).code == CompileErrc::malformed) << schema;
    }
}

TEST(CompileTest, ReportsAnUnresolvedReference) {
    const CompileError error =
        error_of(R"({"properties": {"a": {"$ref": "https://example.com/other.json#/x"}}})");

    EXPECT_TRUE(error.code == CompileErrc::unresolved_reference);
    EXPECT_EQ(error.location, "#/properties/a/$ref");
    EXPECT_EQ(
        error.message,
        "the reference \"https://example.com/other.json#/x\" cannot be resolved; other documents "
        "are never fetched");
    EXPECT_TRUE(error_of(R"({"$ref": "#/$defs/a"})").code == CompileErrc::unresolved_reference);
    EXPECT_TRUE(error_of(R"({"$ref": "#a"})").code == CompileErrc::unresolved_reference);
}

TEST(CompileTest, ReadsOtherDocumentsFromTheTableOnly) {
    const DocumentTable documents{{"https://example.com/a.json", json(R"({"type": "string"})")}};
    const auto schema =
        compile(json(R"({"$ref": "https://example.com/a.json"})"), {.documents = &documents});

    ASSERT_TRUE(schema);
    EXPECT_TRUE(schema->validate(json(R"("x")")).is_valid());
    const Report report = schema->validate(json("5"));
    ASSERT_EQ(report.violations.size(), 1U);
    EXPECT_EQ(report.violations[0].schema_location, "https://example.com/a.json#/type");
}

TEST(CompileTest, LocatesAnErrorInAnotherDocument) {
    const DocumentTable documents{{"urn:x", json(R"({"items": {"minimum": "1"}})")}};

    const CompileError error = error_of(R"({"$ref": "urn:x"})", {.documents = &documents});

    EXPECT_EQ(error.location, "urn:x#/items/minimum");
}

TEST(CompileTest, RejectsAnUnknownRequiredVocabulary) {
    const DocumentTable documents{
        {"urn:meta", json(R"({"$vocabulary": {"https://example.com/vocab/units": true}})")}};

    const CompileError error = error_of(R"({"$schema": "urn:meta"})", {.documents = &documents});

    EXPECT_TRUE(error.code == CompileErrc::unsupported_vocabulary);
    EXPECT_EQ(error.location, "#/$schema");
}

TEST(CompileTest, ListsFormatsAsSkipped) {
    const DocumentTable documents{{"urn:meta", json(R"({"$vocabulary":
            {"https://json-schema.org/draft/2020-12/vocab/format-assertion": true}})")}};

    const auto schema =
        compile(json(R"({"$schema": "urn:meta", "format": "date"})"), {.documents = &documents});

    ASSERT_TRUE(schema);
    ASSERT_EQ(schema->skipped().size(), 1U);
    EXPECT_EQ(schema->skipped()[0].location, "#/$schema");
}

TEST(CompileTest, AcceptsUnknownDialects) {
    EXPECT_TRUE(accepts(R"({"$schema": "http://json-schema.org/draft-07/schema#",
                            "type": "string"})",
                        R"("x")"));
}

TEST(CompileTest, IgnoresUnknownKeywords) {
    EXPECT_TRUE(accepts(R"({"x-order": 5, "nullable": "yes", "title": 7})", "1"));
}

TEST(CompileTest, ReadsTheFormsOfDraftSeven) {
    constexpr std::string_view kDefinitions =
        R"({"definitions": {"name": {"type": "string"}}, "$ref": "#/definitions/name"})";
    EXPECT_TRUE(accepts(kDefinitions, R"("x")"));
    EXPECT_FALSE(accepts(kDefinitions, "1"));

    constexpr std::string_view kTuple =
        R"({"items": [{"type": "string"}, {"type": "integer"}], "additionalItems": false})";
    EXPECT_TRUE(accepts(kTuple, R"(["a", 1])"));
    EXPECT_FALSE(accepts(kTuple, R"([1, "a"])"));
    EXPECT_FALSE(accepts(kTuple, R"(["a", 1, 2])"));

    constexpr std::string_view kDependencies =
        R"({"dependencies": {"a": ["b"], "c": {"required": ["d"]}}})";
    EXPECT_FALSE(accepts(kDependencies, R"({"a": 1})"));
    EXPECT_FALSE(accepts(kDependencies, R"({"c": 1})"));
    EXPECT_TRUE(accepts(kDependencies, R"({"a": 1, "b": 1, "c": 1, "d": 1})"));

    constexpr std::string_view kAnchor =
        R"({"definitions": {"a": {"$id": "#here", "type": "null"}}, "$ref": "#here"})";
    EXPECT_TRUE(accepts(kAnchor, "null"));
    EXPECT_FALSE(accepts(kAnchor, "1"));

    constexpr std::string_view kExclusive = R"({"minimum": 1, "exclusiveMinimum": true})";
    EXPECT_FALSE(accepts(kExclusive, "1"));
    EXPECT_TRUE(accepts(kExclusive, "1.5"));
}

TEST(CompileTest, FollowsAReferenceToAnUnknownKeyword) {
    constexpr std::string_view kSchema =
        R"({"components": {"a": {"properties": {"b": {"type": "null"}}}},
            "properties": {"x": {"$ref": "#/components/a/properties/b"}}})";

    const Report report = schema_of(kSchema).validate(json(R"({"x": 1})"));

    ASSERT_EQ(report.violations.size(), 1U);
    EXPECT_EQ(report.violations[0].schema_location, "#/components/a/properties/b/type");
}

TEST(CompileTest, OwnsACopyOfTheSchema) {
    auto text = std::make_unique<boost::json::value>(json(R"({"enum": ["a long enough text"]})"));
    const auto schema = compile(*text);

    text.reset();

    ASSERT_TRUE(schema);
    EXPECT_TRUE(schema->validate(json(R"("a long enough text")")).is_valid());
}

TEST(CompileTest, OutlivesTheMemoryOfTheSchema) {
    boost::json::monotonic_resource memory;
    auto text = std::make_unique<boost::json::value>(
        boost::json::parse(R"({"properties":{"a":{"const":[1,"x"]}}})", &memory));
    auto schema = compile(*text);
    ASSERT_TRUE(schema);
    EXPECT_NE(schema->program().documents.front().root.storage().get(), &memory);

    text.reset();
    memory.release();

    EXPECT_TRUE(schema->validate(boost::json::parse(R"({"a":[1,"x"]})")).is_valid());
    EXPECT_FALSE(schema->validate(boost::json::parse(R"({"a":[1,"y"]})")).is_valid());
}

}  // namespace
}  // namespace holdfast::schema
