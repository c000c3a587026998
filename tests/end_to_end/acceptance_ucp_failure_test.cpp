// The preset `ucp`: what happens to a call when its downstream dies, sends junk or is silent.

#include <algorithm>
#include <chrono>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "end_to_end/acceptance.hpp"
#include "support/process_watch.hpp"
#include "support/test_agent/json_text.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

constexpr int kRate = 20;
/// Children need real time to start, which must not count as a failure.
constexpr int kCrashRate = 4;
/// Tolerance for a busy machine.
constexpr auto kNoise = 900ms;

/// Two servers: one misbehaves, and the other one must not be affected.
class UcpFailures : public testing::TestWithParam<AgentLeg> {
protected:
    void start(int rate) {
        scene_.scene().add_server("bad", bad_.stdio_entry());
        add_good_and_start(rate);
    }
    void start_over_http(int rate) {
        scene_.scene().add_server("bad", bad_.http_entry());
        add_good_and_start(rate);
    }
    [[nodiscard]] bool others_go_on() {
        return text_in(scene_.answer("good__read")) == "still here";
    }

    /// A connection attempt can be two starts: one for each era.
    struct Try {
        std::chrono::nanoseconds first = {};
        std::chrono::nanoseconds last = {};
    };
    [[nodiscard]] std::vector<Try> tries_after(std::size_t start_count) const {
        std::vector<Try> tries;
        const auto starts = bad_.starts();
        for (std::size_t i = start_count; i < starts.size(); ++i) {
            if (tries.empty() || starts[i].at - tries.back().last > 500ms) {
                tries.push_back({.first = starts[i].at});
            }
            tries.back().last = starts[i].at;
        }
        return tries;
    }

    TroubledServer bad_{{read_only_tool("read"), unmarked_tool("write")}};
    TroubledServer good_{{read_only_tool("read")}};
    Acceptance scene_;

private:
    void add_good_and_start(int rate) {
        scene_.scene().add_server("good", good_.stdio_entry());
        scene_.scene().add_section(R"("preset":"ucp")");
        good_.does({"ok still here"});
        scene_.start(GetParam(), rate, "bad__write");
        ASSERT_TRUE(scene_.agent().finds_tool("good__read"));
    }
};

TEST_P(UcpFailures, ACrashInMidCallFailsItImmediatelyAndOthersContinue) {
    start(1);
    bad_.does({"die"});

    const auto began = std::chrono::steady_clock::now();
    const std::string answer = scene_.answer("bad__write");

    EXPECT_TRUE(has(answer, R"("code":"CONNECTION_LOST")")) << answer;
    EXPECT_TRUE(has(answer, R"("sideEffects":"possible")")) << answer;
    EXPECT_TRUE(has(text_in(answer),
                    "Error calling tool 'bad__write':\n  Tool call failed after 1 attempt: "
                    "bad__write. Last error: The connection to the server is lost"))
        << answer;
    EXPECT_LT(std::chrono::steady_clock::now() - began, kNoise);
    EXPECT_TRUE(others_go_on());
    EXPECT_EQ(bad_.arrival_count(), 1U);
}

TEST_P(UcpFailures, ASafeCallIsRetriedAfterACrash) {
    start(1);
    bad_.does({"die", "ok here again"});

    EXPECT_EQ(text_in(scene_.answer("bad__read")), "here again");
    EXPECT_EQ(bad_.arrival_count(), 2U);
}

TEST_P(UcpFailures, ASafeCallSurvivesTheSecondAndTheThirdCrashInARow) {
    start(kCrashRate);
    bad_.does({"die", "die", "ok after two", "die", "ok after three"});

    EXPECT_EQ(text_in(scene_.answer("bad__read")), "after two");
    EXPECT_EQ(text_in(scene_.answer("bad__read")), "after three");
    EXPECT_EQ(bad_.arrival_count(), 5U);
    EXPECT_EQ(bad_.starts().size(), 4U) << "one start for each crash";
    EXPECT_TRUE(others_go_on());
}

TEST_P(UcpFailures, AWriteThatWasNotSentWaitsForTheNewConnection) {
    start(kCrashRate);
    bad_.does({"die", "ok written once"});

    EXPECT_TRUE(has(scene_.answer("bad__write"), "CONNECTION_LOST"));
    EXPECT_EQ(text_in(scene_.answer("bad__write")), "written once");
    EXPECT_EQ(bad_.arrival_count(), 2U);
}

TEST_P(UcpFailures, NoCallWaitsForADownstreamThatDoesNotReconnect) {
    start(1);
    bad_.does({"die"});
    bad_.refuses_to_start(true);
    const std::size_t before = bad_.starts().size();
    std::ignore = scene_.answer("bad__write");
    ASSERT_TRUE(eventually([&] { return tries_after(before).size() == 2; }));

    const auto began = std::chrono::steady_clock::now();
    const std::string answer = scene_.answer("bad__read");

    EXPECT_LT(std::chrono::steady_clock::now() - began, kNoise);
    EXPECT_TRUE(has(answer, R"("code":"CONNECTION_LOST")")) << answer;
    EXPECT_TRUE(has(answer, R"("sideEffects":"none")")) << answer;
    EXPECT_TRUE(has(answer, R"("retryable":true)")) << answer;
    EXPECT_TRUE(has(answer, R"("retryAfter":)")) << answer;
    EXPECT_TRUE(has(answer, R"("attempts":1)")) << answer;
    EXPECT_TRUE(has(text_in(answer), "- The same call in ")) << answer;
}

TEST_P(UcpFailures, ADownDownstreamDoesNotOpenItsCircuit) {
    start(kRate);
    bad_.does({"die", "ok here again"});
    bad_.refuses_to_start(true);
    for (int i = 0; i < 8; ++i) {
        EXPECT_TRUE(has(scene_.answer("bad__write"), "CONNECTION_LOST")) << i;
    }

    bad_.refuses_to_start(false);

    EXPECT_TRUE(
        eventually([this] { return text_in(scene_.answer("bad__write")) == "here again"; }));
}

TEST_P(UcpFailures, TheDelayStartsAgainAtOneSecondForADownstreamThatAnsweredInBetween) {
    start(1);
    std::chrono::nanoseconds gap{};
    for (int crash = 0; crash < 3; ++crash) {
        bad_.does({"ok fine"});
        // It lives longer than the previous delay.
        ASSERT_TRUE(eventually([&] {
            EXPECT_EQ(text_in(scene_.answer("bad__read")), "fine");
            const auto now = std::chrono::steady_clock::now().time_since_epoch();
            return now - bad_.starts().back().at > 1s + kNoise;
        }));
        bad_.does({"die"});
        const std::size_t before = bad_.starts().size();
        std::ignore = scene_.answer("bad__write");
        const auto died_at = bad_.arrivals().back().at;
        ASSERT_TRUE(eventually([&] { return bad_.starts().size() > before; }));
        gap = bad_.starts().at(before).at - died_at;
    }
    EXPECT_GE(gap, 1s);
    EXPECT_LT(gap, 1s + kNoise) << "not 4 s after the third crash";
}

TEST_P(UcpFailures, ADeadDownstreamIsRestartedAfter1And2And4Seconds) {
    start(1);
    bad_.does({"die"});
    bad_.refuses_to_start(true);
    const std::size_t before = bad_.starts().size();

    std::ignore = scene_.answer("bad__write");
    auto last = bad_.arrivals().back().at;
    ASSERT_TRUE(eventually([&] { return tries_after(before).size() == 3; }));

    for (const auto wait : {1s, 2s, 4s}) {
        const Try one = tries_after(before).at(static_cast<std::size_t>(wait / 2s));
        EXPECT_GE(one.first - last, wait);
        EXPECT_LT(one.first - last, wait + kNoise);
        last = one.last;
    }
    const std::string meanwhile = scene_.answer("bad__write");
    EXPECT_TRUE(has(meanwhile, R"("code":"CONNECTION_LOST")")) << meanwhile;
    EXPECT_TRUE(has(meanwhile, R"("retryAfter":)")) << meanwhile;
    EXPECT_TRUE(others_go_on());
}

TEST_P(UcpFailures, AReconnectedDownstreamServesAgainByItself) {
    start(kRate);
    bad_.does({"die", "ok here again"});

    EXPECT_TRUE(has(scene_.answer("bad__write"), "CONNECTION_LOST"));
    EXPECT_TRUE(
        eventually([this] { return text_in(scene_.answer("bad__write")) == "here again"; }));
    EXPECT_EQ(bad_.starts().size(), 2U);
}

TEST_P(UcpFailures, MalformedJsonIsTriedThreeTimesAndNamesTheToolAndItsArguments) {
    start(kRate);
    bad_.does({"junk"});

    const std::string answer =
        scene_.answer("bad__read", R"({"q":"cats","token":"s3cret-s3cret"})");

    EXPECT_EQ(bad_.arrival_count(), 3U);
    EXPECT_TRUE(has(answer, R"("cause":"MALFORMED_RESPONSE")")) << answer;
    const std::string text = text_in(answer);
    EXPECT_TRUE(has(text,
                    "Error calling tool 'bad__read':\n  Tool call failed after 3 attempts: "
                    "bad__read. Last error: invalid JSON from the server\n"))
        << text;
    EXPECT_TRUE(has(text, R"(You sent: {"q":"cats","token":"[redacted]"})")) << text;
    EXPECT_FALSE(has(answer, "s3cret-s3cret"));
    EXPECT_TRUE(others_go_on());
}

TEST_P(UcpFailures, AMalformedLineDuringSeveralCallsFailsNoneOfThem) {
    start(kRate);
    bad_.does_for("write", {"late 300 ok later"});
    bad_.does_for("read", {"junk", "ok fine"});
    const std::string slow = scene_.agent().send(tool_call("bad__write"));
    ASSERT_TRUE(eventually([this] { return bad_.arrival_count() == 1; }));

    const std::string read = scene_.agent().send(tool_call("bad__read"));

    EXPECT_EQ(text_in(scene_.agent().answer_to(slow)), "later");
    EXPECT_TRUE(
        has(scene_.logged("server \"bad\" sent a line that is not JSON-RPC"), "this is not JSON"));
    EXPECT_EQ(text_in(scene_.agent().answer_to(read)), "fine") << "after its attempt ran out";
}

TEST_P(UcpFailures, AnAnswerWithItsIdThatIsNotValidIsMalformedAtOnce) {
    start(1);
    bad_.does({"invalid"});

    const auto began = std::chrono::steady_clock::now();
    const std::string answer = scene_.answer("bad__write");

    EXPECT_LT(std::chrono::steady_clock::now() - began, kNoise);
    EXPECT_TRUE(has(answer, R"("code":"MALFORMED_RESPONSE")")) << answer;
}

TEST_P(UcpFailures, AnInternalErrorOfASafeToolIsTriedThreeTimesAndMayBeRetriedLater) {
    start(kRate);
    bad_.does({"rpc -32603 the index is broken"});

    const std::string answer = scene_.answer("bad__read");

    EXPECT_EQ(bad_.arrival_count(), 3U);
    EXPECT_TRUE(has(answer, R"("retryable":true)")) << answer;
    EXPECT_TRUE(has(answer, R"("sideEffects":"none")")) << answer;
    EXPECT_TRUE(has(text_in(answer),
                    "Tool call failed after 3 attempts: bad__read. Last error: the index is "
                    "broken\n"))
        << answer;
    EXPECT_TRUE(has(text_in(answer), "- The same call later")) << answer;
    EXPECT_FALSE(has(text_in(answer), "orrected arguments")) << answer;
}

TEST_P(UcpFailures, AnInternalErrorOfAnUnmarkedToolIsOneAttemptToBeVerified) {
    start(kRate);
    bad_.does({"rpc -32603 the index is broken"});

    const std::string answer = scene_.answer("bad__write");

    EXPECT_EQ(bad_.arrival_count(), 1U);
    EXPECT_TRUE(has(answer, R"("retryable":false)")) << answer;
    EXPECT_TRUE(has(answer, R"("sideEffects":"possible")")) << answer;
    EXPECT_TRUE(has(text_in(answer), "- A check first whether it took effect")) << answer;
    EXPECT_FALSE(has(text_in(answer), "orrected arguments")) << answer;
}

TEST_P(UcpFailures, SilenceIsThreeAttemptsOf30SecondsAndTheChildKeepsRunning) {
    start(kRate);
    bad_.does({"hang"});

    const auto began = std::chrono::steady_clock::now().time_since_epoch();
    const std::string answer = scene_.answer("bad__read");

    EXPECT_TRUE(has(text_in(answer),
                    "Tool call failed after 3 attempts: bad__read. Last error: no answer within "
                    "30 s\n"))
        << answer;
    EXPECT_TRUE(has(answer, R"("cause":"TIMEOUT")")) << answer;
    const auto arrivals = bad_.arrivals();
    ASSERT_EQ(arrivals.size(), 3U);
    EXPECT_GE(arrivals[1].at - began, scene_.real(31s));
    EXPECT_LT(arrivals[1].at - began, scene_.real(31s) + kNoise);
    EXPECT_GE(arrivals[2].at - began, scene_.real(63s));
    EXPECT_LT(arrivals[2].at - began, scene_.real(63s) + 2 * kNoise);
    bad_.does({"ok back"});
    EXPECT_EQ(text_in(scene_.answer("bad__read")), "back");
    EXPECT_EQ(bad_.starts().size(), 1U) << "the child keeps running";
}

TEST_P(UcpFailures, ASilentWriteIsNotRepeatedAndMayHaveTakenEffect) {
    start(kRate);
    bad_.does({"hang"});

    const std::string answer = scene_.answer("bad__write");

    EXPECT_EQ(bad_.arrival_count(), 1U);
    EXPECT_TRUE(has(text_in(answer),
                    "Tool call failed after 1 attempt: bad__write. Last error: no answer within "
                    "30 s\n"))
        << answer;
    EXPECT_TRUE(has(answer, R"("sideEffects":"possible")")) << answer;
    EXPECT_TRUE(has(answer, R"("retryable":false)")) << answer;
    EXPECT_TRUE(has(text_in(answer), "- A check first whether it took effect")) << answer;
}

TEST_P(UcpFailures, OneSlowCallDoesNotAffectOthers) {
    start(kRate);
    bad_.does_for("write", {"hang"});
    bad_.does_for("read", {"ok quick"});
    const std::string slow = scene_.agent().send(tool_call("bad__write"));
    ASSERT_TRUE(eventually([this] { return bad_.arrival_count() == 1; }));

    EXPECT_EQ(text_in(scene_.answer("bad__read")), "quick");
    EXPECT_TRUE(has(scene_.agent().answer_to(slow), "TIMEOUT"));
    EXPECT_EQ(text_in(scene_.answer("bad__read")), "quick");
    EXPECT_EQ(bad_.starts().size(), 1U);
}

TEST_P(UcpFailures, AnIncompleteLineAndAWrongIdEndAtTheAttemptTimeout) {
    start(kRate);
    for (const std::string action : {"wrongid nobody's", "half of an answer"}) {
        const std::size_t before = bad_.arrival_count();
        bad_.does({action});
        EXPECT_TRUE(has(scene_.answer("bad__write"), R"("isError":true)")) << action;
        EXPECT_EQ(bad_.arrival_count(), before + 1) << action;
        EXPECT_TRUE(others_go_on());
    }
}

TEST_P(UcpFailures, ADuplicateOrTricklingAnswerIsOneAnswer) {
    start(1);
    bad_.does({"twice one", "trickle two", "ok three"});

    EXPECT_EQ(text_in(scene_.answer("bad__write")), "one");
    EXPECT_EQ(text_in(scene_.answer("bad__write")), "two");
    EXPECT_EQ(text_in(scene_.answer("bad__write")), "three");
    EXPECT_TRUE(std::ranges::none_of(scene_.agent().kept(), [](const std::string& message) {
        return has(message, R"("result":)");
    }));
}

TEST_P(UcpFailures, AServerThatClosesItsStreamIsRestarted) {
    start(kRate);
    bad_.does({"close", "ok here again"});

    EXPECT_TRUE(has(scene_.answer("bad__write"), "CONNECTION_LOST"));
    EXPECT_TRUE(
        eventually([this] { return text_in(scene_.answer("bad__write")) == "here again"; }));
}

TEST_P(UcpFailures, ServerErrorsAndRateLimitsOverHttpAreRetried) {
    start_over_http(kRate);
    for (const std::string action : {"status 503 - down", "status 429 1 slow down", "junk"}) {
        const std::size_t before = bad_.arrival_count();
        bad_.does({action, "ok fine"});
        EXPECT_EQ(text_in(scene_.answer("bad__read")), "fine") << action;
        EXPECT_EQ(bad_.arrival_count(), before + 2) << action;
    }
}

TEST_P(UcpFailures, AClosedHttpConnectionIsRetriedOnlyIfSafe) {
    start_over_http(kRate);
    bad_.does({"close", "ok fine"});
    EXPECT_EQ(text_in(scene_.answer("bad__read")), "fine");
    EXPECT_EQ(bad_.arrivals("read").size(), 2U);

    bad_.does({"close", "ok fine"});
    EXPECT_TRUE(has(scene_.answer("bad__write"), R"("sideEffects":"possible")"));
    EXPECT_EQ(bad_.arrivals("write").size(), 1U);
}

TEST_P(UcpFailures, TheSessionOutlivesAllFailures) {
    start(kRate);
    bad_.does({"die", "junk", "halfdie x", "close", "rpc -32603 oops", "error no", "ok fine"});
    ASSERT_TRUE(eventually(
        [this] {
            const std::string answer = scene_.answer("bad__write");
            EXPECT_TRUE(has(answer, R"("result":)")) << answer;
            EXPECT_TRUE(others_go_on());
            return text_in(answer) == "fine";
        },
        60s));
}

INSTANTIATE_TEST_SUITE_P(Agent, UcpFailures, testing::ValuesIn(kAcceptanceLegs), leg_name);

}  // namespace
}  // namespace holdfast::test
