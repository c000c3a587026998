// Calls with invalid arguments: the server never sees them, and the agent learns what would be
// valid.

#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "end_to_end/leg_pairs.hpp"
#include "support/test_agent/json_text.hpp"

namespace holdfast::test {
namespace {

class ArgumentSchemaTest : public testing::TestWithParam<LegPair> {
protected:
    void SetUp() override {
        const auto& [agent_leg, server_leg] = GetParam();
        scene_.add_fixture("fixture", server_leg, {"--broken-schema-tool"});
        const bool on_stdio = agent_leg.transport == AgentTransport::stdio;
        ASSERT_TRUE(scene_.start(on_stdio ? std::vector<std::string>{"--stdio"}
                                          : std::vector<std::string>{}));
        agent_ = std::make_unique<TestAgent>(scene_.agent(agent_leg));
        ASSERT_TRUE(agent_->open());
        ASSERT_TRUE(agent_->finds_tool("broken_schema"));
    }

    [[nodiscard]] TestAgent& agent() const { return *agent_; }
    [[nodiscard]] Scene& scene() { return scene_; }

private:
    Scene scene_;
    std::unique_ptr<TestAgent> agent_;
};

TEST_P(ArgumentSchemaTest, SendsNoInvalidCallAndShowsAValidExample) {
    ASSERT_EQ(agent().call("call_count"), "1");

    const std::string answer =
        agent().request(tool_call("echo", R"({"txet":"a","password":"hunter2"})"));

    EXPECT_EQ(agent().call("call_count"), "2") << "the call in between was sent";
    EXPECT_EQ(member_text(answer, "isError"), "true") << answer;
    EXPECT_EQ(member_text(answer, "code"), "\"INVALID_ARGUMENTS\"") << answer;
    EXPECT_EQ(member_text(answer, "retryable"), "false") << answer;
    EXPECT_EQ(member_text(answer, "sideEffects"), "\"none\"") << answer;
    EXPECT_EQ(member_text(answer, "example"), R"({"text":"a","password":"[redacted]"})") << answer;
    EXPECT_EQ(answer.find("hunter2"), std::string::npos) << answer;
    EXPECT_NE(answer.find("Error calling tool 'echo':"), std::string::npos) << answer;
    EXPECT_NE(answer.find(R"(rename \"txet\" to \"text\")"), std::string::npos) << answer;
    EXPECT_NE(answer.find("Available parameters: text (string, required)"), std::string::npos)
        << answer;
}

TEST_P(ArgumentSchemaTest, TreatsMissingArgumentsAsEmpty) {
    AgentRequest call = tool_call("echo");
    call.params = R"("name":"echo")";

    const std::string answer = agent().request(call);

    EXPECT_EQ(member_text(answer, "code"), "\"INVALID_ARGUMENTS\"") << answer;
    EXPECT_EQ(member_text(answer, "example"), R"({"text":"text"})") << answer;
}

TEST_P(ArgumentSchemaTest, CallsAToolWithAnInvalidSchemaAndReportsItOnce) {
    EXPECT_EQ(agent().call("broken_schema", R"({"n":"no number"})"), "This is broken_schema.");
    EXPECT_EQ(agent().call("broken_schema"), "This is broken_schema.");

    EXPECT_NE(scene().gateway().program().rest_of_error_line(
                  "tool \"broken_schema\": arguments are not validated, invalid schema at "
                  "#/properties/n/type: "),
              "");
    EXPECT_EQ(member_text(agent().request(tool_call("echo", R"({"text":7})")), "code"),
              "\"INVALID_ARGUMENTS\"")
        << "the other tools are checked";
}

INSTANTIATE_TEST_SUITE_P(Legs, ArgumentSchemaTest,
                         testing::Combine(testing::ValuesIn(kAgentLegs),
                                          testing::Values(kServerLegs[0], kServerLegs[5])),
                         name_of_pair);

}  // namespace
}  // namespace holdfast::test
