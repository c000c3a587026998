// The preset `ucp`: the scenarios that the source system requires by name.

#include <chrono>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "end_to_end/ucp_scene.hpp"
#include "support/process_watch.hpp"
#include "support/test_agent/json_text.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

constexpr int kRate = 20;
const std::string kBroken = "rpc -32603 it broke";

/// One server that misbehaves and one that does not.
class UcpTest : public testing::Test {
protected:
    void start(int rate) {
        ucp_.scene().scene().add_server("bad", bad_.stdio_entry());
        ucp_.scene().scene().add_server("good", good_.stdio_entry());
        good_.does({"ok still here"});
        ucp_.start(rate, "bad__write");
        ASSERT_TRUE(ucp_.scene().agent().finds_tool("good__read"));
    }
    [[nodiscard]] std::string answer(const std::string& tool, const std::string& arguments = "{}") {
        return ucp_.scene().answer(tool, arguments);
    }
    [[nodiscard]] std::string code(const std::string& tool) { return ucp_.scene().code(tool); }
    void fail_five_times() {
        bad_.does({kBroken});
        for (int i = 0; i < 5; ++i) {
            EXPECT_EQ(code("bad__write"), "DOWNSTREAM_ERROR") << i;
        }
    }
    void wait_until_a_test_call_may_go() {
        ASSERT_TRUE(eventually([this] { return ucp_.can_attempt("bad"); }));
    }

    TroubledServer bad_{{read_only_tool("read"), unmarked_tool("write")}};
    TroubledServer good_{{read_only_tool("read")}};
    UcpScene ucp_;
};

class UcpBreakerTest : public UcpTest {};

TEST_F(UcpBreakerTest, TheInitialStateIsClosedWithNoFailures) {
    start(kRate);

    EXPECT_EQ(ucp_.circuit("bad"), "closed");
    EXPECT_EQ(ucp_.failure_count("bad"), 0);
    EXPECT_TRUE(ucp_.can_attempt("bad"));
}

TEST_F(UcpBreakerTest, OpensAfterFiveFailures) {
    start(1);
    bad_.does({kBroken});
    for (int i = 1; i <= 4; ++i) {
        EXPECT_EQ(code("bad__write"), "DOWNSTREAM_ERROR");
        EXPECT_EQ(ucp_.failure_count("bad"), i);
        EXPECT_EQ(ucp_.circuit("bad"), "closed");
    }

    EXPECT_EQ(code("bad__write"), "DOWNSTREAM_ERROR");

    EXPECT_EQ(ucp_.circuit("bad"), "open");
    EXPECT_FALSE(ucp_.can_attempt("bad"));
    EXPECT_EQ(ucp_.circuit("good"), "closed");
}

TEST_F(UcpBreakerTest, IsHalfOpenAfterTheTime) {
    start(kRate);
    fail_five_times();
    const auto opened_at = bad_.arrivals().back().at;

    wait_until_a_test_call_may_go();

    EXPECT_GE(std::chrono::steady_clock::now().time_since_epoch() - opened_at,
              ucp_.scene().real(60s));
    bad_.does({"ok fine"});
    EXPECT_EQ(code("bad__write"), "");
    EXPECT_EQ(ucp_.circuit("bad"), "half_open");
}

TEST_F(UcpBreakerTest, ClosesAfterThreeSuccesses) {
    start(kRate);
    fail_five_times();
    wait_until_a_test_call_may_go();
    bad_.does({"ok fine"});

    EXPECT_EQ(code("bad__write"), "");
    EXPECT_EQ(code("bad__write"), "");
    EXPECT_EQ(ucp_.circuit("bad"), "half_open");
    EXPECT_EQ(code("bad__write"), "");

    EXPECT_EQ(ucp_.circuit("bad"), "closed");
    EXPECT_EQ(ucp_.failure_count("bad"), 0);
}

TEST_F(UcpBreakerTest, ReopensWhenATestCallFails) {
    start(kRate);
    fail_five_times();
    wait_until_a_test_call_may_go();

    EXPECT_EQ(code("bad__write"), "DOWNSTREAM_ERROR");

    EXPECT_EQ(ucp_.circuit("bad"), "open");
    EXPECT_EQ(code("bad__write"), "CIRCUIT_OPEN");
}

TEST_F(UcpBreakerTest, ReadingTheStateChangesNothing) {
    start(kRate);
    fail_five_times();
    wait_until_a_test_call_may_go();

    for (int i = 0; i < 10; ++i) {
        EXPECT_EQ(ucp_.circuit("bad"), "open") << "only a test call makes it half-open";
        EXPECT_TRUE(ucp_.can_attempt("bad"));
    }

    bad_.does({"ok fine"});
    for (int i = 0; i < 3; ++i) {
        EXPECT_EQ(code("bad__write"), "") << "reading used up no probe";
    }
    EXPECT_EQ(ucp_.circuit("bad"), "closed");
}

class UcpPoolTest : public UcpTest {};

TEST_F(UcpPoolTest, ATimedOutCallIsCountedAndTheServerIsInErrorUntilTheNextSuccess) {
    start(kRate);
    bad_.does({"hang", "ok awake"});

    EXPECT_EQ(code("bad__write"), "TIMEOUT");
    EXPECT_EQ(ucp_.failure_count("bad"), 1);
    EXPECT_EQ(ucp_.status("bad"), "error");

    EXPECT_EQ(text_in(answer("bad__write")), "awake");
    EXPECT_EQ(ucp_.status("bad"), "connected");
    EXPECT_EQ(ucp_.failure_count("bad"), 0);
    EXPECT_EQ(bad_.starts().size(), 1U) << "the child keeps running";
}

TEST_F(UcpPoolTest, TheBackOffBetweenAttemptsIsOneAndTwoSeconds) {
    start(4);
    bad_.does({kBroken, kBroken, "ok at last"});

    EXPECT_EQ(text_in(answer("bad__read")), "at last");

    const auto arrivals = bad_.arrivals();
    ASSERT_EQ(arrivals.size(), 3U);
    EXPECT_GE(arrivals[1].at - arrivals[0].at, ucp_.scene().real(1s));
    EXPECT_GE(arrivals[2].at - arrivals[1].at, ucp_.scene().real(2s));
}

TEST_F(UcpPoolTest, AnOpenCircuitBlocksCallsBeforeTheyReachTheServer) {
    start(1);
    fail_five_times();
    const std::size_t before = bad_.arrival_count();

    const std::string refusal = answer("bad__read");

    EXPECT_TRUE(has(refusal, R"("code":"CIRCUIT_OPEN")")) << refusal;
    EXPECT_TRUE(has(refusal, R"("attempts":0)")) << refusal;
    EXPECT_EQ(bad_.arrival_count(), before);
    EXPECT_EQ(text_in(answer("good__read")), "still here");
}

class UcpErrorTextTest : public UcpTest {};

TEST_F(UcpErrorTextTest, HasTheContextOfTheCall) {
    start(kRate);
    bad_.does({"rpc -32000 the index is gone"});

    EXPECT_EQ(text_in(answer("bad__read", R"({"q":"cats","token":"s3cret-s3cret"})")),
              "Error calling tool 'bad__read':\n"
              "  the index is gone\n"
              "  Tool description: Does read.\n"
              "  Available parameters: q (string), token (string)\n"
              "  You sent: {\"q\":\"cats\",\"token\":\"[redacted]\"}\n"
              "  Please try again with:\n"
              "    - Different or corrected arguments\n"
              "    - A different tool if this one is unavailable");
}

TEST_F(UcpErrorTextTest, ReportsThatAToolWasNotFound) {
    start(kRate);

    EXPECT_TRUE(has(answer("bad__raed"), "TOOL_NOT_FOUND"));
    EXPECT_EQ(bad_.arrival_count(), 0U);
}

TEST_F(UcpErrorTextTest, ListsTheExistingTools) {
    start(kRate);

    const std::string text = answer("bad__raed");

    for (const std::string tool : {"bad__read", "bad__write", "good__read"}) {
        EXPECT_TRUE(has(text, tool)) << tool << " is missing in " << text;
    }
    EXPECT_LT(text.find("bad__read"), text.find("bad__write")) << "the nearest name is first";
}

class UcpWholeScenarioTest : public UcpTest {};

TEST_F(UcpWholeScenarioTest, ACrashDuringAConversation) {
    start(4);
    bad_.does({"ok first", "die", "ok second"});
    EXPECT_EQ(text_in(answer("bad__read")), "first");

    EXPECT_EQ(text_in(answer("bad__read")), "second") << "on the new connection";

    EXPECT_EQ(text_in(answer("good__read")), "still here");
    EXPECT_EQ(bad_.starts().size(), 2U);
    EXPECT_TRUE(eventually([this] { return ucp_.status("bad") == "connected"; }));
}

TEST_F(UcpWholeScenarioTest, MalformedJson) {
    start(kRate);
    bad_.does({"junk"});

    const std::string failed = answer("bad__read");

    EXPECT_TRUE(has(text_in(failed),
                    "Tool call failed after 3 attempts: bad__read. Last error: invalid JSON from "
                    "the server\n"))
        << failed;
    EXPECT_EQ(ucp_.status("bad"), "error");
    EXPECT_EQ(ucp_.failure_count("bad"), 3);
    bad_.does({"ok fine"});
    EXPECT_EQ(text_in(answer("bad__read")), "fine");
    EXPECT_EQ(ucp_.status("bad"), "connected");
}

TEST_F(UcpWholeScenarioTest, SeveralFailuresInARow) {
    start(4);
    bad_.does({"rpc -32603 broken", "junk", "ok one", "die", "rpc -32603 broken", "ok two"});

    EXPECT_EQ(text_in(answer("bad__read")), "one");
    EXPECT_EQ(text_in(answer("bad__read")), "two");

    EXPECT_EQ(bad_.arrival_count(), 6U);
    EXPECT_EQ(ucp_.circuit("bad"), "closed");
    EXPECT_EQ(text_in(answer("good__read")), "still here");
}

TEST_F(UcpWholeScenarioTest, CombinedBehaviourUnderLoad) {
    constexpr int kCalls = 40;
    start(4);
    bad_.does({"ok a", "die", "ok b", kBroken, "ok c", "junk", "ok fine"});
    std::vector<std::string> bad_calls;
    std::vector<std::string> good_calls;
    for (int i = 0; i < kCalls; ++i) {
        bad_calls.push_back(ucp_.scene().agent().send(tool_call("bad__read")));
        good_calls.push_back(ucp_.scene().agent().send(tool_call("good__read")));
    }

    for (const std::string& id : good_calls) {
        EXPECT_EQ(text_in(ucp_.scene().agent().answer_to(id)), "still here");
    }
    for (const std::string& id : bad_calls) {
        ucp_.scene().listen();
        EXPECT_TRUE(has(ucp_.scene().agent().answer_to(id), R"("result":)"));
    }
    EXPECT_EQ(ucp_.circuit("good"), "closed");
    std::string last;
    EXPECT_TRUE(eventually([&] {
        last = answer("bad__read");
        return text_in(last) == "fine";
    })) << last;
}

}  // namespace
}  // namespace holdfast::test
