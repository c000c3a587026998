// Every transport of an agent with every transport to a server: what works on one pair works on all
// of them.

#include <string>

#include <gtest/gtest.h>

#include "end_to_end/leg_pairs.hpp"
#include "support/process_watch.hpp"
#include "support/test_agent/json_text.hpp"

namespace holdfast::test {
namespace {

using CrossTableTest = LegPairTest;

TEST_P(CrossTableTest, CallsATool) {
    EXPECT_EQ(agent().call("echo", R"({"text":"from here to there"})"), "from here to there");
}

TEST_P(CrossTableTest, ReportsProgressInOrderBeforeTheAnswer) {
    AgentRequest call = tool_call("progress", R"({"steps":3,"ms":1})");
    call.meta = R"("progressToken":"my token")";

    const std::string answer = agent().request(call);

    EXPECT_NE(answer.find("Made 3 steps."), std::string::npos) << answer;
    for (const std::string step : {"1", "2", "3"}) {
        const std::string notice = agent().next_message_of("notifications/progress");
        EXPECT_EQ(member_text(notice, "progressToken"), "\"my token\"") << notice;
        EXPECT_EQ(member_text(notice, "progress"), step) << notice;
        EXPECT_EQ(member_text(notice, "total"), "3") << notice;
    }
}

TEST_P(CrossTableTest, CancelsTheCallAtTheServer) {
    AgentRequest call = tool_call("progress", R"({"steps":100000,"ms":1})");
    call.meta = R"("progressToken":0)";
    const std::string id = agent().send(call);
    ASSERT_NE(agent().next_message_of("notifications/progress"), "") << "it runs at the server";

    agent().cancel(id);

    EXPECT_TRUE(eventually([this] { return agent().call("cancel_count") == "1"; }));
    for (const std::string& message : agent().kept()) {
        EXPECT_FALSE(message.starts_with(R"({"jsonrpc":"2.0","id":)" + id)) << message;
    }
}

TEST_P(CrossTableTest, RelaysAQuestionToTheAgentAndItsAnswerBack) {
    const std::string answer = agent().call_and_fill_in(
        tool_call("ask", R"({"kind":"elicitation"})"), R"({"text":"all is well"})");

    EXPECT_EQ(plain_text(member_text(answer, "text")),
              R"({"action":"accept","content":{"text":"all is well"}})")
        << answer;
}

INSTANTIATE_TEST_SUITE_P(Legs, CrossTableTest, all_leg_pairs(), name_of_pair);

}  // namespace
}  // namespace holdfast::test
