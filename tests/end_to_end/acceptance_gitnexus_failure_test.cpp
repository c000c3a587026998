#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "end_to_end/gitnexus_dialled_scene.hpp"
#include "end_to_end/gitnexus_scene.hpp"

// The complete response of the preset `gitnexus` to each failure, byte for byte: the code, the
// text, whether and when to retry, what may have taken effect, and nothing else.

namespace holdfast::test {
namespace {

/// Returns a text as a JSON string.
std::string json_string(std::string_view text) {
    std::string result = "\"";
    for (const char one : text) {
        result += one == '"' || one == '\\' ? "\\" : "";
        result += one;
    }
    return result + "\"";
}

/// The details of a failure.
struct Reported {
    std::string code = {};
    std::string tool = {};
    std::string reason = {};
    std::string retry_after = {};  ///< Whole seconds; empty = no wait is known.
};

/// Returns the complete result of a failed call that may be repeated. It contains the failure
/// twice: for models, without the reason that the text has, and for programs.
std::string failed(const Reported& failure, const std::string& text) {
    const std::string object =
        R"({"code":")" + failure.code + R"(","tool":")" + failure.tool + R"(","message":)" +
        json_string(failure.reason) + R"(,"retryable":true,)" +
        (failure.retry_after.empty() ? "" : R"("retryAfter":)" + failure.retry_after + ",") +
        R"("sideEffects":"none"})";
    const std::string brief =
        R"({"code":")" + failure.code + R"(","tool":")" + failure.tool + R"(","retryable":true,)" +
        (failure.retry_after.empty() ? "" : R"("retryAfter":)" + failure.retry_after + ",") +
        R"("sideEffects":"none"})";
    return R"({"content":[{"type":"text","text":)" + json_string(text) +
           R"(},{"type":"text","text":)" + json_string(brief) +
           R"(}],"isError":true,"_meta":{"dev.holdfast/failure":)" + object + "}}";
}

const std::string kSecretArguments = R"({"text":"MATCH all","token":"a-secret-word"})";

/// With a page that connects to the gateway.
using GitNexusFailureResponse = GitNexusTest;

INSTANTIATE_TEST_SUITE_P(Over, GitNexusFailureResponse,
                         ::testing::Values(kAgentLegs[0], kAgentLegs[1]), name_of_leg);

TEST_P(GitNexusFailureResponse, TimeoutNamesTheToolAndTheTime) {
    start({"GITNEXUS_TIMEOUT_HEAVY=0.5"});
    const std::string request = agent().send(tool_call("cypher", kSecretArguments));
    ASSERT_NE(page().next_call(), "");

    EXPECT_EQ(member_text(agent().answer_to(request), "result"),
              failed({.code = "TIMEOUT",
                      .tool = "cypher",
                      .reason = "\"graph\" did not answer within 0.5 s"},
                     "The tool \"cypher\" failed: \"graph\" did not answer within 0.5 s. "
                     "It is safe to try again."));
}

TEST_P(GitNexusFailureResponse, CircuitOpenNamesTheSecondsLeft) {
    start({"GITNEXUS_TIMEOUT_QUICK=0.2"});
    for (int count = 0; count < 5; ++count) {
        ASSERT_EQ(code_in(unanswered_call()), "TIMEOUT");
    }

    const std::string answer = agent().request(tool_call("cypher", kSecretArguments));

    const std::string seconds = member_text(answer, "retryAfter");
    EXPECT_GE(std::stoi("0" + seconds), 1) << answer;
    EXPECT_LE(std::stoi("0" + seconds), 30) << answer;
    EXPECT_EQ(member_text(answer, "result"),
              failed({.code = "CIRCUIT_OPEN",
                      .tool = "cypher",
                      .reason = "its circuit breaker is open after repeated failures of \"graph\"",
                      .retry_after = seconds},
                     "Circuit breaker open due to repeated failures. Will retry in " + seconds +
                         " seconds. Consider checking browser connection or graph status."));
}

TEST_P(GitNexusFailureResponse, ConnectionLostDuringACallNamesTheTool) {
    start();
    const std::string request = agent().send(tool_call("cypher", kSecretArguments));
    ASSERT_NE(page().next_call(), "");

    close_page();

    const std::string reason =
        "The connection to the server is lost: the WebSocket was lost: End of file.";
    EXPECT_EQ(member_text(agent().answer_to(request), "result"),
              failed({.code = "CONNECTION_LOST", .tool = "cypher", .reason = reason},
                     "The tool \"cypher\" failed: " + reason + " It is safe to try again."));
}

/// With a bridge that the gateway dials.
class GitNexusDialledFailureResponse : public GitNexusDialledTest {
protected:
    /// The next dial is 40 s after the refused one. The remaining time depends on when the call
    /// arrives.
    void expect_not_connected(const std::string& code, const std::string& count) {
        const std::string answer = agent().request(tool_call("echo", kSecretArguments));
        const std::string seconds = member_text(answer, "retryAfter");
        EXPECT_GE(std::stoi("0" + seconds), 30) << answer;
        EXPECT_LE(std::stoi("0" + seconds), 40) << answer;
        const std::string reason =
            "The server \"graph\" is not connected: cannot connect to "
            "127.0.0.1:" +
            std::to_string(port()) + ": Connection refused." + count +
            " The next connection attempt is in " + seconds + " s.";
        EXPECT_EQ(
            member_text(answer, "result"),
            failed({.code = code, .tool = "echo", .reason = reason, .retry_after = seconds},
                   "The tool \"echo\" failed: " + reason + " Try again in " + seconds + " s."));
    }
};

TEST_F(GitNexusDialledFailureResponse, ConnectionLostNamesTheTimeOfTheNextDial) {
    start_bridge();
    add_server("graph", R"("reconnect":{"delay":"40s","jitter":0})");
    make_tools_known();
    kill_bridge();
    start_gateway(1);

    expect_not_connected("CONNECTION_LOST", "");
}

TEST_F(GitNexusDialledFailureResponse, RetryExhaustedCountsTheDials) {
    start_bridge();
    add_server("graph", R"("reconnect":{"delay":"40s","jitter":0,"attempts":1})");
    make_tools_known();
    kill_bridge();
    start_gateway(1);

    expect_not_connected("RETRY_EXHAUSTED", " 1 connection attempt has failed.");
}

}  // namespace
}  // namespace holdfast::test
