#include "unit/downstream/stream_link_fixture.hpp"

namespace holdfast::downstream {
namespace {

/// Requests of the downstream.
class StreamLinkQuestionTest : public StreamLinkFixture {
protected:
    void say_question(std::string_view id) {
        say(R"({"jsonrpc":"2.0","id":)" + std::string{id} +
            R"(,"method":"elicitation/create","params":{"message":"m"}})");
    }
    static bool is_error(const std::string& text, int code) {
        return text.find(R"("error":{"code":)" + std::to_string(code)) != std::string::npos;
    }

    static Request modern_call(const std::string& client, const std::string& key) {
        Request request = tool_call();
        request.agent =
            std::make_shared<AgentIdentity>(AgentIdentity{.key = key, .client = client});
        return request;
    }

    std::shared_ptr<RecordingCallListener> one = std::make_shared<RecordingCallListener>();
    std::shared_ptr<RecordingCallListener> two = std::make_shared<RecordingCallListener>();
};

INSTANTIATE_TEST_SUITE_P(CallStyles, StreamLinkQuestionTest,
                         ::testing::Values(testing::CallStyle::coroutine,
                                           testing::CallStyle::observer),
                         testing::name_of_style);

TEST_P(StreamLinkQuestionTest, AnswersPingBeforeQueuedCalls) {
    open_legacy();
    const Call waiting = call(tool_call());

    say(R"({"jsonrpc":"2.0","id":"p","method":"ping"})");

    EXPECT_EQ(sent(), R"({"jsonrpc":"2.0","id":"p","result":{}})");
}

TEST_P(StreamLinkQuestionTest, AsksTheOnlyCall) {
    open_legacy();
    const Call started = quiet_call(call_of("a"), one);

    say_question("5");
    ASSERT_EQ(one->questions.size(), 1U);
    EXPECT_EQ(one->questions[0].method, "elicitation/create");
    EXPECT_EQ(one->questions[0].params, R"({"message":"m"})");
    one->questions[0].answer({.body = R"({"action":"accept"})"});
    one->questions[0].answer({.body = R"({"action":"cancel"})"});
    one->questions.clear();
    loop.settle();

    EXPECT_EQ(sent(), R"({"jsonrpc":"2.0","id":5,"result":{"action":"accept"}})");
    EXPECT_EQ(sent(), "");
}

TEST_P(StreamLinkQuestionTest, ForwardsAnError) {
    open_legacy();
    const Call started = quiet_call(call_of("a"), one);

    say_question("5");
    one->questions[0].answer({.is_error = true, .body = R"({"code":-1,"message":"no"})"});
    loop.settle();

    EXPECT_EQ(sent(), R"({"jsonrpc":"2.0","id":5,"error":{"code":-1,"message":"no"}})");
}

TEST_P(StreamLinkQuestionTest, AsksTheLatestCallOfOneSession) {
    open_legacy();
    const Call first = quiet_call(call_of("a"), one);
    const Call second = quiet_call(call_of("a"), two);

    say_question("5");

    EXPECT_TRUE(one->questions.empty());
    EXPECT_EQ(two->questions.size(), 1U);
}

TEST_P(StreamLinkQuestionTest, AsksTheLinksOwnerWhenSeveralAgentsMayBeMeant) {
    open_legacy();
    const Call first = quiet_call(call_of("a"), one);
    const Call second = quiet_call(call_of("b"), two);

    say_question("5");

    EXPECT_TRUE(one->questions.empty());
    EXPECT_TRUE(two->questions.empty());
    EXPECT_EQ(listener->questions.size(), 1U);
}

TEST_P(StreamLinkQuestionTest, AsksTheLatestCallOfOnePrincipalAndClient) {
    open_legacy();
    const Call first = quiet_call(modern_call("ada", "a"), one);
    const Call second = quiet_call(modern_call("ada", "b"), two);

    say_question("5");

    EXPECT_TRUE(one->questions.empty());
    EXPECT_EQ(two->questions.size(), 1U);
}

TEST_P(StreamLinkQuestionTest, DoesNotGuessBetweenUnknownClients) {
    open_legacy();
    const Call first = quiet_call(modern_call("", "a"), one);
    const Call second = quiet_call(modern_call("", "a"), two);

    say_question("5");

    EXPECT_TRUE(one->questions.empty());
    EXPECT_TRUE(two->questions.empty());
    EXPECT_EQ(listener->questions.size(), 1U);
}

TEST_P(StreamLinkQuestionTest, AsksNoAgentShortlyAfterACallOfAnother) {
    open_legacy();
    const Call first = quiet_call(call_of("a"), one);
    const Call second = quiet_call(call_of("b"), two);
    say(R"({"jsonrpc":"2.0","id":1,"result":{}})");

    loop.run_for(4'999ms);
    say_question("5");
    EXPECT_TRUE(two->questions.empty());
    EXPECT_EQ(listener->questions.size(), 1U);

    loop.run_for(1ms);
    say_question("6");
    EXPECT_EQ(two->questions.size(), 1U);
    EXPECT_EQ(listener->questions.size(), 1U);
}

TEST_P(StreamLinkQuestionTest, AsksNoAgentShortlyAfterACancelledCallOfAnother) {
    open_legacy();
    Call first = quiet_call(call_of("a"), one);
    const Call second = quiet_call(call_of("b"), two);
    first.cancel();
    loop.settle();

    say_question("5");

    EXPECT_TRUE(two->questions.empty());
    EXPECT_EQ(listener->questions.size(), 1U);
}

TEST_P(StreamLinkQuestionTest, AsksAnAgentShortlyAfterItsOwnCall) {
    open_legacy();
    const Call first = quiet_call(call_of("a"), one);
    const Call second = quiet_call(call_of("a"), two);
    say(R"({"jsonrpc":"2.0","id":1,"result":{}})");

    say_question("5");

    EXPECT_EQ(two->questions.size(), 1U);
}

TEST_P(StreamLinkQuestionTest, AnAbandonedQuestionBlocksNoOtherAgent) {
    open_legacy();
    const Call abandoned = quiet_call(call_of("a"), one);
    say_question("5");
    ASSERT_EQ(one->questions.size(), 1U);

    const Call other = quiet_call(call_of("b"), two);
    say_question("6");
    EXPECT_EQ(two->questions.size(), 1U);

    // Both wait now, so nobody is a candidate.
    say_question("7");
    EXPECT_EQ(one->questions.size(), 1U);
    EXPECT_EQ(two->questions.size(), 1U);
    EXPECT_EQ(listener->questions.size(), 1U);

    two->questions[0].answer({.body = "{}"});
    loop.settle();
    say_question("8");
    EXPECT_EQ(two->questions.size(), 2U);
}

TEST_P(StreamLinkQuestionTest, AsksTheCallThatDoesNotWait) {
    open_legacy();
    const Call running = quiet_call(call_of("a"), one);
    const Call asked = quiet_call(call_of("a"), two);
    say_question("5");
    ASSERT_EQ(two->questions.size(), 1U);

    say_question("6");

    EXPECT_EQ(one->questions.size(), 1U);
    EXPECT_EQ(two->questions.size(), 1U);
}

TEST_P(StreamLinkQuestionTest, AsksTheOnlyCallSeveralQuestions) {
    open_legacy();
    const Call started = quiet_call(call_of("a"), one);

    say_question("5");
    say_question("6");

    EXPECT_EQ(one->questions.size(), 2U);
}

TEST_P(StreamLinkQuestionTest, AsksTheLinksOwnerWhenNoAgentHasACall) {
    open_legacy();
    const Call gateways_own = quiet_call({.method = "tools/list"});

    say(R"({"jsonrpc":"2.0","id":5,"method":"roots/list"})");

    ASSERT_EQ(listener->questions.size(), 1U);
    EXPECT_EQ(listener->questions[0].params, "");
}

TEST_P(StreamLinkQuestionTest, RefusesForAnAgentThatDoesNotListen) {
    open_legacy();
    const Call started = quiet_call(call_of("a"));

    say_question("5");

    EXPECT_TRUE(is_error(sent(), -32603));
    EXPECT_TRUE(listener->questions.empty());
}

TEST_P(StreamLinkQuestionTest, RefusesADroppedQuestion) {
    open_legacy();
    const Call started = quiet_call(call_of("a"), one);

    say_question("5");
    EXPECT_EQ(sent(), "");
    one->questions.clear();
    loop.settle();

    EXPECT_TRUE(is_error(sent(), -32603));
}

TEST_P(StreamLinkQuestionTest, DropsTheAnswerToAWithdrawnQuestion) {
    open_legacy();
    const Call started = quiet_call(call_of("a"), one);
    say_question("5");

    say(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5}})");
    one->questions[0].answer({.body = "{}"});
    loop.settle();
    EXPECT_EQ(sent(), "");

    say_question("5");
    EXPECT_EQ(one->questions.size(), 2U);
}

TEST_P(StreamLinkQuestionTest, DropsTheLateAnswerToAnIdThatIsUsedAgain) {
    open_legacy();
    const Call started = quiet_call(call_of("a"), one);
    say_question("5");
    say(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5}})");
    say_question("5");

    one->questions[0].answer({.body = R"({"which":"old"})"});
    one->questions[1].answer({.body = R"({"which":"new"})"});
    loop.settle();

    EXPECT_EQ(sent(), R"({"jsonrpc":"2.0","id":5,"result":{"which":"new"}})");
    EXPECT_EQ(sent(), "");
}

TEST_P(StreamLinkQuestionTest, RefusesAnIdThatIsStillOpen) {
    open_legacy();
    const Call started = quiet_call(call_of("a"), one);

    say_question("5");
    say_question("5");

    EXPECT_EQ(one->questions.size(), 1U);
    EXPECT_TRUE(is_error(sent(), -32600));
}

TEST_P(StreamLinkQuestionTest, LimitsOpenQuestions) {
    open_legacy({.max_questions = 1});
    const Call started = quiet_call(call_of("a"), one);

    say_question("5");
    say_question("6");

    EXPECT_EQ(one->questions.size(), 1U);
    EXPECT_TRUE(is_error(sent(), -32603));
}

TEST_P(StreamLinkQuestionTest, RefusesUnknownMethods) {
    open_legacy();
    const Call started = quiet_call(call_of("a"), one);

    say(R"({"jsonrpc":"2.0","id":5,"method":"tools/list"})");

    EXPECT_TRUE(is_error(sent(), -32601));
    EXPECT_TRUE(one->questions.empty());
}

TEST_P(StreamLinkQuestionTest, RefusesEveryRequestOfAModernDownstream) {
    open_modern();
    const Call started = quiet_call(call_of("a"), one);

    say(R"({"jsonrpc":"2.0","id":5,"method":"ping"})");
    say_question("6");

    EXPECT_TRUE(is_error(sent(), -32601));
    EXPECT_TRUE(is_error(sent(), -32601));
    EXPECT_TRUE(one->questions.empty());
}

TEST_P(StreamLinkQuestionTest, DropsAnswersAfterItsEnd) {
    open_legacy();
    const Call started = quiet_call(call_of("a"), one);
    say_question("5");

    link.reset();
    one->questions[0].answer({.body = "{}"});
    loop.settle();

    EXPECT_EQ(sent(), "");
}

}  // namespace
}  // namespace holdfast::downstream
