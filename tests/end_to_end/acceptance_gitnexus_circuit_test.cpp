#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <thread>
#include <tuple>

#include "end_to_end/gitnexus_scene.hpp"
#include "support/process_watch.hpp"

// The circuit of the preset `gitnexus`. Time runs twenty times faster where a test waits for it.
// Failures are calls that the page does not answer.

namespace holdfast::test {
namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

constexpr auto kOpen = 30s / 20;

class AcceptanceGitNexusCircuit : public GitNexusTest {
protected:
    void fail_calls(int count) {
        for (int index = 0; index < count; ++index) {
            EXPECT_EQ(code_in(unanswered_call()), "TIMEOUT");
        }
    }
    struct Probe {
        std::string request = {};  ///< The agent's.
        std::string call = {};     ///< As the page knows it.
    };
    /// Calls until the page gets a call.
    [[nodiscard]] Probe first_that_is_let_through() {
        Probe probe;
        EXPECT_TRUE(eventually([&] {
            probe.request = agent().send(tool_call("search"));
            probe.call = page().next_call(50ms);
            return !probe.call.empty();
        }));
        return probe;
    }
    void expect_refused() {
        EXPECT_EQ(code_in(agent().request(tool_call("search"))), "CIRCUIT_OPEN");
    }
};

INSTANTIATE_TEST_SUITE_P(Over, AcceptanceGitNexusCircuit,
                         ::testing::Values(kAgentLegs[0], kAgentLegs[1]), name_of_leg);

TEST_P(AcceptanceGitNexusCircuit, OpensAfterFiveConsecutiveFailuresAndReportsHowLong) {
    start({"GITNEXUS_TIMEOUT_QUICK=0.2"});
    fail_calls(5);

    const std::string answer = agent().request(tool_call("cypher"));

    EXPECT_EQ(code_in(answer), "CIRCUIT_OPEN") << answer;
    const std::string seconds = member_text(answer, "retryAfter");
    EXPECT_EQ(plain_text(member_text(answer, "text")),
              "Circuit breaker open due to repeated failures. Will retry in " + seconds +
                  " seconds. Consider checking browser connection or graph status.");
    EXPECT_GE(std::stoi(seconds), 1);
    EXPECT_LE(std::stoi(seconds), 30);
    EXPECT_NE(scene.gateway().program().rest_of_error_line("opened for 30 s after 5 failure"), "");
}

TEST_P(AcceptanceGitNexusCircuit, ASuccessResetsTheCount) {
    start({"GITNEXUS_TIMEOUT_QUICK=0.5"});
    fail_calls(4);
    expect_answered_call("fine");
    fail_calls(4);
    expect_answered_call("fine");
}

TEST_P(AcceptanceGitNexusCircuit, ErrorsReportedByToolsDoNotCount) {
    start();
    for (int count = 0; count < 6; ++count) {
        const std::string request = agent().send(tool_call("search"));
        page().send(R"({"jsonrpc":"2.0","id":)" + page().next_call() +
                    R"(,"result":{"isError":true,"content":[{"type":"text","text":"no match"}]}})");
        const std::string answer = agent().answer_to(request);
        EXPECT_EQ(plain_text(member_text(answer, "text")), "no match");
        EXPECT_EQ(member_text(answer, "isError"), "true");
    }
}

TEST_P(AcceptanceGitNexusCircuit, ReportsTheRealTimeLeft) {
    start({"GITNEXUS_TIMEOUT_QUICK=1"}, "20");
    fail_calls(4);
    const auto before_opening = Clock::now();
    fail_calls(1);
    const auto after_opening = Clock::now();
    int shortest = 30;
    while (shortest > 10) {
        std::this_thread::sleep_for(50ms);  // one second of gateway time
        const auto asked = Clock::now();
        const std::string answer = agent().request(tool_call("search"));
        const auto answered = Clock::now();
        ASSERT_EQ(code_in(answer), "CIRCUIT_OPEN") << answer;
        shortest = std::stoi(member_text(answer, "retryAfter"));
        EXPECT_GE(shortest * 1s, 30s - (answered - before_opening) * 20);
        EXPECT_LE((shortest - 1) * 1s, 30s - (asked - after_opening) * 20);
    }
}

TEST_P(AcceptanceGitNexusCircuit, SendsOneProbeAfter30SecondsWhoseSuccessCloses) {
    start({"GITNEXUS_TIMEOUT_QUICK=10"}, "20");
    fail_calls(4);
    const auto before_opening = Clock::now();
    fail_calls(1);

    const Probe probe = first_that_is_let_through();

    EXPECT_GE(Clock::now() - before_opening, kOpen);
    expect_refused();
    expect_refused();
    page().answer(probe.call, "alive");
    EXPECT_EQ(plain_text(member_text(agent().answer_to(probe.request), "text")), "alive");
    for (int count = 0; count < 5; ++count) {
        expect_answered_call("closed");
    }
}

TEST_P(AcceptanceGitNexusCircuit, AFailedProbeReopensIt) {
    start({"GITNEXUS_TIMEOUT_QUICK=4"}, "20");
    fail_calls(5);
    const auto before_reopening = Clock::now();
    const Probe probe = first_that_is_let_through();
    EXPECT_EQ(code_in(agent().answer_to(probe.request)), "TIMEOUT");

    expect_refused();
    std::ignore = first_that_is_let_through();
    EXPECT_GE(Clock::now() - before_reopening, kOpen + 200ms);
}

TEST_P(AcceptanceGitNexusCircuit, ALateAnswerDoesNotCloseIt) {
    start({"GITNEXUS_TIMEOUT_QUICK=1"}, "20");
    fail_calls(4);
    const std::string request = agent().send(tool_call("search"));
    const std::string call = page().next_call();
    ASSERT_EQ(code_in(agent().answer_to(request)), "TIMEOUT");
    expect_refused();

    page().answer(call, "too late");

    for (int count = 0; count < 5; ++count) {
        expect_refused();
    }
}

}  // namespace
}  // namespace holdfast::test
