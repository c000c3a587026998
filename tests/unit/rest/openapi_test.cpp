#include "rest/openapi.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "rest/requests/request_builder.hpp"

namespace holdfast::rest {
namespace {

using Texts = std::vector<std::string>;

std::string document(std::string_view paths, std::string_view components = "{}",
                     std::string_view version = "3.1.0") {
    return R"({"openapi":")" + std::string{version} + R"(","paths":)" + std::string{paths} +
           R"(,"components":)" + std::string{components} + "}";
}

OpenApiTools tools_of(const std::string& text, const OpenApiOptions& options = {}) {
    auto tools = tools_of_openapi(text, options);
    EXPECT_TRUE(tools) << (tools ? "" : tools.error().message);
    return tools ? std::move(*tools) : OpenApiTools{};
}

/// Returns the only tool of a document.
RestTool tool_of(const std::string& text) {
    const OpenApiTools tools = tools_of(text);
    EXPECT_EQ(tools.tools.size(), 1U) << (tools.skipped.empty() ? "" : tools.skipped[0]);
    return tools.tools.empty() ? RestTool{} : tools.tools[0];
}

Texts names_of(const OpenApiTools& tools) {
    Texts names;
    for (const RestTool& tool : tools.tools) {
        names.push_back(tool.name);
    }
    return names;
}

TEST(OpenApiTest, MakesOneToolPerOperation) {
    const OpenApiTools tools = tools_of(
        document(R"({"/pets/{petId}":{"get":{"operationId":"show pet!"},"delete":{},"head":{},)"
                 R"("options":{},"parameters":[]},"/pets":{"post":{"operationId":"add"}}})"));

    EXPECT_EQ(names_of(tools), (Texts{"show_pet", "delete_pets_petId", "add"}));
    EXPECT_EQ(tools.tools[1].method, "DELETE");
    EXPECT_TRUE(tools.skipped.empty());
}

TEST(OpenApiTest, AddsANumberToDuplicateNames) {
    EXPECT_EQ(names_of(tools_of(document(
                  R"({"/a":{"get":{"operationId":"x"}},"/b":{"get":{"operationId":"x"}}})"))),
              (Texts{"x", "x_2"}));
}

TEST(OpenApiTest, MergesParametersIntoOneSchema) {
    const RestTool tool = tool_of(document(
        R"({"/pets/{id}":{"parameters":[{"$ref":"#/components/parameters/Id"},)"
        R"({"name":"limit","in":"query","schema":{"type":"string"}}],)"
        R"("get":{"operationId":"t","summary":"Sum.","description":"More\nwords.",)"
        R"("parameters":[{"name":"limit","in":"query","required":true,"description":"How many.",)"
        R"("schema":{"type":"integer","maximum":50}},)"
        R"({"name":"X-Trace","in":"header","schema":{"type":"string"}},)"
        R"({"name":"Authorization","in":"header","required":true,"schema":{"type":"string"}},)"
        R"({"name":"c","in":"cookie","schema":{"type":"string"}}]}}})",
        R"({"parameters":{"Id":{"name":"id","in":"path","required":true,)"
        R"("schema":{"type":"string"}}}})"));

    EXPECT_EQ(tool.input_schema,
              R"({"type":"object","properties":{"id":{"type":"string"},)"
              R"("limit":{"type":"integer","maximum":50,"description":"How many."},)"
              R"("X-Trace":{"type":"string"}},"required":["id","limit"],)"
              R"("additionalProperties":false})");
    EXPECT_EQ(tool.description, "Sum. More words.");
    const auto request =
        built_request({}, tool, *Arguments::read(R"({"id":"a","limit":3,"X-Trace":"v"})"));
    EXPECT_EQ(request->target, "/pets/a?limit=3");
    EXPECT_TRUE(request->headers.ends_with("X-Trace: v\r\n"));
}

TEST(OpenApiTest, MakesArgumentsFromTheMembersOfABody) {
    const RestTool tool = tool_of(document(
        R"({"/pets/{id}":{"put":{"operationId":"t","requestBody":{"$ref":"#/components/)"
        R"(requestBodies/Pet"}}}})",
        R"({"requestBodies":{"Pet":{"required":true,"content":{"application/json":{"schema":)"
        R"({"$ref":"#/components/schemas/Pet"}}}}},"schemas":{"Pet":{"type":"object",)"
        R"("required":["name"],"additionalProperties":false,"properties":{"name":)"
        R"({"type":"string"},"tags":{"type":"array","items":{"type":"string"}}}}}})"));

    EXPECT_EQ(tool.input_schema,
              R"({"type":"object","properties":{"id":{"type":"string"},"name":{"type":"string"},)"
              R"("tags":{"type":"array","items":{"type":"string"}}},"required":["id","name"],)"
              R"("additionalProperties":false})");
    const auto request =
        built_request({}, tool, *Arguments::read(R"({"id":"a","name":"n","tags":[1.50]})"));
    EXPECT_EQ(request->target, "/pets/a");
    EXPECT_EQ(request->body, R"({"name":"n","tags":[1.50]})");
}

TEST(OpenApiTest, MakesOneArgumentFromABodyThatCannotBeSplit) {
    const std::vector<std::string_view> schemas = {
        R"({"type":"array","items":{}})",
        R"({"type":"object","properties":{"id":{}}})",  // The path has an "id", too.
        R"({"type":"object","properties":{"a":{}},"oneOf":[{}]})"};
    for (const std::string_view schema : schemas) {
        const RestTool tool =
            tool_of(document(R"({"/p/{id}":{"post":{"requestBody":{"required":true,"content":)"
                             R"({"application/vnd.x+json":{"schema":)" +
                             std::string{schema} + "}}}}}}"));

        const auto request =
            built_request({}, tool, *Arguments::read(R"({"id":"a","body":[1, 2]})"));
        EXPECT_EQ(request->body, "[1, 2]") << schema;
        EXPECT_NE(tool.input_schema.find(R"("required":["id","body"])"), std::string::npos)
            << tool.input_schema;
    }
}

TEST(OpenApiTest, SendsNoBodyWhereTheDocumentHasNone) {
    const RestTool tool = tool_of(document(R"({"/p":{"post":{}}})"));

    EXPECT_EQ(built_request({}, tool, {})->body, "");
}

TEST(OpenApiTest, JoinsListsThatAreNotExploded) {
    const RestTool tool = tool_of(document(
        R"({"/p":{"get":{"parameters":[{"name":"a","in":"query","explode":false,"schema":{}},)"
        R"({"name":"b","in":"query","schema":{}}]}}})"));

    EXPECT_EQ(built_request({}, tool, *Arguments::read(R"({"a":[1,"x"],"b":[2,3]})"))->target,
              "/p?a=1%2Cx&b=2&b=3");
}

TEST(OpenApiTest, KeepsRecursiveSchemasAsDefinitions) {
    const RestTool tool = tool_of(document(
        R"({"/p":{"post":{"requestBody":{"required":true,"content":{"application/json":{"schema":)"
        R"({"type":"object","properties":{"root":{"$ref":"#/components/schemas/Node"},)"
        R"("$ref":{"type":"string"}}}}}}}}})",
        R"({"schemas":{"Node":{"type":"object","properties":{"next":)"
        R"({"$ref":"#/components/schemas/Node"},"leaf":{"$ref":"#/components/schemas/L~1f"}}},)"
        R"("L/f":{"type":"string","enum":[{"$ref":"data"}]},"Unused":{}}})"));

    EXPECT_EQ(tool.input_schema,
              R"({"type":"object","properties":{"root":{"$ref":"#/$defs/Node"},)"
              R"("$ref":{"type":"string"}},"$defs":{"Node":{"type":"object","properties":{"next":)"
              R"({"$ref":"#/$defs/Node"},"leaf":{"$ref":"#/$defs/L~1f"}}},)"
              R"("L/f":{"type":"string","enum":[{"$ref":"data"}]}}})");
}

TEST(OpenApiTest, ConvertsSchemasOfVersion30) {
    const std::string paths =
        R"({"/p":{"get":{"parameters":[{"name":"a","in":"query","schema":{"type":"integer",)"
        R"("nullable":true,"enum":[1],"minimum":0,"exclusiveMinimum":true,"maximum":9,)"
        R"("exclusiveMaximum":false}}]}}})";

    EXPECT_NE(
        tool_of(document(paths, "{}", "3.0.3")).input_schema.find(R"({"type":["integer","null"],)"),
        std::string::npos);
    const std::string schema = tool_of(document(paths, "{}", "3.0.3")).input_schema;
    EXPECT_NE(schema.find(R"("enum":[1,null])"), std::string::npos) << schema;
    EXPECT_NE(schema.find(R"("exclusiveMinimum":0)"), std::string::npos) << schema;
    EXPECT_NE(schema.find(R"("maximum":9)"), std::string::npos) << schema;
    EXPECT_EQ(schema.find("exclusiveMaximum"), std::string::npos) << schema;
    EXPECT_EQ(schema.find(R"("minimum")"), std::string::npos) << schema;
}

TEST(OpenApiTest, SelectsOperationsByGlobs) {
    const std::string text =
        document(R"({"/a":{"get":{"operationId":"getA"},"post":{"operationId":"addA"}},)"
                 R"("/b":{"get":{"operationId":"getB"}}})");

    EXPECT_EQ(names_of(tools_of(text, {.include = {"get*"}})), (Texts{"getA", "getB"}));
    EXPECT_EQ(names_of(tools_of(text, {.include = {"* /a"}})), (Texts{"getA", "addA"}));
    EXPECT_EQ(names_of(tools_of(text, {.exclude = {"POST *", "getB"}})), (Texts{"getA"}));
}

TEST(OpenApiTest, LimitsTheNumberOfTools) {
    const std::string text = document(R"({"/a":{"get":{}},"/b":{"get":{}},"/c":{"get":{}}})");

    const OpenApiTools tools = tools_of(text, {.max_tools = 1});

    EXPECT_EQ(names_of(tools), (Texts{"get_a"}));
    ASSERT_EQ(tools.skipped.size(), 1U);
    EXPECT_TRUE(tools.skipped[0].starts_with("2 operations skipped"));
}

TEST(OpenApiTest, SkipsOperationsThatItCannotCall) {
    const std::vector<std::pair<std::string_view, std::string_view>> cases{
        {R"({"parameters":[{"$ref":"other.json#/P"}]})", "refers to nothing"},
        {R"({"parameters":[{"$ref":"#/components/parameters/Loop"}]})", "refers to nothing"},
        {R"({"parameters":[{"name":"c","in":"cookie","required":true}]})", "needs a cookie"},
        {R"({"parameters":[{"name":"Host","in":"header"}]})", "impossible name"},
        {R"({"requestBody":{"required":true,"content":{"text/xml":{}}}})", "is not JSON"},
        {R"({"parameters":[{"name":"q","in":"query","schema":{"$ref":"http://x/s.json"}}]})",
         "only schemas of the document itself"},
        {R"({"parameters":[{"name":"q","in":"query","schema":)"
         R"({"$ref":"#/components/schemas/No"}}]})",
         "which is not in the document"}};
    for (const auto& [operation, reason] : cases) {
        const OpenApiTools tools = tools_of(
            document(R"({"/p":{"post":)" + std::string{operation} + "}}",
                     R"({"parameters":{"Loop":{"$ref":"#/components/parameters/Loop"}}})"));

        EXPECT_TRUE(tools.tools.empty()) << operation;
        ASSERT_EQ(tools.skipped.size(), 1U) << operation;
        EXPECT_TRUE(tools.skipped[0].starts_with("POST /p skipped: ")) << tools.skipped[0];
        EXPECT_NE(tools.skipped[0].find(reason), std::string::npos) << tools.skipped[0];
    }
}

TEST(OpenApiTest, LimitsTheSizeOfSchemas) {
    std::string schemas = R"({"S0":{})";
    std::string properties;
    for (int index = 1; index <= 20; ++index) {
        const std::string number = std::to_string(index);
        schemas += ",\"S" + number + "\":{}";
        properties += (index == 1 ? "\"p" : ",\"p") + number +
                      R"(":{"$ref":"#/components/schemas/S)" + number + "\"}";
    }
    const std::string text = document(
        R"({"/p":{"get":{"parameters":[{"name":"q","in":"query","schema":{"properties":{)" +
            properties + "}}}]}}}",
        R"({"schemas":)" + schemas + "}}");

    EXPECT_EQ(tools_of(text).tools.size(), 1U);
    EXPECT_EQ(tools_of(text, {.max_definitions = 19}).tools.size(), 0U);
    EXPECT_EQ(tools_of(text, {.max_schema_nodes = 15}).tools.size(), 0U);
}

TEST(OpenApiTest, RejectsInvalidDocuments) {
    for (const std::string_view text :
         {"", "[]", "{}", R"({"openapi":"2.0","paths":{}})", R"({"swagger":"2.0","paths":{}})",
          R"({"openapi":"3.0.0"})", R"({"openapi":"3.0.0","paths":[]})", "openapi: 3.0.0"}) {
        EXPECT_FALSE(tools_of_openapi(text, {})) << text;
    }
    EXPECT_FALSE(tools_of_openapi(document("{}"), {.max_document_bytes = 10}));
    EXPECT_FALSE(tools_of_openapi(document(R"({"/a":{"get":{"x":[[[[1]]]]}}})"), {.max_depth = 6}));
}

}  // namespace
}  // namespace holdfast::rest
