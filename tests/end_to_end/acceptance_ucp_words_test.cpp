// The preset `ucp`: the texts that help a model to correct its call.

#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "end_to_end/acceptance.hpp"
#include "support/test_agent/json_text.hpp"

namespace holdfast::test {
namespace {

constexpr int kRate = 20;

std::string search_tool() {
    return R"({"name":"search","description":"Finds things.","inputSchema":{"type":"object",)"
           R"("properties":{"a":{"type":"string"},"b":{"type":"integer"},)"
           R"("password":{"type":"string"}},"required":["a"],"additionalProperties":false}})";
}

std::vector<std::string> tools() {
    std::vector<std::string> all{search_tool(), read_only_tool("read")};
    for (int i = 0; i < 12; ++i) {
        all.push_back(unmarked_tool("serch_" + std::to_string(i)));
    }
    return all;
}

class UcpWords : public testing::TestWithParam<AgentLeg> {
protected:
    void start() {
        scene_.scene().add_server("store", server_.stdio_entry());
        scene_.scene().add_section(R"("preset":"ucp")");
        scene_.start(GetParam(), kRate, "search");
    }

    TroubledServer server_{tools()};
    Acceptance scene_;
};

TEST_P(UcpWords, AFailureHasTheTextOfTheContract) {
    start();
    server_.does({"rpc -32000 the index is gone"});

    const std::string answer =
        scene_.answer("search", R"({"a":"cats","password":"hunter2hunter2"})");

    EXPECT_EQ(text_in(answer),
              "Error calling tool 'search':\n"
              "  the index is gone\n"
              "  Tool description: Finds things.\n"
              "  Available parameters: a (string, required), b (integer), password (string)\n"
              "  You sent: {\"a\":\"cats\",\"password\":\"[redacted]\"}\n"
              "  Please try again with:\n"
              "    - Different or corrected arguments\n"
              "    - A different tool if this one is unavailable");
    EXPECT_TRUE(has(answer, R"("isError":true)"));
    EXPECT_FALSE(has(answer, "hunter2hunter2"));
}

TEST_P(UcpWords, InvalidArgumentsAreNotSent) {
    start();

    const std::string answer =
        scene_.answer("search", R"({"b":"many","password":"hunter2hunter2"})");

    EXPECT_EQ(server_.arrival_count(), 0U);
    const std::string text = text_in(answer);
    EXPECT_TRUE(has(text, "Error calling tool 'search':\n")) << text;
    EXPECT_TRUE(has(text, "\n  Tool description: Finds things.\n")) << text;
    EXPECT_TRUE(has(
        text, "\n  Available parameters: a (string, required), b (integer), password (string)\n"))
        << text;
    EXPECT_TRUE(has(text, "\n  You sent: {\"b\":\"many\",\"password\":\"[redacted]\"}\n")) << text;
    EXPECT_TRUE(has(text, "\n  Please try again with:\n")) << text;
    EXPECT_TRUE(has(text, "orrected arguments")) << text;
    EXPECT_TRUE(has(text, R"({"a":)")) << "an example: " << text;
    EXPECT_TRUE(has(answer, R"("code":"INVALID_ARGUMENTS")")) << answer;
    EXPECT_FALSE(has(answer, "hunter2hunter2"));
}

TEST_P(UcpWords, TextOfTheServerDoesNotSelectAClass) {
    start();
    server_.does({"rpc -32000 rate limit exceeded"});

    EXPECT_TRUE(has(text_in(scene_.answer("read")), "rate limit exceeded"));
    EXPECT_EQ(server_.arrival_count(), 1U);
}

TEST_P(UcpWords, AnUnknownToolListsTheNearestNamesTenAtMost) {
    start();

    const std::string answer = scene_.answer("serch");

    EXPECT_TRUE(has(answer, R"("error":)")) << answer;
    EXPECT_TRUE(has(answer, "TOOL_NOT_FOUND")) << answer;
    const std::string message = plain_text(member_text(answer, "message"));
    EXPECT_TRUE(has(message, "search")) << answer;
    EXPECT_LT(message.find("search"), message.find("serch_")) << message;
    int listed = 0;
    for (int i = 0; i < 12; ++i) {
        listed += has(message, "serch_" + std::to_string(i)) ? 1 : 0;
    }
    EXPECT_GE(listed, 8) << message;
    EXPECT_LE(std::ranges::count(message, ','), 10) << message;
    EXPECT_FALSE(has(message, "\"read\"")) << message;
    EXPECT_EQ(server_.arrival_count(), 0U);
}

TEST_P(UcpWords, ListsToolsWithoutAnExplicitIndex) {
    start();
    const std::string list = scene_.agent().request({.method = "tools/list"});
    EXPECT_TRUE(has(list, "Finds things.")) << list;
    EXPECT_TRUE(has(list, "serch_11")) << list;
}

TEST_P(UcpWords, AToolCanBeCalledByAnAgentThatNeverListedTools) {
    scene_.scene().add_server("store", server_.stdio_entry());
    scene_.scene().add_section(R"("preset":"ucp")");
    const bool is_stdio = GetParam().transport == AgentTransport::stdio;
    ASSERT_TRUE(scene_.scene().start(is_stdio ? std::vector<std::string>{"--stdio"}
                                              : std::vector<std::string>{}));
    server_.does({"ok at once"});
    TestAgent agent = scene_.scene().agent(GetParam());
    ASSERT_TRUE(agent.open());

    EXPECT_EQ(agent.call("read"), "at once");
    EXPECT_TRUE(has(agent.request(tool_call("raed")), "TOOL_NOT_FOUND"));
}

TEST_P(UcpWords, ImagesAndStructuredContentArePassedOnUnchanged) {
    start();
    const std::string result =
        R"({"content":[{"type":"image","data":"aGk=","mimeType":"image/png"}],)"
        R"("structuredContent":{"n":1.50,"list":[1,2]}})";
    server_.does({"result " + result});

    EXPECT_EQ(scene_.result("read"), result);
}

INSTANTIATE_TEST_SUITE_P(Agent, UcpWords, testing::ValuesIn(kAcceptanceLegs), leg_name);

/// Tools that can replace others.
class UcpAlternatives : public testing::TestWithParam<AgentLeg> {};

TEST_P(UcpAlternatives, AreNamedWhileTheyAreHealthyAndTriedWhileTheCircuitIsOpen) {
    TroubledServer bad{{read_only_tool("read")}};
    TroubledServer good{{read_only_tool("read")}};
    Acceptance scene;
    scene.scene().add_server("bad", bad.stdio_entry());
    scene.scene().add_server("good", good.stdio_entry());
    scene.scene().add_section(R"("preset":"ucp")");
    scene.scene().add_section(R"("tools":[{"match":"bad.read","alternatives":["good.read"]}])");
    scene.start(GetParam(), kRate, "bad__read");
    ASSERT_TRUE(scene.agent().finds_tool("good__read"));
    bad.does({"junk"});
    good.does({"ok from the other one"});

    const std::string first = scene.answer("bad__read");
    EXPECT_TRUE(has(text_in(first), "- One of these tools, which are available now: good__read"))
        << first;
    std::ignore = scene.answer("bad__read");

    EXPECT_EQ(text_in(scene.answer("bad__read")), "from the other one");
    EXPECT_EQ(good.arrival_count(), 1U);
    EXPECT_EQ(bad.arrival_count(), 5U);
}

INSTANTIATE_TEST_SUITE_P(Agent, UcpAlternatives, testing::ValuesIn(kAcceptanceLegs), leg_name);

}  // namespace
}  // namespace holdfast::test
