// Data of one agent never reaches another.

#include <algorithm>
#include <string>
#include <tuple>

#include <gtest/gtest.h>

#include "end_to_end/scene.hpp"
#include "support/process_watch.hpp"
#include "support/test_agent/http_exchange.hpp"
#include "support/test_agent/json_text.hpp"

namespace holdfast::test {
namespace {

constexpr AgentLeg kLegacyHttp = kAgentLegs[1];
constexpr AgentLeg kLegacyWebSocket = kAgentLegs[2];
constexpr AgentLeg kModernHttp = kAgentLegs[4];
constexpr ServerLeg kStdioServer = kServerLegs[0];
constexpr ServerLeg kHttpServer = kServerLegs[1];

std::string token_header(const std::string& token) {
    return "Authorization: Bearer " + token + "\r\n";
}

/// Whether a question arrived while the agent waited for answers.
bool was_asked(const TestAgent& agent) {
    return std::ranges::any_of(agent.kept(), [](const std::string& message) {
        return message.find("elicitation/create") != std::string::npos;
    });
}

class IsolationTest : public testing::Test {
protected:
    /// Starts the gateway with the servers of the scene, and two agents.
    void start(const AgentLeg& leg = kLegacyHttp) {
        scene_.add_section(
            R"("agents":{"tokens":{"alice":"the token of alice","bob":"the token of bob"}})");
        ASSERT_TRUE(scene_.start());
        alice_ = std::make_unique<TestAgent>(scene_.agent(leg, token_header("the token of alice")));
        bob_ = std::make_unique<TestAgent>(scene_.agent(leg, token_header("the token of bob")));
        ASSERT_TRUE(alice_->open());
        ASSERT_TRUE(bob_->open());
        ASSERT_TRUE(alice_->finds_tool("counter"));
    }

    /// Adds the fixture with another session mode than its default.
    void add_stdio_with_session(const std::string& rule) {
        std::string entry = Scene::stdio_entry({"--stdio", "--era", "legacy"});
        entry.insert(1, R"("session":")" + rule + "\",");
        scene_.add_server("fixture", entry);
    }

    [[nodiscard]] Scene& scene() { return scene_; }
    [[nodiscard]] TestAgent& alice() const { return *alice_; }
    [[nodiscard]] TestAgent& bob() const { return *bob_; }

private:
    Scene scene_;
    std::unique_ptr<TestAgent> alice_;
    std::unique_ptr<TestAgent> bob_;
};

TEST_F(IsolationTest, GivesEachAgentASessionIfTheServerAssignsThem) {
    scene().add_fixture("fixture", kHttpServer, {"--sessions", "on"});
    start();

    EXPECT_EQ(alice().call("counter"), "1");
    EXPECT_EQ(alice().call("counter"), "2");
    EXPECT_EQ(bob().call("counter"), "1");
    EXPECT_EQ(alice().call("counter"), "3");
}

TEST_F(IsolationTest, KeepsTwoSessionsOfOnePrincipalApart) {
    scene().add_fixture("fixture", kHttpServer, {"--sessions", "on"});
    start();
    TestAgent other = scene().agent(kLegacyWebSocket, token_header("the token of alice"));
    ASSERT_TRUE(other.open());

    EXPECT_EQ(alice().call("counter"), "1");
    EXPECT_EQ(other.call("counter"), "1");
    EXPECT_EQ(alice().call("counter"), "2");
}

TEST_F(IsolationTest, KeepsModernAgentsOfTwoPrincipalsApart) {
    scene().add_fixture("fixture", kHttpServer, {"--sessions", "on"});
    start(kModernHttp);

    EXPECT_EQ(alice().call("counter"), "1");
    EXPECT_EQ(alice().call("counter"), "2");
    EXPECT_EQ(bob().call("counter"), "1");
}

TEST_F(IsolationTest, SharesASessionWithAServerThatHasNone) {
    scene().add_fixture("fixture", kHttpServer, {"--sessions", "off"});
    start();

    EXPECT_EQ(alice().call("counter"), "1");
    EXPECT_EQ(bob().call("counter"), "2");
}

TEST_F(IsolationTest, SharesASessionIfTheConfigSaysSo) {
    const std::string url = scene().start_fixture(kHttpServer, {"--sessions", "on"});
    scene().add_server("fixture", R"({"type":"http","session":"shared","url":")" + url + "\"}");
    start();

    EXPECT_EQ(alice().call("counter"), "1");
    EXPECT_EQ(bob().call("counter"), "2");
    EXPECT_EQ(alice().call("counter"), "3");
}

TEST_F(IsolationTest, SharesAChildUnlessTheConfigSaysOtherwise) {
    scene().add_fixture("fixture", kStdioServer);
    start();

    EXPECT_EQ(alice().call("counter"), "1");
    EXPECT_EQ(bob().call("counter"), "2");
}

TEST_F(IsolationTest, StartsAChildForEachAgentIfTheConfigSaysSo) {
    add_stdio_with_session("per-agent");
    start();

    EXPECT_EQ(alice().call("counter"), "1");
    EXPECT_EQ(bob().call("counter"), "1");
    EXPECT_EQ(alice().call("counter"), "2");
}

TEST_F(IsolationTest, RefusesAQuestionThatCouldBeForEitherOfTwoAgents) {
    scene().add_fixture("fixture", kStdioServer);
    start();
    AgentRequest busy = tool_call("progress", R"({"steps":100000,"ms":1})");
    busy.meta = R"("progressToken":1)";
    const std::string busy_id = alice().send(busy);
    ASSERT_NE(alice().next_message_of("notifications/progress"), "");

    const std::string answer = bob().request(tool_call("ask", R"({"kind":"elicitation"})"));

    EXPECT_NE(answer.find(R"("isError":true)"), std::string::npos) << answer;
    EXPECT_NE(answer.find("The client answered with an error"), std::string::npos) << answer;
    EXPECT_FALSE(was_asked(bob()));
    alice().cancel(busy_id);
    EXPECT_EQ(alice().call("echo", R"({"text":"well"})"), "well");
    EXPECT_FALSE(was_asked(alice()));
}

TEST_F(IsolationTest, RelaysAQuestionToTheOnlyPossibleAgent) {
    scene().add_fixture("fixture", kStdioServer);
    start(kLegacyWebSocket);

    const std::string answer = alice().call_and_fill_in(
        tool_call("ask", R"({"kind":"elicitation"})"), R"({"text":"I am Alice"})");

    EXPECT_NE(answer.find("I am Alice"), std::string::npos) << answer;
    EXPECT_EQ(bob().call("counter"), "1");
    EXPECT_FALSE(was_asked(bob()));
}

TEST_F(IsolationTest, RefusesAQuestionShortlyAfterACallOfAnotherAgent) {
    scene().add_fixture("fixture", kStdioServer);
    start(kLegacyWebSocket);
    EXPECT_EQ(bob().call("counter"), "1");

    const std::string answer = alice().request(tool_call("ask", R"({"kind":"elicitation"})"));

    EXPECT_NE(answer.find(R"("isError":true)"), std::string::npos) << answer;
    EXPECT_NE(answer.find("The client answered with an error"), std::string::npos) << answer;
    EXPECT_FALSE(was_asked(alice()));
    EXPECT_EQ(bob().call("counter"), "2");
    EXPECT_FALSE(was_asked(bob()));
}

TEST_F(IsolationTest, RelaysQuestionsOfTwoSessionsToTheirAgents) {
    scene().add_fixture("fixture", kHttpServer, {"--sessions", "on"});
    start();
    const std::string of_alice = alice().send(tool_call("ask", R"({"kind":"elicitation"})"));
    const std::string of_bob = bob().send(tool_call("ask", R"({"kind":"elicitation"})"));

    const std::string to_bob = bob().next_message_of("elicitation/create");
    const std::string to_alice = alice().next_message_of("elicitation/create");
    bob().answer_question(to_bob, R"({"action":"accept","content":{"text":"I am Bob"}})");
    alice().answer_question(to_alice, R"({"action":"accept","content":{"text":"I am Alice"}})");

    EXPECT_NE(alice().answer_to(of_alice).find("I am Alice"), std::string::npos);
    EXPECT_NE(bob().answer_to(of_bob).find("I am Bob"), std::string::npos);
}

TEST_F(IsolationTest, BindsASessionToItsPrincipal) {
    scene().add_fixture("fixture", kStdioServer);
    start();
    const HttpExchange opened = http_exchange(
        scene().port(), {.headers = token_header("the token of alice"),
                         .body = R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{)"
                                 R"("protocolVersion":"2025-11-25","capabilities":{},)"
                                 R"("clientInfo":{"name":"t","version":"1"}}})"});
    const std::string session = "Mcp-Session-Id: " + opened.header("Mcp-Session-Id") + "\r\n";
    ASSERT_GE(opened.header("Mcp-Session-Id").size(), 22U) << "at least 128 bits in any alphabet";

    const auto status = [&](const std::string& method, const std::string& token) {
        return http_exchange(scene().port(),
                             {.method = method,
                              .headers = token_header(token) + session,
                              .body = R"({"jsonrpc":"2.0","id":2,"method":"ping"})"})
            .status();
    };

    EXPECT_EQ(status("POST", "the token of bob"), 404);
    EXPECT_EQ(status("GET", "the token of bob"), 404);
    EXPECT_EQ(status("DELETE", "the token of bob"), 404);
    EXPECT_EQ(status("POST", "the token of alice"), 200) << "it was not ended by somebody else";
}

TEST_F(IsolationTest, RefusesTheStateOfAnotherPrincipalsCall) {
    scene().add_fixture("fixture", kStdioServer);
    start(kModernHttp);
    const std::string asked = alice().request(tool_call("ask", R"({"kind":"elicitation"})"));
    const std::string state = member_text(asked, "requestState");
    ASSERT_NE(state, "") << asked;
    AgentRequest resumed = tool_call("ask", R"({"kind":"elicitation"})");
    resumed.params += R"(,"inputResponses":{"q1":{"action":"accept","content":{"text":"mine"}}},)"
                      R"("requestState":)" +
                      state;

    EXPECT_EQ(member_text(bob().request(resumed), "code"), "-32602");
    EXPECT_NE(alice().request(resumed).find("mine"), std::string::npos);
}

TEST_F(IsolationTest, CancelsOnlyTheAgentsOwnCall) {
    scene().add_fixture("fixture", kStdioServer);
    start();
    AgentRequest sleep = tool_call("sleep", R"({"ms":200})");
    sleep.id = "7";
    alice().send(sleep);

    bob().cancel("7");

    EXPECT_NE(alice().answer_to("7").find("Slept 200 ms."), std::string::npos);
    EXPECT_EQ(bob().call("cancel_count"), "0");
}

}  // namespace
}  // namespace holdfast::test
