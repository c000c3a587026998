#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>

#include "support/gateway/gateway_world.hpp"

// A modern agent and a legacy server: the questions of the server become the result of the call,
// and the call waits for the agent to return.

namespace holdfast::calls {
namespace {

using downstream::CallFault;
using mcp::Era;
using test::error_answer;
using test::legacy_result;
using namespace std::chrono_literals;

constexpr const char* kTool = R"("name":"t","arguments":{"a":1,"b":[1.0]})";

class ParkedCallTest : public test::GatewayWorld {
protected:
    // Differs from the time limit for questions by request.
    ParkedCallTest() { options.parked_for = 2min; }
    void SetUp() override {
        server = add_server("box", Era::legacy);
        begin();
    }
    void ask(const std::string& method = "roots/list", const std::string& params = "") {
        on_loop([&] { server->last().ask(method, params); });
    }
    /// Calls the tool, lets the server ask, and receives the question as the result.
    void call_and_park() {
        first = request(Modern{}, "tools/call", kTool);
        ask();
        loop.run_for(5ms);
        ASSERT_EQ(parked(), 1U);
    }
    test::Port come_back(const std::string& responses, const std::string& state = "secret1",
                         const Modern& as = {}, const std::string& tool = kTool) {
        return request(as, "tools/call",
                       tool + R"(,"inputResponses":{)" + responses +
                           R"(},"requestState":"holdfast:)" + state + "\"",
                       "2");
    }
    static bool is_refused(const test::Port& port) {
        return port->answer().find(R"("code":-32602)") != std::string::npos;
    }

    std::shared_ptr<test::FakeServer> server;
    test::Port first;
};

TEST_F(ParkedCallTest, ReturnsTheQuestionAsTheResult) {
    first = request(Modern{}, "tools/call", kTool);

    ask("elicitation/create", R"({"mode":"url","elicitationId":"x","_meta":{},"url":"u:"})");
    EXPECT_EQ(first->ends(), 0U);
    loop.run_for(5ms);

    EXPECT_EQ(first->answer(),
              R"({"jsonrpc":"2.0","id":1,"result":{"resultType":"input_required",)"
              R"("inputRequests":{"q1":{"method":"elicitation/create",)"
              R"("params":{"mode":"url","url":"u:"}}},"requestState":"holdfast:secret1"}})");
    EXPECT_EQ(parked(), 1U);
    EXPECT_FALSE(server->last().has_ended);
}

TEST_F(ParkedCallTest, ContinuesWithTheAnswers) {
    call_and_park();

    const auto second = come_back(R"("q1":{"roots": []},"extra":{})");
    EXPECT_EQ(parked(), 0U);
    ASSERT_EQ(server->last().replies->size(), 1U);
    EXPECT_EQ(server->last().replies->at(0).body, R"({"roots": []})");
    EXPECT_EQ(server->calls.size(), 1U);
    answer(server->last(), legacy_result(R"({"content":[]})"));

    EXPECT_EQ(second->answer(),
              R"({"jsonrpc":"2.0","id":2,"result":{"resultType":"complete","content":[]}})");
    EXPECT_EQ(first->ends(), 1U);
}

TEST_F(ParkedCallTest, BatchesQuestionsThatArriveTogether) {
    first = request(Modern{}, "tools/call", kTool);
    ask();
    loop.run_for(4ms);
    ask("sampling/createMessage", R"({"x":1})");
    EXPECT_EQ(first->ends(), 0U);
    loop.run_for(1ms);

    EXPECT_NE(first->answer().find(R"("inputRequests":{"q1":{"method":"roots/list"},)"
                                   R"("q2":{"method":"sampling/createMessage","params":{"x":1}}})"),
              std::string::npos);
}

TEST_F(ParkedCallTest, RefusesWhatTheAgentCannotDo) {
    first = request(Modern{.capabilities = "{}"}, "tools/call", kTool);

    ask();
    ask("elicitation/create", "{}");
    loop.run_for(10ms);

    EXPECT_EQ(first->ends(), 0U);
    EXPECT_TRUE(server->last().replies->at(0).is_error);
    EXPECT_EQ(server->last().replies->at(1).body, R"({"action":"cancel"})");
}

TEST_F(ParkedCallTest, AsksAgainForWhatIsMissing) {
    first = request(Modern{}, "tools/call", kTool);
    ask();
    ask();
    loop.run_for(5ms);

    const auto second = come_back(R"("q2":{})");

    EXPECT_NE(
        second->answer().find(R"("inputRequests":{"q1":{"method":"roots/list"}},"requestState":)"
                              R"("holdfast:secret2")"),
        std::string::npos);
    EXPECT_TRUE(is_refused(come_back(R"("q1":{})", "secret1")));
    const auto third = come_back(R"("q1":{})", "secret2");
    answer(server->last(), legacy_result("{}"));
    EXPECT_EQ(third->ends(), 1U);
    EXPECT_EQ(server->last().replies->size(), 2U);
}

TEST_F(ParkedCallTest, ParksAgainForASecondQuestion) {
    call_and_park();
    const auto second = come_back(R"("q1":{})");

    ask();
    loop.run_for(5ms);
    EXPECT_NE(second->answer().find(R"("q2":{"method":"roots/list"})"), std::string::npos);
    const auto third = come_back(R"("q2":{})", "secret2");
    answer(server->last(), legacy_result("{}"));

    EXPECT_EQ(third->answer(), R"({"jsonrpc":"2.0","id":2,"result":{"resultType":"complete"}})");
}

TEST_F(ParkedCallTest, AsksQuestionsThatArrivedWhileTheAgentWasAway) {
    call_and_park();
    ask("sampling/createMessage", "{}");

    const auto second = come_back(R"("q1":{})");

    EXPECT_NE(second->answer().find(R"("inputRequests":{"q2":{"method":"sampling/createMessage")"),
              std::string::npos);
}

TEST_F(ParkedCallTest, StoresTheAnswerUntilTheAgentReturns) {
    call_and_park();
    answer(server->last(), legacy_result(R"({"content":[]})"));
    EXPECT_EQ(parked(), 1U);

    const auto second = come_back(R"("q1":{})");

    EXPECT_EQ(second->answer(),
              R"({"jsonrpc":"2.0","id":2,"result":{"resultType":"complete","content":[]}})");
    EXPECT_EQ(parked(), 0U);
}

TEST_F(ParkedCallTest, StoresTheFaultUntilTheAgentReturns) {
    call_and_park();
    answer(server->last(), CallFault{.message = "It crashed"});

    const auto second = come_back("");

    EXPECT_NE(second->answer().find("CONNECTION_LOST"), std::string::npos);
    EXPECT_TRUE(second->answer().starts_with(R"({"jsonrpc":"2.0","id":2,)"));
}

TEST_F(ParkedCallTest, BelongsToItsPrincipal) {
    call_and_park();

    EXPECT_TRUE(is_refused(come_back(R"("q1":{})", "secret1", {.principal = "bob"})));

    EXPECT_EQ(parked(), 1U);
    EXPECT_TRUE(server->last().replies->empty());
    come_back(R"("q1":{})");
    EXPECT_EQ(server->last().replies->size(), 1U);
}

TEST_F(ParkedCallTest, BelongsToItsToolAndArguments) {
    call_and_park();
    for (const std::string tool :
         {R"("name":"t","arguments":{"a":2,"b":[1.0]})", R"("name":"t","arguments":{"a":1})",
          R"("name":"t")", R"("name":"safe","arguments":{"a":1,"b":[1.0]})"}) {
        EXPECT_TRUE(is_refused(come_back(R"("q1":{})", "secret1", {}, tool))) << tool;
    }
    EXPECT_EQ(parked(), 1U);

    const auto second =
        come_back(R"("q1":{})", "secret1", {}, R"("arguments":{ "b":[ 1.0 ],"a":1},"name":"t")");

    EXPECT_EQ(parked(), 0U);
    EXPECT_EQ(second->ends(), 0U);
}

TEST_F(ParkedCallTest, IsRefusedIfItIsUnknown) {
    EXPECT_TRUE(is_refused(come_back("", "never")));
    call_and_park();
    come_back(R"("q1":{})");
    EXPECT_TRUE(is_refused(come_back(R"("q1":{})")));
    EXPECT_EQ(server->last().replies->size(), 1U);
}

TEST_F(ParkedCallTest, AnAgentThatReturnsToAStoppedGatewayIsWarnedOfSideEffects) {
    call_and_park();
    boost::asio::co_spawn(loop.context, gateway().stop(), [](const std::exception_ptr&) {});
    loop.run_for(5ms);
    ASSERT_EQ(parked(), 0U);

    const auto stranger = come_back(R"("q1":{"roots":[]})", "secret1", {.principal = "eve"});
    const auto returned = come_back(R"("q1":{"roots":[]})");
    const auto again = come_back(R"("q1":{"roots":[]})");

    EXPECT_TRUE(is_refused(stranger)) << stranger->answer();
    for (const test::Port& port : {returned, again}) {
        const std::string answer = port->answer();
        EXPECT_FALSE(is_refused(port)) << answer;
        EXPECT_NE(answer.find(R"("code":"SHUTTING_DOWN")"), std::string::npos) << answer;
        EXPECT_NE(answer.find(R"("retryable":false,"sideEffects":"possible")"), std::string::npos)
            << answer;
        EXPECT_NE(answer.find("may have taken effect. Verify before retrying."), std::string::npos)
            << answer;
    }
    EXPECT_EQ(server->calls.size(), 1U);
}

TEST_F(ParkedCallTest, EndsWhenTheAgentDoesNotReturn) {
    call_and_park();

    loop.run_for(2min - 1ms);
    EXPECT_EQ(parked(), 1U);
    loop.run_for(1ms);

    EXPECT_EQ(parked(), 0U);
    EXPECT_TRUE(server->last().is_cancelled);
    EXPECT_EQ(server->last().replies->at(0).body, "dropped");
    EXPECT_TRUE(is_refused(come_back(R"("q1":{})")));
}

TEST_F(ParkedCallTest, ContinuesWithTheRemainingTime) {
    first = request(Modern{}, "tools/call", kTool);
    loop.run_for(50s);
    ask();
    loop.run_for(2min);
    const auto second = come_back(R"("q1":{})");

    loop.run_for(9'999ms);
    EXPECT_EQ(second->ends(), 0U);
    loop.run_for(1ms);

    EXPECT_NE(second->answer().find("TIMEOUT"), std::string::npos);
}

TEST_F(ParkedCallTest, FreesItsSlotWhenItIsCancelled) {
    call_and_park();

    on_loop([&] { first->gone(); });

    EXPECT_EQ(parked(), 0U);
    EXPECT_TRUE(server->last().is_cancelled);
}

TEST_F(ParkedCallTest, CanBeCancelledAfterItContinued) {
    call_and_park();
    const auto second = come_back(R"("q1":{})");

    on_loop([&] { second->gone(); });

    EXPECT_EQ(second->abandoned, 1U);
    EXPECT_TRUE(server->last().is_cancelled);
}

TEST_F(ParkedCallTest, SendsProgressToTheCurrentRequest) {
    call_and_park();
    on_loop([&] { server->last().notify("notifications/progress", R"({"progress":1})"); });
    const auto second =
        come_back(R"("q1":{})", "secret1", {.more_meta = R"(,"progressToken":"new")"});

    on_loop([&] { server->last().notify("notifications/progress", R"({"progress":1})"); });

    EXPECT_TRUE(first->sent.empty());
    ASSERT_EQ(second->sent.size(), 1U);
    EXPECT_NE(second->sent[0].find(R"("progressToken":"new")"), std::string::npos);
}

TEST_F(ParkedCallTest, FreesTheRequestIdOfItsSession) {
    const auto session = connect();
    first = request(Modern{.session = session}, "tools/call", kTool);
    ask();
    EXPECT_FALSE(session->is_idle());
    loop.run_for(5ms);
    EXPECT_TRUE(session->is_idle());

    const auto second = come_back(R"("q1":{})", "secret2", {.session = session});
    EXPECT_FALSE(session->is_idle());
    notify(*session, "notifications/cancelled", R"({"requestId":2})");

    EXPECT_EQ(second->abandoned, 1U);
    EXPECT_TRUE(session->is_idle());
}

TEST_F(ParkedCallTest, TurnsPagesToVisitIntoQuestions) {
    first = request(Modern{}, "tools/call", kTool);
    answer(server->last(),
           error_answer(-32042, R"("message":"Sign in","data":{"elicitations":[{"mode":"url",)"
                                R"("elicitationId":"e","url":"u:","message":"m"}]})"));

    EXPECT_NE(first->answer().find(R"("inputRequests":{"q1":{"method":"elicitation/create",)"
                                   R"("params":{"mode":"url","url":"u:","message":"m"}}})"),
              std::string::npos);
    const auto second = come_back(R"("q1":{"action":"accept"})");
    ASSERT_EQ(server->calls.size(), 2U);
    EXPECT_EQ(server->last().request.params_members, kTool);
    answer(server->last(), legacy_result("{}"));

    EXPECT_EQ(second->answer(), R"({"jsonrpc":"2.0","id":2,"result":{"resultType":"complete"}})");
}

TEST_F(ParkedCallTest, FailsIfTheAgentCannotVisitPages) {
    const auto error =
        error_answer(-32042, R"("message":"Sign in","data":{"elicitations":[{"mode":"url"}]})");
    first = request(Modern{.capabilities = "{}"}, "tools/call", kTool);
    answer(server->last(), error);

    EXPECT_NE(first->answer().find(R"("code":-32603,"message":"Sign in")"), std::string::npos);
    EXPECT_EQ(parked(), 0U);
}

TEST_F(ParkedCallTest, FailsIfThereAreNoPages) {
    first = request(Modern{}, "tools/call", kTool);

    answer(server->last(), error_answer(-32042, R"("message":"Sign in","data":7)"));

    EXPECT_NE(first->answer().find("-32603"), std::string::npos);
}

class FullParkTest : public ParkedCallTest {
protected:
    void SetUp() override {
        options.max_parked_calls = 1;
        ParkedCallTest::SetUp();
    }
};

TEST_F(FullParkTest, FailsACallThatCannotBeParked) {
    call_and_park();
    const auto other = request(Modern{}, "tools/call", R"("name":"t")", "9");
    ask();

    loop.run_for(5ms);

    EXPECT_NE(other->answer().find("OVERLOADED"), std::string::npos);
    EXPECT_TRUE(server->last().is_cancelled);
    EXPECT_EQ(parked(), 1U);
}

/// A tool of another server answers while the circuit of the requested one is open.
class SubstitutedParkTest : public ParkedCallTest {
protected:
    void SetUp() override {
        policy = R"({"retry": "none", "circuit": {"failures": 1, "open": "1h"}})";
        tool_rules = R"([{"match": "box.t", "fallback": "spare.safe"}])";
        spare = add_server("spare", Era::legacy);
        ParkedCallTest::SetUp();
    }
    void call_and_park_at_spare() {
        request(Modern{}, "tools/call", kBoxTool);
        answer(server->last(), CallFault{.kind = CallFault::Kind::malformed, .message = "junk"});
        first = request(Modern{}, "tools/call", kBoxTool);
        ASSERT_EQ(spare->calls.size(), 1U);
        on_loop([&] { spare->last().ask("roots/list", ""); });
        loop.run_for(5ms);
        ASSERT_EQ(parked(), 1U);
    }

    static constexpr const char* kBoxTool = R"("name":"box__t","arguments":{"a":1})";
    static constexpr const char* kSpareTool = R"("name":"spare__safe","arguments":{"a":1})";
    std::shared_ptr<test::FakeServer> spare;
};

TEST_F(SubstitutedParkTest, ContinuesUnderTheNameThatTheAgentCalled) {
    call_and_park_at_spare();

    const auto second = come_back(R"("q1":{"roots":[]})", "secret1", {}, kBoxTool);
    EXPECT_EQ(parked(), 0U);
    answer(spare->last(), legacy_result(R"({"content":[]})"));

    ASSERT_EQ(spare->last().replies->size(), 1U);
    EXPECT_NE(second->answer().find(R"("content":[)"), std::string::npos) << second->answer();
}

TEST_F(SubstitutedParkTest, DoesNotContinueUnderTheNameOfTheSubstitute) {
    call_and_park_at_spare();

    EXPECT_TRUE(is_refused(come_back(R"("q1":{})", "secret1", {}, kSpareTool)));

    EXPECT_EQ(parked(), 1U);
}

TEST_F(SubstitutedParkTest, BelongsToItsServer) {
    first = request(Modern{}, "tools/call", kBoxTool);
    ask();
    loop.run_for(5ms);
    const std::string tool_of_spare = R"("name":"spare__t","arguments":{"a":1})";

    EXPECT_TRUE(is_refused(come_back(R"("q1":{})", "secret1", {}, tool_of_spare)));

    EXPECT_EQ(parked(), 1U);
}

}  // namespace
}  // namespace holdfast::calls
