#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <string>
#include <string_view>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "end_to_end/gitnexus_scene.hpp"

// The preset `gitnexus`: the time limit of a call, the effects of its end, and what the agent
// receives. Each test is named after the figure that it shows.

namespace holdfast::test {
namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

using AcceptanceGitNexus = GitNexusTest;

INSTANTIATE_TEST_SUITE_P(Over, AcceptanceGitNexus,
                         ::testing::Values(kAgentLegs[0], kAgentLegs[1], kAgentLegs[4]),
                         name_of_leg);

TEST_P(AcceptanceGitNexus, QuickToolsHave60SecondsAndHeavyTools120) {
    start({}, "20");
    std::vector<std::string> quick;
    std::vector<std::string> heavy;
    const auto begin = Clock::now();
    for (const std::string& tool : kQuickTools) {
        quick.push_back(agent().send(tool_call(tool)));
    }
    for (const std::string& tool : kHeavyTools) {
        heavy.push_back(agent().send(tool_call(tool)));
    }
    for (std::size_t count = 0; count < quick.size() + heavy.size(); ++count) {
        ASSERT_NE(page().next_call(), "");
    }

    // As a browser does for a busy page.
    const std::jthread answering_pings{[this](const std::stop_token& stop) {
        while (!stop.stop_requested()) {
            std::ignore = page().next("nothing", 50ms);
        }
    }};

    // Calls in flight keep their time limit, regardless of the circuit.
    for (const std::string& id : quick) {
        const std::string answer = agent().answer_to(id);
        EXPECT_GE(Clock::now() - begin, 60s / 20);
        EXPECT_EQ(code_in(answer), "TIMEOUT") << answer;
        EXPECT_NE(answer.find("did not answer within 60 s"), std::string::npos) << answer;
    }
    for (const std::string& id : heavy) {
        const std::string answer = agent().answer_to(id);
        EXPECT_GE(Clock::now() - begin, 120s / 20);
        EXPECT_EQ(code_in(answer), "TIMEOUT") << answer;
        EXPECT_NE(answer.find("did not answer within 120 s"), std::string::npos) << answer;
    }
}

TEST_P(AcceptanceGitNexus, ABridgeThatHangsIsATimeoutAndNotALostConnection) {
    start({}, "20");
    const auto begin = Clock::now();

    // The page reads nothing, so it does not answer pings either.
    const std::string answer = agent().request(tool_call("search"));

    EXPECT_GE(Clock::now() - begin, 60s / 20);
    EXPECT_EQ(code_in(answer), "TIMEOUT") << answer;
    // Without a call in flight it counts as disconnected.
    EXPECT_EQ(page().reason_of_close(), "no close");
    EXPECT_EQ(code_in(agent().request(tool_call("search"))), "CONNECTION_LOST");
}

TEST_P(AcceptanceGitNexus, VariablesSetTheTimesOnTheRealClock) {
    start({"GITNEXUS_TIMEOUT_QUICK=0.5", "GITNEXUS_TIMEOUT_HEAVY=1"});
    for (const auto& [tool, time] :
         {std::pair{"grep", 500ms}, std::pair{"other", 500ms}, std::pair{"impact", 1'000ms}}) {
        const auto begin = Clock::now();

        const std::string answer = unanswered_call(tool);

        EXPECT_GE(Clock::now() - begin, time) << tool;
        EXPECT_LT(Clock::now() - begin, 15s) << tool;
        EXPECT_EQ(code_in(answer), "TIMEOUT") << answer;
    }
}

TEST_P(AcceptanceGitNexus, ACallThatRunsOutOfTimeIsCancelledAndItsLateAnswerDropped) {
    start({"GITNEXUS_TIMEOUT_QUICK=0.5"});
    const std::string request = agent().send(tool_call("search"));
    const std::string call = page().next_call();
    ASSERT_EQ(code_in(agent().answer_to(request)), "TIMEOUT");

    const std::string cancelled = page().next("notifications/cancelled");
    EXPECT_EQ(member_text(cancelled, "requestId"), call) << cancelled;

    page().answer(call, "too late");
    expect_answered_call("in time");
    for (const std::string& message : agent().kept()) {
        EXPECT_EQ(message.find("too late"), std::string::npos) << message;
    }
}

TEST_P(AcceptanceGitNexus, NoCallIsRepeated) {
    start({"GITNEXUS_TIMEOUT_QUICK=0.5"});
    EXPECT_EQ(code_in(unanswered_call()), "TIMEOUT");

    const std::string next = agent().send(tool_call("grep"));

    const std::string call = page().next("tools/call");
    EXPECT_EQ(member_text(call, "name"), "\"grep\"") << call;
    page().answer(member_text(call, "id"), "fine");
    EXPECT_NE(agent().answer_to(next).find("fine"), std::string::npos);
}

TEST_P(AcceptanceGitNexus, EveryFailureSaysWhetherToRetry) {
    start({"GITNEXUS_TIMEOUT_QUICK=0.2"});

    for (int count = 0; count < 5; ++count) {
        const std::string answer = unanswered_call();
        EXPECT_EQ(code_in(answer), "TIMEOUT") << answer;
        EXPECT_EQ(member_text(answer, "isError"), "true") << answer;
        // It was sent, and the preset says that the tool is read-only.
        EXPECT_EQ(member_text(answer, "retryable"), "true") << answer;
        EXPECT_EQ(member_text(answer, "sideEffects"), "\"none\"") << answer;
    }
    const std::string answer = agent().request(tool_call("search"));
    EXPECT_EQ(code_in(answer), "CIRCUIT_OPEN") << answer;
    EXPECT_EQ(member_text(answer, "retryable"), "true") << answer;
    EXPECT_NE(member_text(answer, "retryAfter"), "") << answer;
}

TEST_P(AcceptanceGitNexus, ATimeoutOfAKnownToolMayBeRepeatedAndOfAnotherMayHaveTakenEffect) {
    start({"GITNEXUS_TIMEOUT_QUICK=0.2", "GITNEXUS_TIMEOUT_HEAVY=0.2"});
    for (const std::string tool : {"highlight", "cypher", "explore"}) {
        const std::string answer = unanswered_call(tool);
        EXPECT_EQ(code_in(answer), "TIMEOUT") << answer;
        EXPECT_EQ(member_text(answer, "retryable"), "true") << answer;
        EXPECT_EQ(member_text(answer, "sideEffects"), "\"none\"") << answer;
    }
    const std::string answer = unanswered_call("other");
    EXPECT_EQ(member_text(answer, "retryable"), "false") << answer;
    EXPECT_EQ(member_text(answer, "sideEffects"), "\"possible\"") << answer;
}

const std::string kTellingArguments = R"({"query":"MATCH all","token":"a-secret-word"})";

TEST_P(AcceptanceGitNexus, FailuresNameOnlyTheToolAndTheReason) {
    start({"GITNEXUS_TIMEOUT_HEAVY=0.2"});
    const std::string request = agent().send(tool_call("cypher", kTellingArguments));
    ASSERT_NE(page().next_call(), "");

    const std::string answer = agent().answer_to(request);

    EXPECT_EQ(member_text(answer, "tool"), "\"cypher\"") << answer;
    EXPECT_NE(answer.find("did not answer within 0.2 s"), std::string::npos) << answer;
    for (const std::string_view more :
         {"MATCH all", "a-secret-word", "arguments", "debug", "\"attempt", "\"server\""}) {
        EXPECT_EQ(answer.find(more), std::string::npos) << more << " in " << answer;
    }
}

void expect_debug_detail(const std::string& answer) {
    const std::string debug = member_text(answer, "debug");
    EXPECT_NE(debug.find(R"("query":"MATCH all")"), std::string::npos) << answer;
    EXPECT_NE(debug.find(R"("token":"[redacted]")"), std::string::npos) << answer;
    EXPECT_EQ(member_text(debug, "timeout"), "\"200ms\"") << answer;
    EXPECT_EQ(member_text(debug, "attempt"), "1") << answer;
    EXPECT_EQ(answer.find("a-secret-word"), std::string::npos) << answer;
}

TEST_P(AcceptanceGitNexus, DebugIsOnByAVariable) {
    start({"GITNEXUS_TIMEOUT_HEAVY=0.2", "GITNEXUS_DEBUG=true"});
    const std::string request = agent().send(tool_call("cypher", kTellingArguments));
    ASSERT_NE(page().next_call(), "");

    expect_debug_detail(agent().answer_to(request));
}

TEST_P(AcceptanceGitNexus, DebugIsRequestedForOneRequest) {
    start({"GITNEXUS_TIMEOUT_HEAVY=0.2"});
    AgentRequest asking = tool_call("cypher", kTellingArguments);
    asking.meta = R"("dev.holdfast/debug":true)";
    const std::string request = agent().send(asking);
    ASSERT_NE(page().next_call(), "");

    expect_debug_detail(agent().answer_to(request));
    EXPECT_EQ(member_text(unanswered_call("cypher"), "debug"), "");
}

TEST_P(AcceptanceGitNexus, DebugIsRequestedByAnArgumentOfCallTool) {
    scene.add_section(R"("surface":{"mode":"search","pinned":["cypher"]})");
    start({"GITNEXUS_TIMEOUT_HEAVY=0.2"});
    const std::string call = std::string{R"({"name":"cypher","arguments":)"} + kTellingArguments;
    const std::string asking = agent().send(tool_call("call_tool", call + R"(,"debug":true})"));
    ASSERT_NE(page().next_call(), "");
    expect_debug_detail(agent().answer_to(asking));

    const std::string plain = agent().send(tool_call("call_tool", call + "}"));
    ASSERT_NE(page().next_call(), "");
    EXPECT_EQ(member_text(agent().answer_to(plain), "debug"), "");
}

using AcceptanceGitNexusHeader = GitNexusTest;

INSTANTIATE_TEST_SUITE_P(Over, AcceptanceGitNexusHeader,
                         ::testing::Values(kAgentLegs[1], kAgentLegs[4]), name_of_leg);

TEST_P(AcceptanceGitNexusHeader, DebugIsRequestedByAHeader) {
    start({"GITNEXUS_TIMEOUT_HEAVY=0.2"}, "1", "Holdfast-Debug: 1\r\n");
    const std::string request = agent().send(tool_call("cypher", kTellingArguments));
    ASSERT_NE(page().next_call(), "");

    expect_debug_detail(agent().answer_to(request));
}

TEST_P(AcceptanceGitNexus, UnsolicitedAnswersChangeNothing) {
    start();
    const std::string request = agent().send(tool_call("search"));
    const std::string call = page().next_call();
    page().answer("987654", "of nobody");
    page().answer("\"" + call + "\"", "of a text");
    page().answer(call, "of this call");
    page().answer(call, "of this call again");

    const std::string answer = agent().answer_to(request);

    EXPECT_EQ(plain_text(member_text(answer, "text")), "of this call");
    expect_answered_call("of the next call");
}

}  // namespace
}  // namespace holdfast::test
