// Every failure code over the wire: its cause, the text for the agent and the object for its
// program. docs/failure-modes.md describes them.

#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "end_to_end/acceptance.hpp"
#include "support/test_agent/json_text.hpp"

namespace holdfast::test {
namespace {

constexpr int kRate = 20;

std::string strict_tool() {
    return R"({"name":"strict","description":"Reads a page.","inputSchema":{"type":"object",)"
           R"("properties":{"page":{"type":"integer"}},"required":["page"]}})";
}

std::string failure_in(const std::string& answer) {
    return member_text(answer, "dev.holdfast/failure");
}

std::string field(const std::string& answer, std::string_view name) {
    const std::string value = member_text(failure_in(answer), name);
    return value.starts_with('"') ? plain_text(value) : value;
}

/// Returns `retryAfter` of the failure; -1 if it has none.
int seconds(const std::string& answer) {
    const std::string text = field(answer, "retryAfter");
    return text.empty() ? -1 : std::stoi(text);
}

class FailureModes : public testing::TestWithParam<AgentLeg> {
protected:
    void start_stdio(const std::string& policy = "{}", const std::string& section = "") {
        start(server_.stdio_entry(R"("policy":"tried")"), policy, section);
    }
    void start_http(const std::string& policy = "{}") {
        start(server_.http_entry(R"("policy":"tried")"), policy, "");
    }

    /// Returns the code and the retry advice: "TIMEOUT retryable=false sideEffects=possible".
    [[nodiscard]] static std::string verdict(const std::string& answer) {
        return field(answer, "code") + " retryable=" + field(answer, "retryable") +
               " sideEffects=" + field(answer, "sideEffects");
    }

    TroubledServer server_{{read_only_tool("read"), unmarked_tool("write"), strict_tool()}};
    Acceptance scene_;

private:
    void start(const std::string& entry, const std::string& policy, const std::string& section) {
        scene_.scene().add_server("box", entry);
        scene_.scene().add_section(R"("policies":{"tried":)" + policy + "}");
        if (!section.empty()) {
            scene_.scene().add_section(section);
        }
        scene_.start(GetParam(), kRate, "strict");
    }
};

TEST_P(FailureModes, AWriteThatGetsNoAnswerIsATimeoutThatMayHaveTakenEffect) {
    start_stdio();
    server_.does({"hang"});

    const std::string answer = scene_.answer("write");

    EXPECT_EQ(verdict(answer), "TIMEOUT retryable=false sideEffects=possible") << answer;
    EXPECT_TRUE(has(text_in(answer), "\"box\" did not answer within 30 s")) << answer;
    EXPECT_TRUE(has(answer, R"("isError":true)")) << answer;
    EXPECT_EQ(server_.arrival_count(), 1U);
}

TEST_P(FailureModes, AReadThatGetsNoAnswerIsATimeoutThatIsSafeToRepeat) {
    start_stdio(R"({"retry":"none"})");
    server_.does({"hang"});

    EXPECT_EQ(verdict(scene_.answer("read")), "TIMEOUT retryable=true sideEffects=none");
}

TEST_P(FailureModes, AnOpenCircuitIsRefusedAtOnceWithTheSecondsLeft) {
    start_stdio(R"({"retry":"none","circuit":{"failures":1,"open":"1h"}})");
    server_.does({"hang"});
    EXPECT_EQ(scene_.code("read"), "TIMEOUT");

    const std::string answer = scene_.answer("write");

    EXPECT_EQ(verdict(answer), "CIRCUIT_OPEN retryable=true sideEffects=none") << answer;
    EXPECT_GE(seconds(answer), 3'000) << answer;
    EXPECT_EQ(server_.arrival_count(), 1U);
}

TEST_P(FailureModes, AWriteInACrashIsALostConnectionThatMayHaveTakenEffect) {
    start_stdio();
    server_.does({"die"});

    const std::string answer = scene_.answer("write");

    EXPECT_EQ(verdict(answer), "CONNECTION_LOST retryable=false sideEffects=possible") << answer;
    EXPECT_TRUE(has(text_in(answer), "ended with code 3")) << answer;
}

TEST_P(FailureModes, AReadThatFailsInEveryAttemptHasExhaustedItsRetries) {
    start_http(R"({"retry":{"attempts":2,"delay":"1s","jitter":0}})");
    server_.does({"status 503 - overworked"});

    const std::string answer = scene_.answer("read");

    EXPECT_EQ(verdict(answer), "RETRY_EXHAUSTED retryable=true sideEffects=none") << answer;
    EXPECT_EQ(field(answer, "cause"), "DOWNSTREAM_ERROR") << answer;
    EXPECT_EQ(field(answer, "attempts"), "2") << answer;
    EXPECT_EQ(server_.arrival_count(), 2U);
}

TEST_P(FailureModes, AnAnswerThatIsNotMcpIsMalformed) {
    start_stdio();
    server_.does({"result 5"});

    const std::string answer = scene_.answer("write");

    EXPECT_EQ(verdict(answer), "MALFORMED_RESPONSE retryable=false sideEffects=possible") << answer;
    EXPECT_TRUE(has(text_in(answer), R"("result" must be an object)")) << answer;
}

TEST_P(FailureModes, AnHttpErrorIsAnErrorOfTheServerWithItsStatus) {
    start_http();
    server_.does({"status 400 - no such shelf"});

    const std::string answer = scene_.answer("read");

    EXPECT_EQ(field(answer, "code"), "DOWNSTREAM_ERROR") << answer;
    EXPECT_EQ(field(answer, "retryable"), "false") << answer;
    EXPECT_TRUE(has(text_in(answer), "HTTP status 400")) << answer;
    EXPECT_EQ(server_.arrival_count(), 1U);
}

TEST_P(FailureModes, ARateLimitOfTheServerNamesItsRetryDelay) {
    start_http(R"({"retry":"none"})");
    server_.does({"status 429 7 slow down"});

    const std::string answer = scene_.answer("read");

    EXPECT_EQ(verdict(answer), "RATE_LIMITED retryable=true sideEffects=none") << answer;
    EXPECT_EQ(field(answer, "retryAfter"), "7") << answer;
    EXPECT_TRUE(has(text_in(answer), "Try again in 7 s.")) << answer;
}

TEST_P(FailureModes, ARateLimitWithoutADelayIsNotReportedAsZeroSeconds) {
    start_http(R"({"retry":"none"})");
    server_.does({"status 429 0 slow down"});

    const std::string answer = scene_.answer("read");

    EXPECT_EQ(field(answer, "code"), "RATE_LIMITED") << answer;
    EXPECT_FALSE(has(answer, "retryAfter\":0")) << answer;
    EXPECT_FALSE(has(answer, "in 0 s")) << answer;
}

TEST_P(FailureModes, ARateLimitOfTheGatewayNamesTheRetryDelay) {
    start_stdio(R"({"rateLimit":{"permits":1,"per":"1h","burst":1}})");
    EXPECT_EQ(scene_.code("read"), "");

    const std::string answer = scene_.answer("read");

    EXPECT_EQ(verdict(answer), "RATE_LIMITED retryable=true sideEffects=none") << answer;
    EXPECT_GE(seconds(answer), 3'000) << answer;
    EXPECT_EQ(server_.arrival_count(), 1U);
}

TEST_P(FailureModes, ACallWithoutASlotInTheQueueIsOverloaded) {
    start_stdio(R"({"limit":{"inFlight":1,"queue":0}})");
    server_.does({"hang"});
    const std::string first = scene_.agent().send(tool_call("write"));
    const std::string second = scene_.agent().send(tool_call("write"));

    // The first call to arrive has the only slot.
    const std::string answers = scene_.agent().answer_to(first) + scene_.agent().answer_to(second);

    EXPECT_TRUE(has(answers, R"("code":"OVERLOADED")")) << answers;
    EXPECT_TRUE(has(answers, R"("code":"TIMEOUT")")) << answers;
    EXPECT_EQ(server_.arrival_count(), 1U);
}

TEST_P(FailureModes, ACallThatWaitsTooLongForASlotIsOverloaded) {
    start_stdio(R"({"limit":{"inFlight":1,"queue":4,"wait":"2s"}})");
    server_.does({"hang"});
    const std::string first = scene_.agent().send(tool_call("write"));
    const std::string second = scene_.agent().send(tool_call("write"));

    const std::string answers = scene_.agent().answer_to(first) + scene_.agent().answer_to(second);

    EXPECT_TRUE(has(answers, R"("code":"OVERLOADED")")) << answers;
    EXPECT_TRUE(has(answers, R"("code":"TIMEOUT")")) << answers;
    EXPECT_EQ(server_.arrival_count(), 1U);
}

TEST_P(FailureModes, InvalidArgumentsAreNotSent) {
    start_stdio();

    const std::string answer = scene_.answer("strict", R"({"page":"seven"})");

    EXPECT_EQ(verdict(answer), "INVALID_ARGUMENTS retryable=false sideEffects=none") << answer;
    EXPECT_TRUE(has(text_in(answer), "Available parameters: page (integer, required)")) << answer;
    EXPECT_EQ(server_.arrival_count(), 0U);
}

TEST_P(FailureModes, AnUnknownToolIsAProtocolErrorWithTheNearestNames) {
    start_stdio();

    const std::string answer = scene_.answer("strikt");

    EXPECT_TRUE(has(answer, R"("error":{"code":-32602)")) << answer;
    EXPECT_TRUE(has(answer, R"("code":"TOOL_NOT_FOUND")")) << answer;
    EXPECT_TRUE(has(plain_text(member_text(answer, "message")), "strict")) << answer;
}

TEST_P(FailureModes, RefusedCredentialsAreUnauthorized) {
    start_http();
    server_.does({"status 401 - who are you"});

    const std::string answer = scene_.answer("read");

    EXPECT_EQ(verdict(answer), "UNAUTHORIZED retryable=false sideEffects=none") << answer;
    EXPECT_TRUE(has(text_in(answer), "HTTP status 401")) << answer;
    EXPECT_EQ(server_.arrival_count(), 1U);
}

TEST_P(FailureModes, AnAnswerAboveTheLimitIsTooLarge) {
    start_stdio("{}", R"("limits":{"downstreamMessage":"64kB"})");
    server_.does({"ok " + std::string(100'000, 'x')});

    const std::string answer = scene_.answer("read");

    EXPECT_EQ(field(answer, "code"), "RESULT_TOO_LARGE") << answer;
    EXPECT_EQ(field(answer, "retryable"), "false") << answer;
    server_.does({"ok small"});
    EXPECT_TRUE(has(scene_.answer("read"), "small")) << "the session continues";
}

TEST_P(FailureModes, ACallThatKeepsFailingTheSameWayIsHeldBack) {
    start_stdio(R"({"repeatGuard":{"failures":2,"hold":"1h"}})");
    server_.does({"rpc -32602 no such shelf"});
    EXPECT_TRUE(has(scene_.answer("read"), "no such shelf"));
    EXPECT_TRUE(has(scene_.answer("read"), "no such shelf"));

    const std::string answer = scene_.answer("read");

    EXPECT_EQ(verdict(answer), "HELD_BACK retryable=false sideEffects=none") << answer;
    EXPECT_TRUE(has(text_in(answer), "always with this error: no such shelf.")) << answer;
    EXPECT_TRUE(has(text_in(answer), "Use other arguments or another tool.")) << answer;
    EXPECT_EQ(seconds(answer), -1) << answer;
    EXPECT_EQ(server_.arrival_count(), 2U);
}

TEST_P(FailureModes, AFailingReadIsSentAgainAfterAWriteByDefault) {
    start_stdio();
    server_.does_for("read", {"error no such file", "error no such file", "error no such file",
                              "error no such file", "ok written"});
    for (int count = 0; count < 4; ++count) {
        EXPECT_EQ(scene_.result("read"), error_result("no such file"));
    }
    EXPECT_TRUE(has(scene_.answer("write"), R"("result":)"));

    EXPECT_TRUE(has(scene_.answer("read"), "written"));
}

INSTANTIATE_TEST_SUITE_P(Agent, FailureModes, testing::ValuesIn(kAcceptanceLegs), leg_name);

}  // namespace
}  // namespace holdfast::test
