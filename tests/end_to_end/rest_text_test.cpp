#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "end_to_end/acceptance.hpp"
#include "end_to_end/http_backend.hpp"
#include "end_to_end/scene.hpp"
#include "support/test_agent/json_text.hpp"

// The keys of a REST tool that format its results and check its arguments, in a user's entry.

namespace holdfast::test {
namespace {

constexpr AgentLeg kHttp = kAgentLegs[1];

class RestText : public ::testing::Test {
protected:
    /// Starts the gateway with an API that has the members `server` and one tool with the members
    /// `tool`.
    void start(const std::string& tool, const std::string& server = {}) {
        scene.add_server("api", R"({"type":"rest","url":")" + backend.url() + "\"," + server +
                                    R"("tools":[{"name":"items","path":"/items",)" + tool + "}]}");
        ASSERT_TRUE(scene.start());
        agent_ = std::make_unique<TestAgent>(scene.agent(kHttp));
        ASSERT_TRUE(agent_->open());
        ASSERT_TRUE(agent_->finds_tool("items"));
    }
    [[nodiscard]] std::string answer(const std::string& arguments = "{}") {
        return agent_->request(tool_call("items", arguments));
    }
    void answer_with(const std::string& body) { backend.answer("GET /items", 200, body); }

    HttpBackend backend;
    Scene scene;
    std::unique_ptr<TestAgent> agent_;
};

TEST_F(RestText, IsMadeOfTheAnswerAndTheArguments) {
    start(R"("query":{"q":"{q}"},"input":{"type":"object","properties":{"q":{"type":"string"}}},)"
          R"j("text":["{{#items}}","{{@number}}. {{name}} ({{price | decimals 2}})","{{else}}",)j"
          R"("Nothing for \"{{@arguments.q}}\".","{{/items}}"])");
    backend.answer("GET /items?q=a", 200,
                   R"({"items":[{"name":"x","price":1},{"name":"y","price":2.5}]})");
    backend.answer("GET /items?q=b", 200, R"({"items":[]})");

    const std::string found = answer(R"({"q":"a"})");

    EXPECT_EQ(text_in(found), "1. x (1.00)\n2. y (2.50)");
    EXPECT_EQ(member_text(found, "structuredContent"),
              R"({"items":[{"name":"x","price":1},{"name":"y","price":2.5}]})");
    EXPECT_EQ(text_in(answer(R"({"q":"b"})")), "Nothing for \"b\".");
}

TEST_F(RestText, WrapsAListAndAPlainValueForStructuredContent) {
    start(R"("text":"{{. | join '+'}}")");
    answer_with("[1, 2]");
    EXPECT_EQ(text_in(answer()), "1+2");
    EXPECT_EQ(member_text(answer(), "structuredContent"), R"({"items":[1, 2]})");

    answer_with("7");
    EXPECT_EQ(text_in(answer()), "7");
    EXPECT_EQ(member_text(answer(), "structuredContent"), R"({"value":7})");
}

TEST_F(RestText, WarnsOnceAboutEachMissingField) {
    start(R"("text":"{{a}}|{{b}}|{{c?}}")");
    answer_with(R"({"a":1})");
    for (int count = 0; count < 3; ++count) {
        EXPECT_EQ(text_in(answer()), "1||");
    }
    EXPECT_EQ(scene.gateway().stop(), 0);

    const std::string& log = scene.gateway().program().all_error_text();
    const std::string_view warning =
        R"(server "api": tool "items": the answer has no field "b", so its text leaves it out)";
    const std::size_t first = log.find(warning);
    ASSERT_NE(first, std::string::npos) << log;
    EXPECT_EQ(log.find("has no field", first + warning.size()), std::string::npos) << log;
}

TEST_F(RestText, ShowsTheJsonWhenItCannotBeRendered) {
    start(R"("text":"{{a}}")");
    answer_with(R"({"a":"\ud800"})");

    EXPECT_TRUE(has(text_in(answer()), "{\"a\":")) << answer();
}

TEST_F(RestText, ChecksRulesOverSeveralArgumentsAfterTheListedSchema) {
    start(
        R"("input":{"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"integer"}}},)"
        R"("check":{"description":"Give a or b, not both.","oneOf":[{"required":["a"]},)"
        R"({"required":["b"]}]})");
    backend.answer("GET /items?a=1", 200, "{}");

    const std::string both = answer(R"({"a":1,"b":2})");
    const std::string wrong = answer(R"({"a":"x","b":2})");

    EXPECT_EQ(member_text(both, "code"), "\"INVALID_ARGUMENTS\"") << both;
    EXPECT_EQ(member_text(both, "isError"), "true") << both;
    EXPECT_EQ(member_text(both, "message"), "\"Give a or b, not both.\"") << both;
    EXPECT_TRUE(has(text_in(wrong), "/a: expected integer")) << wrong;
    EXPECT_TRUE(backend.requests().empty());
    EXPECT_EQ(text_in(answer(R"({"a":1,"b":null})")), "{}");
    EXPECT_FALSE(has(agent_->request({.method = "tools/list"}), "oneOf"));
}

TEST_F(RestText, RejectsAnotherContentTypeIfJsonIsExpected) {
    start(R"("expects":"json")");
    backend.answer_with("GET /items",
                        {.status = 200, .content_type = "text/plain", .body = "hello"});

    const std::string refused = answer();

    EXPECT_EQ(member_text(refused, "cause"), "\"MALFORMED_RESPONSE\"") << refused;
    EXPECT_TRUE(has(text_in(refused), "content type \"text/plain\" instead of JSON")) << refused;
    answer_with("{}");
    EXPECT_EQ(text_in(answer()), "{}");
}

TEST_F(RestText, AppliesExpectsOfTheServerToAllItsTools) {
    start(R"("expects":"any")", R"("expects":"json",)");
    backend.answer_with("GET /items",
                        {.status = 200, .content_type = "text/plain", .body = "hello"});

    EXPECT_EQ(text_in(answer()), "hello");
}

TEST_F(RestText, BoundsTheAnswer) {
    start(R"("text":"{{a}}")", R"("maxAnswer":"2kB",)");
    answer_with(R"({"a":")" + std::string(2'100, 'x') + "\"}");

    EXPECT_EQ(member_text(answer(), "code"), "\"RESULT_TOO_LARGE\"") << answer();
}

TEST_F(RestText, SendsTheInstructionsOfTheServerToAgents) {
    scene.add_server("api", R"({"type":"rest","url":"http://127.0.0.1:1","instructions":)"
                            R"("Call items before you guess.","tools":[{"name":"items",)"
                            R"("path":"/items"}]})");
    ASSERT_TRUE(scene.start());
    ASSERT_TRUE([&] {
        TestAgent first = scene.agent(kHttp);
        return first.open() && first.finds_tool("items");
    }());
    TestAgent agent = scene.agent(kHttp);

    const std::string answer =
        agent.request({.method = "initialize",
                       .params = R"("protocolVersion":"2025-11-25","capabilities":{},)"
                                 R"("clientInfo":{"name":"t","version":"1"})"});

    EXPECT_TRUE(has(answer, "Call items before you guess.")) << answer;
}

TEST(RestTextConfig, NamesFileLineAndColumnOfAnInvalidTemplate) {
    Scene scene;
    scene.add_server("api",
                     "{\"type\":\"rest\",\"url\":\"http://127.0.0.1:1\",\"tools\":[\n"
                     "{\"name\":\"items\",\"path\":\"/\",\n"
                     " \"text\": [\"{{#items}}\",\n"
                     "          \"{{name | cutt 3}}\",\n"
                     "          \"{{/items}}\"]}]}");

    EXPECT_FALSE(scene.start());

    const std::string error =
        scene.gateway().program().rest_of_error_line("unknown filter \"cutt\"; did you mean");
    EXPECT_NE(error, "");
    // The entry's fourth line has the mistake in column 21.
    EXPECT_TRUE(has(scene.gateway().program().all_error_text(),
                    ":21: mcpServers.api.tools[0].text: unknown filter"))
        << scene.gateway().program().all_error_text();
}

}  // namespace
}  // namespace holdfast::test
