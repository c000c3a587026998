#include "agents/agent_session.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "support/gateway/recording_port.hpp"

namespace holdfast::agents {
namespace {

using downstream::QuestionAnswer;
using test::RecordingOutlet;
using test::RecordingPort;

class CountingCall final : public AgentCall {
public:
    void cancel() override { ++cancels; }

    int cancels = 0;
};

class AgentSessionTest : public ::testing::Test {
protected:
    /// Returns a handler that records the answers.
    AgentSession::AnswerHandler recorder() {
        return [this](const QuestionAnswer& answer) { got.push_back(answer); };
    }

    AgentSession session{
        "key",
        "ada",
        {.max_calls = 2, .max_questions = 2, .max_subscriptions = 2, .max_backlog = 2}};
    std::shared_ptr<RecordingOutlet> outlet = std::make_shared<RecordingOutlet>();
    RecordingPort port;
    std::vector<QuestionAnswer> got;
};

TEST_F(AgentSessionTest, AcceptsAnIdOnceUntilItsCallEnds) {
    const auto call = std::make_shared<CountingCall>();

    EXPECT_TRUE(session.try_enter("1", call));
    EXPECT_FALSE(session.try_enter("1", call));
    EXPECT_TRUE(session.try_enter("\"1\"", call));

    session.leave("1");
    EXPECT_TRUE(session.try_enter("1", call));
}

TEST_F(AgentSessionTest, LimitsTheCallsInFlight) {
    const auto call = std::make_shared<CountingCall>();
    ASSERT_TRUE(session.try_enter("1", call));
    ASSERT_TRUE(session.try_enter("2", call));

    EXPECT_FALSE(session.try_enter("3", call));
    session.leave("1");
    EXPECT_TRUE(session.try_enter("3", call));
}

TEST_F(AgentSessionTest, CancelsOnlyTheCallWithTheId) {
    const auto one = std::make_shared<CountingCall>();
    const auto other = std::make_shared<CountingCall>();
    ASSERT_TRUE(session.try_enter("1", one));
    ASSERT_TRUE(session.try_enter("\"1\"", other));

    session.cancel("1");
    session.cancel("2");

    EXPECT_EQ(one->cancels, 1);
    EXPECT_EQ(other->cancels, 0);
}

TEST_F(AgentSessionTest, IgnoresADestroyedCall) {
    ASSERT_TRUE(session.try_enter("1", std::make_shared<CountingCall>()));

    session.cancel("1");
    session.end();
}

TEST_F(AgentSessionTest, AsksThroughThePortOfTheRequestFirst) {
    session.set_outlet(outlet);

    const auto number = session.ask("roots/list", "", &port, recorder());

    EXPECT_EQ(number, 1U);
    ASSERT_EQ(port.sent.size(), 1U);
    EXPECT_EQ(port.sent[0], R"({"jsonrpc":"2.0","id":"holdfast-1","method":"roots/list"})");
    EXPECT_TRUE(outlet->sent.empty());
}

TEST_F(AgentSessionTest, AsksThroughTheOutletIfThePortCannot) {
    RecordingPort deaf{false};
    session.set_outlet(outlet);

    EXPECT_TRUE(session.ask("a/b", R"({"x":1})", &deaf, recorder()));

    EXPECT_TRUE(deaf.sent.empty());
    EXPECT_EQ(outlet->sent.at(0),
              R"({"jsonrpc":"2.0","id":"holdfast-1","method":"a/b","params":{"x":1}})");
}

TEST_F(AgentSessionTest, CannotAskWithoutPortAndOutlet) {
    RecordingPort deaf{false};

    EXPECT_FALSE(session.ask("a", "", nullptr, recorder()));
    EXPECT_FALSE(session.ask("a", "", &deaf, recorder()));
    EXPECT_TRUE(session.is_idle());
}

TEST_F(AgentSessionTest, LimitsTheQuestions) {
    ASSERT_TRUE(session.ask("a", "", &port, recorder()));
    ASSERT_TRUE(session.ask("a", "", &port, recorder()));

    EXPECT_FALSE(session.ask("a", "", &port, recorder()));
}

TEST_F(AgentSessionTest, DeliversAnAnswerOnce) {
    ASSERT_TRUE(session.ask("a", "", &port, recorder()));

    EXPECT_TRUE(session.on_answer("\"holdfast-1\"", {.is_error = false, .body = "{}"}));
    EXPECT_FALSE(session.on_answer("\"holdfast-1\"", {.is_error = false, .body = "{}"}));

    ASSERT_EQ(got.size(), 1U);
    EXPECT_EQ(got[0].body, "{}");
}

TEST_F(AgentSessionTest, DropsUnsolicitedAnswers) {
    ASSERT_TRUE(session.ask("a", "", &port, recorder()));

    for (const std::string_view id :
         {"1", "\"1\"", "\"holdfast-2\"", "holdfast-1", "\"holdfast-1x\"", "\"holdfast-\"", "\"",
          "", "null", "\"holdfast--1\"", "\"holdfast-99999999999999999999\""}) {
        EXPECT_FALSE(session.on_answer(id, {})) << id;
    }
    EXPECT_TRUE(got.empty());
}

TEST_F(AgentSessionTest, LetsAHandlerUseTheSession) {
    ASSERT_TRUE(session.ask("a", "", &port, [this](const QuestionAnswer&) {
        EXPECT_TRUE(session.ask("b", "", &port, recorder()));
    }));

    EXPECT_TRUE(session.on_answer("\"holdfast-1\"", {}));
    EXPECT_EQ(port.sent.size(), 2U);
}

TEST_F(AgentSessionTest, CancelsAQuestionOnTheSamePath) {
    const auto number = session.ask("a", "", &port, recorder());
    ASSERT_TRUE(number);

    session.withdraw(*number, &port);
    session.withdraw(*number, &port);

    ASSERT_EQ(port.sent.size(), 2U);
    EXPECT_EQ(port.sent[1], R"({"jsonrpc":"2.0","method":"notifications/cancelled",)"
                            R"("params":{"requestId":"holdfast-1"}})");
    EXPECT_FALSE(session.on_answer("\"holdfast-1\"", {}));
    EXPECT_TRUE(got.empty());
}

TEST_F(AgentSessionTest, CancelsAQuestionThroughTheOutletWithoutAPort) {
    session.set_outlet(outlet);
    const auto number = session.ask("a", "", nullptr, recorder());
    ASSERT_TRUE(number);

    session.withdraw(*number, nullptr);

    EXPECT_EQ(outlet->sent.size(), 2U);
}

TEST_F(AgentSessionTest, StoresTheLastMessagesUntilThereIsAnOutlet) {
    session.tell("a");
    session.tell("a");
    session.tell("b");
    session.tell("c");

    session.set_outlet(outlet);
    session.tell("d");

    EXPECT_EQ(outlet->sent, (std::vector<std::string>{"b", "c", "d"}));
}

TEST_F(AgentSessionTest, EndsTheOutletThatIsReplaced) {
    const auto next = std::make_shared<RecordingOutlet>();
    session.set_outlet(outlet);

    session.set_outlet(next);
    session.tell("a");

    EXPECT_EQ(outlet->ends, 1);
    EXPECT_TRUE(outlet->sent.empty());
    EXPECT_EQ(next->sent.size(), 1U);
}

TEST_F(AgentSessionTest, DropsOnlyTheDisconnectedOutlet) {
    const auto next = std::make_shared<RecordingOutlet>();
    session.set_outlet(outlet);
    session.set_outlet(next);

    session.drop_outlet(outlet.get());
    session.tell("a");
    session.drop_outlet(next.get());
    session.tell("b");

    EXPECT_EQ(next->sent, (std::vector<std::string>{"a"}));
    EXPECT_EQ(next->ends, 0);
    EXPECT_TRUE(session.is_idle());
}

TEST_F(AgentSessionTest, KeepsSubscriptionsInOrderAndLimitsTheirNumber) {
    EXPECT_TRUE(session.subscribe("b:1"));
    EXPECT_TRUE(session.subscribe("a:1"));
    EXPECT_TRUE(session.subscribe("b:1"));
    EXPECT_FALSE(session.subscribe("c:1"));

    EXPECT_EQ(session.subscriptions(), (std::vector<std::string>{"b:1", "a:1"}));
    EXPECT_TRUE(session.is_subscribed("a:1"));
    EXPECT_TRUE(session.is_subscribed("a:1/part"));
    EXPECT_FALSE(session.is_subscribed("a:"));
    session.unsubscribe("b:1");
    session.unsubscribe("never");
    EXPECT_EQ(session.subscriptions(), (std::vector<std::string>{"a:1"}));
}

TEST_F(AgentSessionTest, EndsCallsQuestionsAndOutlet) {
    const auto call = std::make_shared<CountingCall>();
    ASSERT_TRUE(session.try_enter("1", call));
    session.set_outlet(outlet);
    ASSERT_TRUE(session.ask("a", "", nullptr, recorder()));

    session.end();
    session.end();

    EXPECT_EQ(call->cancels, 1);
    ASSERT_EQ(got.size(), 1U);
    EXPECT_TRUE(got[0].is_error);
    EXPECT_EQ(outlet->ends, 1);
    EXPECT_TRUE(session.is_idle());
}

TEST_F(AgentSessionTest, RejectsEverythingAfterItsEnd) {
    session.end();

    EXPECT_FALSE(session.try_enter("1", std::make_shared<CountingCall>()));
    EXPECT_FALSE(session.ask("a", "", &port, recorder()));
    session.tell("a");
    session.set_outlet(outlet);
    EXPECT_EQ(outlet->ends, 1);
    EXPECT_TRUE(outlet->sent.empty());
    EXPECT_TRUE(session.is_idle());
}

TEST_F(AgentSessionTest, IsIdleWithoutCallsQuestionsAndOutlet) {
    EXPECT_TRUE(session.is_idle());
    ASSERT_TRUE(session.ask("a", "", &port, recorder()));
    EXPECT_FALSE(session.is_idle());
    EXPECT_TRUE(session.on_answer("\"holdfast-1\"", {}));
    EXPECT_TRUE(session.is_idle());
}

TEST_F(AgentSessionTest, RemembersWhenItWasUsed) {
    const resilience::TimePoint now{std::chrono::hours{5}};

    session.touch(now);

    EXPECT_EQ(session.last_used(), now);
}

TEST_F(AgentSessionTest, ReplacesTheFirstHandshakeByTheSecond) {
    EXPECT_EQ(session.agent(), nullptr);
    session.set_agent(std::make_shared<const Agent>(Agent{.principal = "one"}));
    session.set_agent(std::make_shared<const Agent>(Agent{.principal = "two"}));

    EXPECT_EQ(session.agent()->principal, "two");
}

}  // namespace
}  // namespace holdfast::agents
