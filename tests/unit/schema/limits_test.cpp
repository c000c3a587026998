// Hostile schemas and values: each must end soon, with a result that says why.

#include <string>

#include <gtest/gtest.h>

#include "schema/schema.hpp"
#include "schema_text.hpp"

namespace holdfast::schema {
namespace {

std::string repeated(std::string_view text, int count) {
    std::string out;
    for (int i = 0; i < count; ++i) {
        out += text;
    }
    return out;
}

CompileErrc code_of(const boost::json::value& schema, const CompileLimits& limits = {}) {
    const auto result = compile(schema, {.limits = limits});
    EXPECT_FALSE(result);
    return result ? CompileErrc::malformed : result.error().code;
}

TEST(SchemaLimitsTest, RejectsASchemaThatIsTooDeep) {
    const std::string deep = repeated(R"({"not":)", 5'000) + "true" + repeated("}", 5'000);

    EXPECT_TRUE(code_of(json(deep)) == CompileErrc::limit_reached);
}

TEST(SchemaLimitsTest, RejectsAConstantThatIsTooDeep) {
    const std::string deep = R"({"const":)" + repeated("[", 5'000) + repeated("]", 5'000) + "}";

    EXPECT_TRUE(code_of(json(deep)) == CompileErrc::limit_reached);
}

TEST(SchemaLimitsTest, RejectsASchemaThatIsTooLarge) {
    const boost::json::value schema{{"description", std::string(2'000'000, 'x')}};

    EXPECT_TRUE(code_of(schema) == CompileErrc::limit_reached);
}

TEST(SchemaLimitsTest, RejectsTooManySubschemas) {
    const boost::json::value schema = json(R"({"allOf": [true, true, true, true]})");

    EXPECT_TRUE(code_of(schema, {.max_subschemas = 4}) == CompileErrc::limit_reached);
    EXPECT_TRUE(compile(schema, {.limits = {.max_subschemas = 5}}));
}

TEST(SchemaLimitsTest, TerminatesForCyclicReferences) {
    EXPECT_TRUE(verdict(R"({"$ref": "#"})", "1") == Verdict::too_complex);
    EXPECT_TRUE(verdict(R"({"$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}},
                            "$ref": "#/$defs/a"})",
                        "1") == Verdict::too_complex);
    EXPECT_TRUE(verdict(R"({"not": {"$ref": "#"}})", "1") == Verdict::too_complex);
    EXPECT_TRUE(verdict(R"({"$dynamicAnchor": "a", "$dynamicRef": "#a"})", "1") ==
                Verdict::too_complex);
    EXPECT_TRUE(verdict(R"({"anyOf": [{"$ref": "#"}, {"$ref": "#"}]})", "1") ==
                Verdict::too_complex);
}

TEST(SchemaLimitsTest, TerminatesForMultiplyingAlternatives) {
    // Each definition contains the previous one twice, so the last contains the first 2^40 times.
    boost::json::object definitions{{"d0", {{"type", "string"}}}};
    for (int i = 1; i <= 40; ++i) {
        const boost::json::value below{{"$ref", "#/$defs/d" + std::to_string(i - 1)}};
        definitions["d" + std::to_string(i)] = {{"anyOf", boost::json::array{below, below}}};
    }
    const std::string schema = boost::json::serialize(
        boost::json::object{{"$defs", definitions}, {"$ref", "#/$defs/d40"}});

    EXPECT_TRUE(verdict(schema, "1") == Verdict::too_complex);
    EXPECT_EQ(to_text(schema_of(schema).validate(json("1"))),
              "the schema is too complex to check this value within the limits");
}

TEST(SchemaLimitsTest, TerminatesForAValueThatIsTooDeep) {
    const std::string deep = repeated("[", 5'000) + repeated("]", 5'000);

    EXPECT_TRUE(verdict(R"({"items": {"$ref": "#"}})", deep) == Verdict::too_complex);
    EXPECT_TRUE(verdict(R"({"uniqueItems": true})", "[" + deep + "," + deep + "]") ==
                Verdict::too_complex);
    EXPECT_TRUE(verdict(R"({"type": "array"})", deep) == Verdict::valid);
}

TEST(SchemaLimitsTest, ChecksALargeListForEqualItems) {
    boost::json::array items;
    for (int i = 0; i < 100'000; ++i) {
        items.emplace_back(i);
    }
    const Schema schema = schema_of(R"({"uniqueItems": true, "items": {"type": "integer"}})");

    EXPECT_TRUE(schema.validate(items).is_valid());
    items.emplace_back(5.0);
    EXPECT_TRUE(schema.validate(items).verdict == Verdict::invalid);
}

TEST(SchemaLimitsTest, GivesUpOnAValueThatIsTooLarge) {
    const Schema schema = schema_of(R"({"items": {"type": "integer"}})");
    const boost::json::value value = json("[" + repeated("1,", 1'000) + "1]");

    EXPECT_TRUE(schema.validate(value, {.max_steps = 500}).verdict == Verdict::too_complex);
    EXPECT_TRUE(schema.validate(value, {.max_steps = 5'000}).verdict == Verdict::valid);
}

TEST(SchemaLimitsTest, MatchesCatastrophicPatternsInLinearTime) {
    const std::string attack = "\"" + std::string(100'000, 'a') + "!\"";

    EXPECT_FALSE(accepts(R"({"pattern": "^(a+)+$"})", attack));
    EXPECT_FALSE(accepts(R"({"pattern": "^(a|aa)*$"})", attack));
    EXPECT_FALSE(accepts(R"({"pattern": "^(([a-z])+.)+[A-Z]([a-z])+$"})", attack));
}

TEST(SchemaLimitsTest, SkipsPatternsThatAreTooLarge) {
    const Schema large = schema_of(R"({"pattern": "((a{1000}){1000}){1000}"})");
    const boost::json::value long_one{{"pattern", std::string(100'000, 'a')}};
    const auto long_schema = compile(long_one);

    EXPECT_EQ(large.skipped().size(), 1U);
    ASSERT_TRUE(long_schema);
    EXPECT_EQ(long_schema->skipped().size(), 1U);
}

TEST(SchemaLimitsTest, SkipsPatternsAboveTheLimit) {
    boost::json::array all;
    for (int i = 0; i < 10; ++i) {
        all.push_back({{"pattern", "a" + std::to_string(i)}});
    }
    const boost::json::value schema{{"anyOf", all}};
    const auto compiled = compile(schema, {.limits = {.max_patterns = 4}});

    ASSERT_TRUE(compiled);
    EXPECT_EQ(compiled->skipped().size(), 6U);
}

TEST(SchemaLimitsTest, LimitsTheNumberOfViolations) {
    const Schema schema = schema_of(R"({"items": {"type": "integer"}})");
    const boost::json::value value = json("[" + repeated("\"x\",", 100) + "1]");

    const Report report = schema.validate(value);
    const Report three = schema.validate(value, {.max_violations = 3});

    EXPECT_EQ(report.violations.size(), 20U);
    EXPECT_EQ(three.violations.size(), 3U);
    EXPECT_TRUE(three.truncated);
}

TEST(SchemaLimitsTest, LimitsTheLengthOfTexts) {
    const std::string name(10'000, 'n');
    const boost::json::value schema{{"properties", {{name, {{"type", "integer"}}}}},
                                    {"additionalProperties", false}};
    const boost::json::value value{{name, std::string(10'000, 'v')}, {name + "x", 1}};
    const auto compiled = compile(schema);
    ASSERT_TRUE(compiled);

    const Report report = compiled->validate(value, {.max_text_bytes = 50});

    ASSERT_EQ(report.violations.size(), 2U);
    for (const Violation& violation : report.violations) {
        EXPECT_LE(violation.instance.size(), 53U);
        EXPECT_LE(violation.schema_location.size(), 53U);
        EXPECT_LE(violation.expected.size(), 53U);
        EXPECT_LE(violation.got.size(), 53U);
        EXPECT_LE(violation.advice.size(), 53U);
    }
}

}  // namespace
}  // namespace holdfast::schema
