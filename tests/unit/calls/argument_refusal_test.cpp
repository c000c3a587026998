#include "surface/argument_schema.hpp"

#include <gtest/gtest.h>

#include <array>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <memory>
#include <string>

#include "calls/argument_refusal.hpp"

namespace holdfast::calls {
namespace {

constexpr std::string_view kDefinition =
    R"({"name":"find","description":"Finds \"things\".","inputSchema":{"type":"object",)"
    R"("properties":{"query":{"type":"string"},"limit":{"type":"integer"},)"
    R"("password":{"type":"string","maxLength":3}},"required":["query"],)"
    R"("additionalProperties":false}})";
const std::array<std::string, 1> kSecrets{"hunter2"};

surface::Callable tool(std::string_view definition = kDefinition) {
    static const surface::Server kServer{.name = "box"};
    return {.server = &kServer,
            .own_name = "find",
            .exposed_name = "box__find",
            .arguments = std::make_shared<const surface::ArgumentSchema>(definition)};
}

boost::json::value object_of(const calls::Failure& failure) {
    return boost::json::parse(calls::json_of(failure));
}

TEST(ArgumentSchemaTest, AcceptsValidArguments) {
    EXPECT_FALSE(calls::argument_failure(tool(), R"({"query":"x"})", kSecrets));
    EXPECT_FALSE(calls::argument_failure({}, R"({"query":7})", kSecrets))
        << "a prompt has no schema";
}

TEST(ArgumentSchemaTest, ExplainsHowToCorrectTheArguments) {
    const auto failure = calls::argument_failure(tool(), R"({"qeury":"x","limit":"5"})", kSecrets);

    ASSERT_TRUE(failure);
    EXPECT_EQ(
        calls::words_of(*failure),
        "Error calling tool 'box__find':\n"
        "  The arguments do not fit the tool's schema. It was not run.\n"
        "    - the arguments: expected the required property \"query\", got an object without "
        "\"query\"; rename \"qeury\" to \"query\"\n"
        "    - /qeury: expected no such property, got the property \"qeury\"; did you mean "
        "\"query\"?\n"
        "    - /limit: expected integer, got string \"5\"; send it without quotes\n"
        "  Tool description: Finds \"things\".\n"
        "  Available parameters: query (string, required), limit (integer), password "
        "(string)\n"
        "  You sent: {\"qeury\":\"x\",\"limit\":\"5\"}\n"
        "  Please try again with:\n"
        "    - Corrected arguments, for example: {\"query\":\"x\",\"limit\":5}");
}

TEST(ArgumentSchemaTest, AppliesARuleAfterTheListedSchema) {
    surface::Callable ruled = tool();
    ruled.arguments = std::make_shared<const surface::ArgumentSchema>(
        kDefinition,
        surface::ArgumentRule{.schema = R"({"dependentRequired":{"limit":["password"]}})",
                              .sentence = "A limit needs a password."});

    EXPECT_FALSE(calls::argument_failure(ruled, R"({"query":"x"})", kSecrets));
    EXPECT_FALSE(calls::argument_failure(ruled, R"({"query":"x","limit":null})", kSecrets));
    const auto by_schema = calls::argument_failure(ruled, R"({"limit":1})", kSecrets);
    ASSERT_TRUE(by_schema);
    EXPECT_EQ(by_schema->message.find("A limit needs"), std::string::npos);
    const auto failure =
        calls::argument_failure(ruled, R"({"query":"hunter2","limit":1})", kSecrets);
    ASSERT_TRUE(failure);
    EXPECT_EQ(failure->message, "A limit needs a password.");
    EXPECT_EQ(calls::words_of(*failure),
              "Error calling tool 'box__find':\n"
              "  A limit needs a password. The tool was not run.\n"
              "  Tool description: Finds \"things\".\n"
              "  Available parameters: query (string, required), limit (integer), password "
              "(string)\n"
              "  You sent: {\"query\":\"[redacted]\",\"limit\":1}\n"
              "  Please try again with:\n"
              "    - Corrected arguments");
    EXPECT_EQ(object_of(*failure).at("violations").at(0).at("expected"),
              "A limit needs a password.");
}

TEST(ArgumentSchemaTest, SaysTheSameInTheObject) {
    const auto failure = calls::argument_failure(tool(), R"({"query":"x","limit":"5"})", kSecrets);

    ASSERT_TRUE(failure);
    EXPECT_FALSE(failure->is_retryable);
    EXPECT_FALSE(failure->may_have_side_effects);
    const boost::json::value object = object_of(*failure);
    EXPECT_EQ(object.at("code"), "INVALID_ARGUMENTS");
    EXPECT_EQ(object.at("tool"), "box__find");
    EXPECT_EQ(object.at("server"), "box");
    EXPECT_EQ(object.at("message"),
              "The arguments do not fit: /limit: expected integer, got string \"5\"; send it "
              "without quotes.");
    EXPECT_EQ(object.at("violations"),
              boost::json::parse(R"([{"at":"/limit","expected":"integer","got":"string \"5\"",)"
                                 R"("advice":"send it without quotes"}])"));
    EXPECT_EQ(object.at("parameters").as_array().front(),
              boost::json::parse(R"({"name":"query","type":"string","required":true})"));
    EXPECT_EQ(object.at("sent"), boost::json::parse(R"({"query":"x","limit":"5"})"));
    EXPECT_EQ(object.at("example"), boost::json::parse(R"({"query":"x","limit":5})"));
}

TEST(ArgumentSchemaTest, ShowsNoSecret) {
    for (
        const std::string sent :
        {R"({"query":"x","password":"a-secret-of-the-user"})", R"({"query":"x","limit":"hunter2"})",
         R"({"query":"hunter2","limit":"5"})", R"({"query":"x","hunter2":"5"})",
         R"({"query":"x","limit":"\u0068unter2"})",
         R"({"query":"x","limit":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaahunter2"})"}) {
        const auto failure = calls::argument_failure(tool(), sent, kSecrets);

        ASSERT_TRUE(failure) << sent;
        for (const std::string& text : {calls::json_of(*failure), calls::words_of(*failure)}) {
            EXPECT_EQ(text.find("hunter"), std::string::npos) << text;
            EXPECT_EQ(text.find("a-secret"), std::string::npos) << text;
            EXPECT_NE(text.find("[redacted]"), std::string::npos) << text;
        }
    }
}

TEST(ArgumentSchemaTest, ReportsAnInvalidSchemaOnce) {
    const surface::Callable broken =
        tool(R"({"name":"a","inputSchema":{"type":"object","required":"nothing"}})");

    EXPECT_FALSE(calls::argument_failure(broken, R"({"x":1})", kSecrets));
    EXPECT_NE(broken.arguments->take_problem().find("#/required"), std::string::npos);
    EXPECT_EQ(broken.arguments->take_problem(), "");
    EXPECT_EQ(tool().arguments->take_problem(), "");
}

TEST(ArgumentSchemaTest, AcceptsAnyArgumentsWithoutASchema) {
    const surface::Callable plain = tool(R"({"name":"a"})");

    EXPECT_FALSE(calls::argument_failure(plain, R"({"x":1})", kSecrets));
    EXPECT_EQ(plain.arguments->take_problem(), "");
}

TEST(ArgumentSchemaTest, LimitsTheLengthOfTheFailure) {
    std::string sent = R"({"query":")" + std::string(100'000, 'x') + '"';
    for (int i = 0; i < 1'000; ++i) {
        sent += ",\"wrong" + std::to_string(i) + "\":" + std::to_string(i);
    }

    const auto failure = calls::argument_failure(tool(), sent + '}', kSecrets);

    ASSERT_TRUE(failure);
    EXPECT_LT(calls::json_of(*failure).size(), 20'000U);
    EXPECT_LT(calls::words_of(*failure).size(), 20'000U);
    EXPECT_EQ(object_of(*failure).at("moreViolations"), true);
}

}  // namespace
}  // namespace holdfast::calls
