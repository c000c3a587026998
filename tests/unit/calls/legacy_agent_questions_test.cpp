#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>

#include "support/gateway/gateway_world.hpp"

// A legacy agent is asked by requests, for servers of both eras.

namespace holdfast::calls {
namespace {

using mcp::Era;
using test::legacy_result;
using test::modern_result;
using namespace std::chrono_literals;

constexpr const char* kCall = R"({"name":"t","arguments":{}})";
constexpr const char* kForm = R"({"message":"Name?","requestedSchema":{}})";

class LegacyAgentQuestionsTest : public test::GatewayWorld {
protected:
    void begin_with(Era era, const std::string& version = "2025-11-25",
                    std::string capabilities = std::string{test::kAllAbilities}) {
        server = add_server("box", era);
        begin();
        session = connect(capabilities, version);
        port = request(session, "tools/call", kCall);
    }
    void ask(const std::string& method, const std::string& params) {
        on_loop([&] { server->last().ask(method, params); });
    }
    /// The modern server asks questions; `requests` are members of inputRequests.
    void require(const std::string& requests, const std::string& state = "\"s\"") {
        answer(server->last(), modern_result(R"({"resultType":"input_required","inputRequests":{)" +
                                             requests + R"(},"requestState":)" + state + "}"));
    }

    std::shared_ptr<test::FakeServer> server;
    std::shared_ptr<agents::AgentSession> session;
    test::Port port;
};

TEST_F(LegacyAgentQuestionsTest, RelaysTheQuestionOfALegacyServer) {
    begin_with(Era::legacy);

    ask("elicitation/create", kForm);
    ASSERT_EQ(port->sent.size(), 1U);
    EXPECT_EQ(port->sent[0],
              R"({"jsonrpc":"2.0","id":"holdfast-1","method":"elicitation/create","params":)" +
                  std::string{kForm} + "}");
    reply(*session, R"("holdfast-1")", R"("result":{"action":"accept","content": {}})");

    ASSERT_EQ(server->last().replies->size(), 1U);
    EXPECT_EQ(server->last().replies->at(0).body, R"({"action":"accept","content": {}})");
    answer(server->last(), legacy_result("{}"));
    EXPECT_EQ(port->ends(), 1U);
    EXPECT_EQ(port->sent.size(), 1U);
}

TEST_F(LegacyAgentQuestionsTest, RelaysTheErrorOfAnAgent) {
    begin_with(Era::legacy);
    ask("sampling/createMessage", "{}");

    reply(*session, R"("holdfast-1")", R"("error":{"code":-1,"message":"User said no"})");

    EXPECT_TRUE(server->last().replies->at(0).is_error);
    EXPECT_EQ(server->last().replies->at(0).body, R"({"code":-1,"message":"User said no"})");
}

TEST_F(LegacyAgentQuestionsTest, RefusesWhatTheAgentCannotDo) {
    begin_with(Era::legacy, "2025-11-25", "{}");

    ask("elicitation/create", kForm);
    ask("sampling/createMessage", "{}");

    EXPECT_TRUE(port->sent.empty());
    ASSERT_EQ(server->last().replies->size(), 2U);
    EXPECT_EQ(server->last().replies->at(0).body, R"({"action":"cancel"})");
    EXPECT_FALSE(server->last().replies->at(0).is_error);
    EXPECT_TRUE(server->last().replies->at(1).is_error);
    EXPECT_NE(server->last().replies->at(1).body.find("-32601"), std::string::npos);
}

TEST_F(LegacyAgentQuestionsTest, ReportsThatAnAgentWithoutAStreamCannotBeAsked) {
    server = add_server("box", Era::legacy);
    begin();
    session = connect(std::string{test::kAllAbilities});
    request(session, "tools/call", kCall, "1", std::make_shared<test::RecordingPort>(false));

    ask("roots/list", "");

    ASSERT_EQ(server->last().replies->size(), 1U);
    EXPECT_TRUE(server->last().replies->at(0).is_error);
}

TEST_F(LegacyAgentQuestionsTest, StopsTheDeadlineWhileTheAgentIsAsked) {
    begin_with(Era::legacy);
    loop.run_for(50s);
    ask("elicitation/create", kForm);
    loop.run_for(4min);
    EXPECT_EQ(port->ends(), 0U);

    reply(*session, R"("holdfast-1")", R"("result":{"action":"decline"})");
    loop.run_for(9'999ms);
    EXPECT_EQ(port->ends(), 0U);
    loop.run_for(1ms);

    EXPECT_NE(port->answer().find("TIMEOUT"), std::string::npos);
}

TEST_F(LegacyAgentQuestionsTest, ContinuesOnlyAfterTheLastAnswer) {
    begin_with(Era::legacy);
    ask("elicitation/create", kForm);
    ask("roots/list", "");
    reply(*session, R"("holdfast-2")", R"("result":{"roots":[]})");
    loop.run_for(2min);
    EXPECT_EQ(port->ends(), 0U);

    reply(*session, R"("holdfast-1")", R"("result":{"action":"decline"})");
    loop.run_for(60s);

    EXPECT_EQ(port->ends(), 1U);
}

TEST_F(LegacyAgentQuestionsTest, GivesUpOnAnAgentThatDoesNotAnswer) {
    begin_with(Era::legacy);
    ask("elicitation/create", kForm);

    loop.run_for(5min);

    EXPECT_NE(port->answer().find("the agent did not answer"), std::string::npos);
    EXPECT_EQ(server->last().replies->at(0).body, "dropped");
    ASSERT_EQ(port->sent.size(), 2U);
    EXPECT_NE(port->sent[1].find(R"("requestId":"holdfast-1")"), std::string::npos);
    reply(*session, R"("holdfast-1")", R"("result":{})");
    EXPECT_EQ(server->last().replies->size(), 1U);
    EXPECT_TRUE(session->is_idle());
}

TEST_F(LegacyAgentQuestionsTest, WithdrawsAQuestionWhoseCallIsAnswered) {
    begin_with(Era::legacy);
    ask("elicitation/create", kForm);

    answer(server->last(), legacy_result("{}"));

    EXPECT_EQ(port->ends(), 1U);
    ASSERT_EQ(port->sent.size(), 2U);
    EXPECT_NE(port->sent[1].find("notifications/cancelled"), std::string::npos);
}

TEST_F(LegacyAgentQuestionsTest, WithdrawsAQuestionWhoseCallIsCancelled) {
    begin_with(Era::legacy);
    ask("elicitation/create", kForm);

    notify(*session, "notifications/cancelled", R"({"requestId":1})");

    EXPECT_EQ(port->abandoned, 1U);
    EXPECT_EQ(port->sent.size(), 2U);
    EXPECT_EQ(server->last().replies->at(0).body, "dropped");
    EXPECT_TRUE(session->is_idle());
}

TEST_F(LegacyAgentQuestionsTest, AnswersTheServerWithAnErrorWhenTheAgentHasGone) {
    begin_with(Era::legacy);
    ask("elicitation/create", kForm);

    on_loop([&] { gateway().end_session(session); });

    ASSERT_EQ(server->last().replies->size(), 1U);
    EXPECT_TRUE(server->last().replies->at(0).is_error);
    EXPECT_EQ(port->ends(), 1U);
}

TEST_F(LegacyAgentQuestionsTest, AsksForAModernServerAndCallsItAgain) {
    begin_with(Era::modern);

    require(R"("who":{"method":"elicitation/create","params":{"mode":"form","message":"m"}},)"
            R"("where":{"method":"roots/list"})",
            R"("st\u0061te")");
    ASSERT_EQ(port->sent.size(), 2U);
    EXPECT_EQ(server->calls.size(), 1U);
    reply(*session, R"("holdfast-2")", R"("result":{"roots":[ ]})");
    EXPECT_EQ(server->calls.size(), 1U);
    reply(*session, R"("holdfast-1")", R"("result":{"action":"accept"})");

    ASSERT_EQ(server->calls.size(), 2U);
    EXPECT_EQ(server->last().request.params_members,
              R"("name":"t","arguments":{},"inputResponses":{"who":{"action":"accept"},)"
              R"("where":{"roots":[ ]}},"requestState":"st\u0061te")");
    answer(server->last(), modern_result(R"({"resultType":"complete","content":[]})"));
    EXPECT_EQ(port->answer(), R"({"jsonrpc":"2.0","id":1,"result":{"content":[]}})");
}

TEST_F(LegacyAgentQuestionsTest, TheQuestionKeepsACallAliveThatHasNoRequestInFlight) {
    begin_with(Era::modern);
    require(R"("a":{"method":"roots/list"})");
    on_loop([&] { server->calls.clear(); });

    reply(*session, R"("holdfast-1")", R"("result":{"roots":[]})");

    ASSERT_EQ(server->calls.size(), 1U);
    answer(server->last(), modern_result(R"({"resultType":"complete","content":[]})"));
    EXPECT_EQ(port->answer(), R"({"jsonrpc":"2.0","id":1,"result":{"content":[]}})");
}

TEST_F(LegacyAgentQuestionsTest, SendsOnlyTheAnswersOfTheLastRound) {
    begin_with(Era::modern);
    require(R"("a":{"method":"roots/list"})");
    reply(*session, R"("holdfast-1")", R"("result":{"roots":[]})");

    require(R"("b":{"method":"roots/list"})", "\"s2\"");
    reply(*session, R"("holdfast-2")", R"("result":{"roots":[]})");

    EXPECT_EQ(server->last().request.params_members,
              R"("name":"t","arguments":{},"inputResponses":{"b":{"roots":[]}},)"
              R"("requestState":"s2")");
}

TEST_F(LegacyAgentQuestionsTest, CallsAgainAtOnceIfNothingIsAsked) {
    begin_with(Era::modern);

    answer(server->last(), modern_result(R"({"resultType":"input_required","requestState":"s"})"));

    ASSERT_EQ(server->calls.size(), 2U);
    EXPECT_EQ(server->last().request.params_members,
              R"("name":"t","arguments":{},"inputResponses":{},"requestState":"s")");
}

TEST_F(LegacyAgentQuestionsTest, CancelsFormsThatTheAgentCannotOrWillNotAnswer) {
    begin_with(Era::modern, "2025-11-25", R"({"elicitation":{}})");

    require(R"("url":{"method":"elicitation/create","params":{"mode":"url"}},)"
            R"("form":{"method":"elicitation/create","params":{"message":"m"}})");
    ASSERT_EQ(port->sent.size(), 1U);
    reply(*session, R"("holdfast-1")", R"("error":{"code":-32603,"message":"no"})");

    EXPECT_NE(server->last().request.params_members.find(
                  R"("inputResponses":{"url":{"action":"cancel"},"form":{"action":"cancel"}})"),
              std::string::npos);
}

TEST_F(LegacyAgentQuestionsTest, FailsTheCallIfAQuestionCannotBeDeclined) {
    begin_with(Era::modern);

    require(R"("s":{"method":"sampling/createMessage","params":{}})");
    reply(*session, R"("holdfast-1")", R"("error":{"code":-1,"message":"no"})");

    EXPECT_EQ(server->calls.size(), 1U);
    EXPECT_NE(port->answer().find("sampling/createMessage"), std::string::npos);
    EXPECT_NE(port->answer().find(R"("isError":true)"), std::string::npos);
}

TEST_F(LegacyAgentQuestionsTest, FailsTheCallOfAServerThatAsksForever) {
    begin_with(Era::modern);

    for (int round = 0; round < 11; ++round) {
        EXPECT_EQ(port->ends(), 0U);
        answer(server->last(),
               modern_result(R"({"resultType":"input_required","requestState":"s"})"));
    }

    EXPECT_EQ(server->calls.size(), 11U);
    EXPECT_NE(port->answer().find("MALFORMED_RESPONSE"), std::string::npos);
}

TEST_F(LegacyAgentQuestionsTest, FailsTheCallOfAServerThatAsksForNothing) {
    begin_with(Era::modern);

    answer(server->last(), modern_result(R"({"resultType":"input_required"})"));

    EXPECT_NE(port->answer().find("MALFORMED_RESPONSE"), std::string::npos);
}

TEST_F(LegacyAgentQuestionsTest, LimitsHowLongARoundTakes) {
    begin_with(Era::modern);
    loop.run_for(59s);
    require(R"("a":{"method":"roots/list"})");

    loop.run_for(4min + 59s);
    EXPECT_EQ(port->ends(), 0U);
    loop.run_for(1s);

    EXPECT_NE(port->answer().find("the agent did not answer"), std::string::npos);
    ASSERT_EQ(port->sent.size(), 2U);
    EXPECT_NE(port->sent[1].find("notifications/cancelled"), std::string::npos);
    EXPECT_EQ(server->calls.size(), 1U);
}

TEST_F(LegacyAgentQuestionsTest, ContinuesWithTheRemainingTime) {
    begin_with(Era::modern);
    loop.run_for(50s);
    require(R"("a":{"method":"roots/list"})");
    loop.run_for(2min);
    reply(*session, R"("holdfast-1")", R"("result":{"roots":[]})");

    loop.run_for(9'999ms);
    EXPECT_EQ(port->ends(), 0U);
    loop.run_for(1ms);

    EXPECT_NE(port->answer().find("TIMEOUT"), std::string::npos);
}

TEST_F(LegacyAgentQuestionsTest, IsCancelledWhileTheAgentIsAsked) {
    begin_with(Era::modern);
    require(R"("a":{"method":"roots/list"})");

    notify(*session, "notifications/cancelled", R"({"requestId":1})");
    reply(*session, R"("holdfast-1")", R"("result":{"roots":[]})");
    loop.run_for(10min);

    EXPECT_EQ(port->abandoned, 1U);
    EXPECT_EQ(port->ends(), 1U);
    EXPECT_EQ(server->calls.size(), 1U);
    EXPECT_TRUE(session->is_idle());
}

TEST_F(LegacyAgentQuestionsTest, IsCancelledInTheStepOfTheLastAnswer) {
    begin_with(Era::modern);
    require(R"("a":{"method":"roots/list"})");

    on_loop([&] {
        EXPECT_TRUE(session->on_answer(R"("holdfast-1")", {.body = R"({"roots":[]})"}));
        session->cancel("1");
    });
    loop.run_for(10min);

    EXPECT_EQ(port->abandoned, 1U);
    EXPECT_EQ(port->ends(), 1U);
    EXPECT_EQ(server->calls.size(), 1U);
}

TEST_F(LegacyAgentQuestionsTest, AdaptsQuestionsToAnOldRevision) {
    begin_with(Era::modern, "2025-06-18", R"({"elicitation":{}})");

    require(R"("a":{"method":"elicitation/create","params":{"mode":"form","message":"m"}})");

    EXPECT_EQ(port->sent.at(0), R"({"jsonrpc":"2.0","id":"holdfast-1","method":)"
                                R"("elicitation/create","params":{"message":"m"}})");
}

}  // namespace
}  // namespace holdfast::calls
