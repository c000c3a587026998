#include "rest/read_rest_api.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "tests/unit/rest/rest_reading.hpp"

namespace holdfast::rest {
namespace {

using namespace std::chrono_literals;
using Texts = std::vector<std::string>;

constexpr std::string_view kPreset =
    R"("url":"http://preset:1/p","timeout":"5s","connectTimeout":"2s","connections":20,)"
    R"("keptAlive":10,"errorDetail":"why","refusals":"result","headers":{"X-P":"p"},)"
    R"("credentials":[{"from":{"env":"KEY"},"as":{"header":"X-Key"}}],)"
    R"("tools":[{"name":"one","path":"/one"},{"name":"two","path":"/two"}])";

Texts names_of(const RestApi& api) {
    Texts names;
    for (const RestTool& tool : api.tools) {
        names.push_back(tool.name);
    }
    return names;
}

TEST(ReadRestApiTest, ReadsAnEntry) {
    const RestApi api = api_of(
        R"("url":"https://h:8443/v1","connectTimeout":"3s","timeout":"7s","connections":4,)"
        R"("keptAlive":0,"errorDetail":["a.b","/c"],"tools":[{"name":"t","title":"T",)"
        R"("description":"D","method":"DELETE","path":"/x","readOnly":true,"idempotent":"false",)"
        R"("result":"data"}])");

    EXPECT_EQ(api.url.authority(), "h:8443");
    EXPECT_EQ(api.url.target, "/v1");
    EXPECT_EQ(api.connect_timeout, 3s);
    EXPECT_EQ(api.timeout, 7s);
    EXPECT_EQ(api.connections, 4U);
    EXPECT_EQ(api.kept_alive, 0U);
    EXPECT_EQ(api.error_detail, (std::vector<JsonPath>{{{"a", "b"}}, {{"c"}}}));
    ASSERT_EQ(api.tools.size(), 1U);
    const RestTool& tool = api.tools[0];
    EXPECT_EQ(tool.title, "T");
    EXPECT_EQ(tool.description, "D");
    EXPECT_EQ(tool.method, "DELETE");
    EXPECT_EQ(tool.is_read_only, true);
    EXPECT_EQ(tool.is_idempotent, false);
    EXPECT_EQ(tool.result, (JsonPath{{"data"}}));
}

TEST(ReadRestApiTest, UsesThePresetForKeysThatTheEntryLacks) {
    const RestOutcome outcome = outcome_of("", kPreset);

    ASSERT_TRUE(outcome.api);
    const RestApi& api = *outcome.api;
    EXPECT_EQ(api.url.authority(), "preset:1");
    EXPECT_EQ(api.timeout, 5s);
    EXPECT_EQ(api.connect_timeout, 2s);
    EXPECT_EQ(api.connections, 20U);
    EXPECT_EQ(api.kept_alive, 10U);
    EXPECT_EQ(api.refusals, RefusalForm::result);
    EXPECT_EQ(api.headers, "X-P: p\r\n");
    EXPECT_EQ(names_of(api), (Texts{"one", "two"}));
    ASSERT_EQ(outcome.credentials.size(), 1U);
    EXPECT_EQ(outcome.credentials[0].header, "X-Key");
}

TEST(ReadRestApiTest, OverridesThePresetKeyByKey) {
    const RestOutcome outcome =
        outcome_of(R"("url":"http://own","timeout":"9s","keptAlive":3,"credentials":[],)"
                   R"("tools":[{"name":"two","path":"/mine"},{"name":"three","path":"/three"}])",
                   kPreset);

    ASSERT_TRUE(outcome.api);
    const RestApi& api = *outcome.api;
    EXPECT_EQ(api.url.host, "own");
    EXPECT_EQ(api.timeout, 9s);
    EXPECT_EQ(api.connect_timeout, 2s);
    EXPECT_EQ(api.kept_alive, 3U);
    EXPECT_TRUE(outcome.credentials.empty());
    EXPECT_EQ(names_of(api), (Texts{"one", "two", "three"}));
    EXPECT_EQ(*api.tools[1].path.expanded({}), "/mine");
}

TEST(ReadRestApiTest, KeepsASchemaAsWritten) {
    const RestApi api = api_of(with_tool(R"("path":"/t","input":{ "type":"object", // a comment
                    "properties":{"n":{"type":"number","maximum":1.50}},},)"));

    EXPECT_EQ(api.tools[0].input_schema,
              R"({"type":"object","properties":{"n":{"type":"number","maximum":1.50}}})");
}

TEST(ReadRestApiTest, DerivesASchemaFromThePath) {
    const RestApi api = api_of(with_tool(R"("path":"/{a}/{b}")"));

    EXPECT_EQ(api.tools[0].input_schema,
              R"({"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}},)"
              R"("required":["a","b"]})");
}

TEST(ReadRestApiTest, SuggestsTheNearestKey) {
    EXPECT_EQ(
        rest_faults_of("\"conections\":2,\n" + with_tool(R"("pth":"/t","path":"/t")")),
        (Texts{"mcp.json:2:1: mcpServers.s.conections: unknown key; the nearest is \"connections\"",
               "mcp.json:3:45: mcpServers.s.tools[0].pth: unknown key; the nearest is \"path\""}));
}

TEST(ReadRestApiTest, RejectsInvalidTools) {
    const std::vector<std::pair<std::string_view, std::string_view>> cases{
        {R"("path":"t")", "tools[0].path: must begin with \"/\""},
        {R"("method":"GET")", "tools[0]: a tool needs \"path\""},
        {R"("path":"/t","method":"HEAD")", "tools[0].method: "},
        {R"("path":"/t","body":"x")", "tools[0].body: must be an object"},
        {R"("path":"/t","input":{"type":"array"})", "tools[0].input: must be a JSON Schema"},
        {R"("path":"/t","result":"a..b")", "tools[0].result: must be a path"},
        {R"("path":"/t","errorDetail":[1])", "tools[0].errorDetail[0]: must be text"},
        {R"("path":"/t","headers":{"Host":"x"})", "tools[0].headers.Host: the gateway sets"},
        {R"("path":"/t","headers":{"a b":"x"})", "tools[0].headers[\"a b\"]: invalid header name"},
        {R"("path":"/t","query":{"a":1})", "tools[0].query.a: must be text"}};
    for (const auto& [members, message] : cases) {
        const Texts faults = rest_faults_of(with_tool(members));

        ASSERT_FALSE(faults.empty()) << members;
        EXPECT_NE(faults[0].find(message), std::string::npos) << faults[0];
    }
}

TEST(ReadRestApiTest, RejectsInvalidToolNames) {
    for (const std::string_view name : {"", "a b", "a/b", "\\u00e9"}) {
        const Texts faults = rest_faults_of(R"("url":"http://h","tools":[{"path":"/t","name":")" +
                                            std::string{name} + "\"}]");

        ASSERT_EQ(faults.size(), 1U) << name;
        EXPECT_NE(faults[0].find("tools[0].name: must be between 1 and 128"), std::string::npos);
    }
}

TEST(ReadRestApiTest, RejectsArgumentsThatTheSchemaLacks) {
    const Texts faults = rest_faults_of(with_tool(
        R"("path":"/{trace}","input":{"type":"object","properties":{"trace_id":{},"traces":{}}})"));

    ASSERT_EQ(faults.size(), 1U);
    EXPECT_NE(faults[0].find("uses the argument \"trace\", which is not in \"input.properties\"; "
                             "did you mean \"traces\"?"),
              std::string::npos)
        << faults[0];
}

TEST(ReadRestApiTest, NeedsAnAddressAndTools) {
    EXPECT_EQ(rest_faults_of(""),
              (Texts{"mcp.json:1:16: server \"s\": a server of type \"rest\" needs \"url\"",
                     "mcp.json:1:16: server \"s\": a server of type \"rest\" needs \"tools\" or "
                     "\"openapi\""}));
    EXPECT_NE(rest_faults_of(R"("url":"ftp://h","tools":[])").at(0).find("mcpServers.s.url: "),
              std::string::npos);
    EXPECT_NE(rest_faults_of(R"("url":"http://h/?a=1","tools":[])").at(0).find("a query"),
              std::string::npos);
}

TEST(ReadRestApiTest, NamesTheInvalidPreset) {
    const Texts faults = rest_faults_of(R"("preset":"mine")", R"("tols":[],"url":"http://h")");

    ASSERT_FALSE(faults.empty());
    EXPECT_TRUE(faults[0].starts_with("presets/mine.json:")) << faults[0];
    EXPECT_NE(faults[0].find("rest.tols: unknown key; the nearest is \"tools\""), std::string::npos)
        << faults[0];
}

TEST(ReadRestApiTest, ReadsToolsFromADocument) {
    const Files files{{"api.json",
                       R"({"openapi":"3.0.3","servers":[{"url":"https://doc/v2"}],"paths":)"
                       R"({"/a":{"get":{"operationId":"a"}},"/b":{"get":{"operationId":"b"}}}})"}};

    const RestApi whole = api_of(R"("openapi":"api.json")", {}, files);
    const RestApi chosen =
        api_of(R"("openapi":{"file":"api.json","include":["a"]},"url":"http://own/x",)"
               R"("tools":[{"name":"c","path":"/c"}])",
               {}, files);

    EXPECT_EQ(names_of(whole), (Texts{"a", "b"}));
    EXPECT_EQ(whole.url.host, "doc");
    EXPECT_EQ(whole.url.target, "/v2");
    EXPECT_EQ(names_of(chosen), (Texts{"a", "c"}));
    EXPECT_EQ(chosen.url.target, "/x");
}

TEST(ReadRestApiTest, ReadsADocumentInsideTheConfig) {
    const RestApi api =
        api_of(R"("url":"http://h","openapi":{"document":{"openapi":"3.1.0","paths":)"
               R"({"/a":{"get":{"operationId":"a"}}}}})");

    EXPECT_EQ(names_of(api), (Texts{"a"}));
}

TEST(ReadRestApiTest, ExplainsWhyADocumentCannotBeUsed) {
    const Files files{{"y.yaml", "openapi: 3.0.0\n"}};

    EXPECT_NE(rest_faults_of(R"("openapi":"no.json")", {}, files)
                  .at(0)
                  .find("mcpServers.s.openapi: the file cannot be read"),
              std::string::npos);
    EXPECT_NE(rest_faults_of(R"("openapi":"y.yaml")", {}, files).at(0).find("is not JSON"),
              std::string::npos);
    EXPECT_NE(rest_faults_of(R"("openapi":{"include":[]})", {}, files)
                  .at(0)
                  .find("needs either \"file\" or \"document\""),
              std::string::npos);
}

}  // namespace
}  // namespace holdfast::rest
