#include <gtest/gtest.h>

#include <array>
#include <csignal>
#include <functional>
#include <string>
#include <string_view>

#include "end_to_end/http_backend.hpp"
#include "end_to_end/scene.hpp"
#include "support/process_watch.hpp"

// The real binary in front of a plain HTTP API, with the shipped preset.

namespace holdfast::test {
namespace {

constexpr AgentLeg kHttp = kAgentLegs[1];
constexpr AgentLeg kModernHttp = kAgentLegs[4];
constexpr AgentLeg kWebSocket = kAgentLegs[2];
constexpr AgentLeg kStdio = kAgentLegs[0];
constexpr std::string_view kTrace = "6f1b4d8e-8f0a-4f0c-9a53-0d3a6f1e2b7c";
const std::string kKeyLine = "X-Api-Key: agents-own-key\r\n";

std::string quoted_id() {
    return R"({"trace_id":")" + std::string{kTrace} + "\"";
}

bool says(const std::string& text, std::string_view words) {
    return text.find(words) != std::string::npos;
}

class RestTest : public ::testing::Test {
protected:
    void SetUp() override {
        scene.add_server(
            "traces", R"({"type":"rest","url":")" + backend.url() + R"(","preset":"commontrace"})");
    }
    TestAgent opened(const AgentLeg& leg, const std::string& headers = {}) {
        TestAgent agent = scene.agent(leg, headers);
        EXPECT_TRUE(agent.open());
        EXPECT_TRUE(agent.finds_tool("vote_trace"));
        return agent;
    }

    HttpBackend backend;
    Scene scene;
};

TEST_F(RestTest, ListsTheToolsOfThePreset) {
    ASSERT_TRUE(scene.start());
    TestAgent agent = opened(kHttp);

    const std::string list = agent.request({.method = "tools/list"});

    for (const std::string_view tool : {"search_traces", "get_trace", "list_tags",
                                        "contribute_trace", "vote_trace", "amend_trace"}) {
        EXPECT_TRUE(says(list, "\"name\":\"" + std::string{tool} + "\"")) << list;
    }
    EXPECT_FALSE(says(list, "api_key") || says(list, "x-api-key")) << list;
    EXPECT_TRUE(backend.requests().empty());
}

TEST_F(RestTest, CallsEachTool) {
    struct Row {
        std::string tool;
        std::string arguments;
        std::string line;
        std::string body;
    };
    const std::string id{kTrace};
    const std::array<Row, 6> rows{{
        {"search_traces", R"({"query":"a b","limit":3,"tags":null})", "POST /api/v1/traces/search",
         R"({"q":"a b","limit":3})"},
        {"get_trace", quoted_id() + "}", "GET /api/v1/traces/" + id, ""},
        {"list_tags", "{}", "GET /api/v1/tags", ""},
        {"contribute_trace", R"({"solution_text":"s","title":"t","context_text":"c","tags":["x"]})",
         "POST /api/v1/traces",
         R"({"title":"t","context_text":"c","solution_text":"s","tags":["x"]})"},
        {"vote_trace", quoted_id() + R"(,"vote_type":"up"})",
         "POST /api/v1/traces/" + id + "/votes", R"({"vote_type":"up"})"},
        {"amend_trace", quoted_id() + R"(,"improved_solution":"i","explanation":"e"})",
         "POST /api/v1/traces/" + id + "/amendments",
         R"({"improved_solution":"i","explanation":"e"})"},
    }};
    ASSERT_TRUE(scene.start());
    TestAgent agent = opened(kHttp, kKeyLine);
    for (const Row& row : rows) {
        backend.answer(row.line, 200, R"({"from":")" + row.tool + R"("})");

        const std::string answer = agent.request(tool_call(row.tool, row.arguments));

        EXPECT_TRUE(says(answer, R"("structuredContent":{"from":")" + row.tool + R"("})"))
            << answer;
        EXPECT_EQ(backend.last().line, row.line);
        EXPECT_EQ(backend.last().body, row.body);
        EXPECT_EQ(backend.last().header("x-api-key"), "agents-own-key");
    }
    EXPECT_EQ(backend.requests().size(), rows.size());
}

TEST_F(RestTest, PassesOnTheBackendsErrorText) {
    backend.answer("POST /api/v1/traces", 422,
                   R"({"detail":"agents-own-key may not use the tag x"})");
    ASSERT_TRUE(scene.start());
    TestAgent agent = opened(kHttp, kKeyLine);

    const std::string answer = agent.request(
        tool_call("contribute_trace", R"({"title":"t","context_text":"c","solution_text":"s"})"));

    EXPECT_TRUE(says(answer, "422")) << answer;
    EXPECT_TRUE(says(answer, "[redacted] may not use the tag x")) << answer;
    EXPECT_FALSE(says(answer, "agents-own-key")) << answer;
}

TEST_F(RestTest, UsesTheKeyOfAnyTransportWithHeaders) {
    backend.answer("GET /api/v1/tags", 200, R"({"tags":[]})");
    ASSERT_TRUE(scene.start());
    for (const AgentLeg& leg : {kHttp, kModernHttp, kWebSocket}) {
        TestAgent agent = opened(leg, kKeyLine);

        EXPECT_EQ(agent.call("list_tags"), "No tags yet.") << leg.name;

        EXPECT_EQ(backend.last().header("x-api-key"), "agents-own-key") << leg.name;
    }
}

TEST_F(RestTest, UsesTheKeyOfTheEnvironmentOtherwise) {
    backend.answer("GET /api/v1/tags", 200, R"({"tags":[]})");
    ASSERT_TRUE(scene.start({"--stdio"}, {"COMMONTRACE_API_KEY=key-of-the-gateway"}));
    TestAgent with_key = opened(kModernHttp, kKeyLine);
    EXPECT_EQ(with_key.call("list_tags"), "No tags yet.");
    EXPECT_EQ(backend.last().header("x-api-key"), "agents-own-key");
    for (const AgentLeg& leg : {kHttp, kStdio}) {
        TestAgent agent = opened(leg);

        EXPECT_EQ(agent.call("list_tags"), "No tags yet.") << leg.name;

        EXPECT_EQ(backend.last().header("x-api-key"), "key-of-the-gateway") << leg.name;
    }
}

TEST_F(RestTest, SendsNothingWithoutAKey) {
    ASSERT_TRUE(scene.start({}, {"COMMONTRACE_API_KEY="}));
    TestAgent agent = opened(kHttp);

    const std::string answer = agent.request(tool_call("list_tags"));

    EXPECT_TRUE(says(answer, "[CommonTrace error] No API key is set.")) << answer;
    EXPECT_FALSE(says(answer, "isError")) << answer;
    EXPECT_TRUE(backend.requests().empty());
}

TEST_F(RestTest, PassesOnNoOtherHeaderOfTheAgent) {
    backend.answer("GET /api/v1/tags", 200, R"({"tags":[]})");
    ASSERT_TRUE(scene.start());
    TestAgent agent =
        opened(kHttp, kKeyLine + "Authorization: Bearer agents-token\r\nCookie: a=b\r\n");

    EXPECT_EQ(agent.call("list_tags"), "No tags yet.");

    EXPECT_EQ(backend.last().header("authorization"), "none");
    EXPECT_EQ(backend.last().header("cookie"), "none");
}

TEST_F(RestTest, ArgumentsCannotLeaveTheirPathSegment) {
    ASSERT_TRUE(scene.start());
    TestAgent agent = opened(kHttp, kKeyLine);
    for (const std::string_view id : {"..", "../tags", "a/b", "..\\\\tags", "."}) {
        const std::string answer =
            agent.request(tool_call("get_trace", R"({"trace_id":")" + std::string{id} + "\"}"));

        EXPECT_FALSE(answer.empty()) << id;
    }
    EXPECT_TRUE(backend.requests().empty());
}

TEST(RestConfigTest, IsCheckedBeforeTheStart) {
    Scene scene;
    scene.add_server("api", R"({"type":"rest","url":"http://127.0.0.1:1","tols":[]})");

    EXPECT_FALSE(scene.start());

    EXPECT_NE(scene.gateway().program().rest_of_error_line("mcpServers.api.tols: unknown key"), "");
}

TEST(CredentialsTest, OfAFileReachTheEnvironmentOfAProgram) {
    Scene scene;
    const std::string seen = scene.folder() / "seen.txt";
    write_file(scene.folder() / "token.txt", "token-of-the-file\n");
    scene.add_server("program", R"({"command":"sh","args":["-c","printf %s \"$ITS_TOKEN\" > )" +
                                    seen + "; exec " + Scene::fixture_path() +
                                    R"( --stdio --lifetime-seconds 100"],"credentials":[)"
                                    R"({"from":{"file":"token.txt"},"as":{"env":"ITS_TOKEN"}}]})");
    ASSERT_TRUE(scene.start());
    TestAgent agent = scene.agent(kHttp);
    ASSERT_TRUE(agent.open());

    ASSERT_TRUE(agent.finds_tool("echo"));

    EXPECT_EQ(content_of_file(seen), "token-of-the-file");
}

TEST(RestOpenApiTest, MakesToolsOfADocument) {
    HttpBackend backend;
    backend.answer("GET /pets/rex?limit=2", 200, R"({"name":"Rex"})");
    Scene scene;
    scene.add_server(
        "pets",
        R"({"type":"rest","url":")" + backend.url() +
            R"(","openapi":{"document":{"openapi":"3.0.3","paths":{"/pets/{id}":{"get":{)"
            R"("operationId":"showPet","parameters":[{"name":"id","in":"path","required":true,)"
            R"("schema":{"type":"string"}},{"name":"limit","in":"query",)"
            R"("schema":{"type":"integer"}}]}}}}}})");
    ASSERT_TRUE(scene.start());
    TestAgent agent = scene.agent(kHttp);
    ASSERT_TRUE(agent.open());
    ASSERT_TRUE(agent.finds_tool("showPet"));

    EXPECT_EQ(agent.call("showPet", R"({"id":"rex","limit":2})"), R"({"name":"Rex"})");
}

TEST(RestOpenApiTest, AReloadTakesTheNewPathOfADocument) {
    HttpBackend backend;
    backend.answer("GET /v1/pets", 200, R"({"from":"v1"})");
    backend.answer("GET /v2/pets", 200, R"({"from":"v2"})");
    Scene scene;
    const std::string document = scene.folder() / "api.json";
    const auto write_document = [&document](const std::string& path) {
        write_file(document, R"({"openapi":"3.0.3","paths":{")" + path +
                                 R"(":{"get":{"operationId":"listPets"}}}})");
    };
    write_document("/v1/pets");
    scene.add_server("pets", R"({"type":"rest","url":")" + backend.url() + R"(","openapi":")" +
                                 document + R"("})");
    ASSERT_TRUE(scene.start());
    TestAgent agent = scene.agent(kHttp);
    ASSERT_TRUE(agent.open());
    ASSERT_TRUE(agent.finds_tool("listPets"));
    ASSERT_EQ(agent.call("listPets"), R"({"from":"v1"})");

    write_document("/v2/pets");
    scene.gateway().program().send(SIGHUP);

    ASSERT_NE(scene.gateway().program().rest_of_error_line("config reloaded: "), "");
    // The line is written just before the change.
    std::string answer;
    EXPECT_TRUE(eventually([&] {
        answer = agent.call("listPets");
        return answer == R"({"from":"v2"})";
    })) << answer;
}

/// An API with one tool, whose entry a test changes while the gateway runs.
class RestReload : public ::testing::Test {
protected:
    void SetUp() override {
        scene.add_server("api", entry(tool(R"("path":"/first")")));
        ASSERT_TRUE(scene.start());
    }
    [[nodiscard]] static std::string tool(const std::string& keys) {
        return R"("tools":[{"name":"ask","method":"POST",)" + keys + "}]";
    }
    [[nodiscard]] static std::string document(const std::string& path, const std::string& url) {
        return R"({"openapi":"3.0.3","servers":[{"url":")" + url + R"("}],"paths":{")" + path +
               R"(":{"get":{"operationId":"ask"}}}})";
    }
    [[nodiscard]] std::string entry(const std::string& keys) const {
        return R"({"type":"rest","url":")" + backend.url() + "\"," + keys + "}";
    }
    /// Reloads a config with this entry. Returns whether calls then become such requests.
    [[nodiscard]] bool sends_after(const std::string& api,
                                   const std::function<bool(const BackendRequest&)>& is_wanted) {
        write_file(scene.folder() / "config.json",
                   R"({"admin":false,"surface":{"mode":"all"},"mcpServers":{"api":)" + api + "}}");
        scene.gateway().program().send(SIGHUP);
        TestAgent agent = scene.agent(kHttp);
        return agent.open() && agent.finds_tool("ask") && eventually([&] {
                   return !agent.request(tool_call("ask")).empty() && is_wanted(backend.last());
               });
    }
    [[nodiscard]] bool sends_line_after(const std::string& api, const std::string& line) {
        return sends_after(api,
                           [&](const BackendRequest& request) { return request.line == line; });
    }

    HttpBackend backend{
        [](const BackendRequest&) { return net::HttpReply{.body = R"({"is":"well"})"}; }};
    Scene scene;
};

TEST_F(RestReload, AppliesPathsAndQueries) {
    EXPECT_TRUE(sends_line_after(entry(tool(R"("path":"/second")")), "POST /second"));
    EXPECT_TRUE(
        sends_line_after(entry(tool(R"("path":"/second","query":{"a":"1"})")), "POST /second?a=1"));
    EXPECT_TRUE(
        sends_line_after(entry(tool(R"("path":"/second","query":{"a":"2"})")), "POST /second?a=2"));
}

TEST_F(RestReload, AppliesHeadersAndBodies) {
    for (const std::string value : {"one", "two"}) {
        EXPECT_TRUE(sends_after(
            entry(tool(R"("path":"/a","headers":{"X-Part":")" + value + "\"}")),
            [&](const BackendRequest& request) { return request.header("x-part") == value; }))
            << value;
        const std::string body = R"({"part":")" + value + "\"}";
        EXPECT_TRUE(
            sends_after(entry(tool(R"("path":"/a","body":)" + body)),
                        [&](const BackendRequest& request) { return request.body == body; }))
            << value;
    }
}

TEST_F(RestReload, AppliesAnotherOpenApiDocument) {
    write_file(scene.folder() / "one.json", document("/one", backend.url()));
    write_file(scene.folder() / "two.json", document("/two", backend.url()));

    EXPECT_TRUE(sends_line_after(entry(R"("openapi":"one.json")"), "GET /one"));
    EXPECT_TRUE(sends_line_after(entry(R"("openapi":"two.json")"), "GET /two"));
    EXPECT_TRUE(sends_line_after(
        entry(R"("openapi":{"document":)" + document("/three", backend.url()) + "}"),
        "GET /three"));
}

TEST_F(RestReload, AppliesAnotherUrlOfADocument) {
    const HttpBackend other;
    const auto with_url = [](const std::string& url) {
        return R"({"type":"rest","openapi":{"document":)" + document("/a", url) + "}}";
    };
    EXPECT_TRUE(sends_line_after(with_url(backend.url()), "GET /a"));

    EXPECT_TRUE(sends_after(with_url(other.url()),
                            [&](const BackendRequest&) { return other.last().line == "GET /a"; }));
}

}  // namespace
}  // namespace holdfast::test
