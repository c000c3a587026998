// The policy key `waitForConnection`, with a server that has crashed.

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "end_to_end/acceptance.hpp"
#include "support/process_watch.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

constexpr int kRate = 2;

enum class After { comes_back, stays_away };

class ConnectionWaitTest : public testing::Test {
protected:
    /// Starts the gateway, and lets the server crash in its first call.
    void crash(const std::string& value, After after) {
        scene_.scene().add_server(
            "box", server_.stdio_entry(
                       R"("reconnect":{"delay":"1s","multiplier":2,"jitter":0,"attempts":3})"));
        scene_.scene().add_section(R"("policies":{"default":{"waitForConnection":)" + value + "}}");
        scene_.start(kAcceptanceLegs[1], kRate, "write");
        server_.refuses_to_start(after == After::stays_away);
        server_.does({"die", "ok here again"});
        EXPECT_EQ(scene_.code("write"), "CONNECTION_LOST");
    }

    TroubledServer server_{{read_only_tool("read"), unmarked_tool("write")}};
    Acceptance scene_;
};

TEST_F(ConnectionWaitTest, FirstTryWaitsForTheNewConnection) {
    crash(R"("firstTry")", After::comes_back);

    EXPECT_EQ(text_in(scene_.answer("write")), "here again");
    EXPECT_EQ(server_.arrival_count(), 2U);
}

TEST_F(ConnectionWaitTest, AServerThatCrashesAtEveryFifthCallAnswersEveryRead) {
    constexpr std::size_t kReads = 40;
    scene_.scene().add_server(
        "box", server_.stdio_entry(R"("reconnect":{"delay":"1s","multiplier":2,"jitter":0})"));
    scene_.start(kAcceptanceLegs[1], kRate, "read");
    std::vector<std::string> actions;
    for (int crash = 0; crash < 10; ++crash) {
        // Each connection lives longer than the delay before it.
        actions.insert(actions.end(), 4, "late 450 ok here");
        actions.emplace_back("die");
    }
    server_.does(actions);

    std::size_t useful = 0;
    for (std::size_t read = 0; read < kReads; ++read) {
        const std::string answer = scene_.answer("read");
        useful += text_in(answer) == "here" ? 1U : 0U;
    }

    EXPECT_EQ(useful, kReads);
    // Each connection answered calls for that long, so the delay before the next one does not grow.
    const auto starts = server_.starts();
    ASSERT_GE(starts.size(), 8U);
    const auto arrivals = server_.arrivals();
    for (std::size_t crash = 0; crash + 1 < starts.size(); ++crash) {
        const Sighting& last = arrivals.at(5 * crash + 4);
        EXPECT_LT(starts[crash + 1].at - last.at, scene_.real(2s)) << crash;
    }
}

TEST_F(ConnectionWaitTest, FirstTryFailsWithTheTimeOfTheNextDialWhenTheFirstOneFails) {
    crash(R"("firstTry")", After::stays_away);

    const std::string answer = scene_.answer("write");

    EXPECT_TRUE(has(answer, R"("code":"CONNECTION_LOST")")) << answer;
    EXPECT_TRUE(has(answer, R"("sideEffects":"none")")) << answer;
    EXPECT_TRUE(has(answer, R"("attempts":1)")) << answer;
    EXPECT_TRUE(has(answer, R"("retryAfter":)")) << answer;
}

TEST_F(ConnectionWaitTest, FalseFailsAtOnceWithTheTimeOfTheNextDial) {
    crash("false", After::stays_away);

    const std::string answer = scene_.answer("write");

    EXPECT_TRUE(has(answer, R"("code":"CONNECTION_LOST")")) << answer;
    EXPECT_TRUE(has(answer, R"("sideEffects":"none")")) << answer;
    EXPECT_TRUE(has(answer, R"("attempts":1)")) << answer;
    EXPECT_TRUE(has(answer, R"("retryAfter":)")) << answer;
    EXPECT_FALSE(has(answer, R"("retryAfter":0)")) << answer;
}

TEST_F(ConnectionWaitTest, TrueWaitsThroughAFailedDial) {
    crash("true", After::stays_away);
    const std::size_t before = server_.starts().size();
    scene_.listen();
    const std::string id = scene_.agent().send(tool_call("write"));
    ASSERT_TRUE(eventually([&] { return server_.starts().size() > before; }));

    server_.refuses_to_start(false);

    EXPECT_EQ(text_in(scene_.agent().answer_to(id)), "here again");
    EXPECT_EQ(server_.arrival_count(), 2U);
}

TEST_F(ConnectionWaitTest, AWaitThatTheDeadlineEndsIsNotCountedOnTheCircuit) {
    scene_.scene().add_server(
        "box", server_.stdio_entry(
                   R"("timeout":"2s","reconnect":{"delay":"1s","multiplier":1,"jitter":0})"));
    scene_.scene().add_section(
        R"("policies":{"default":{"waitForConnection":true,"circuit":{"failures":2}}})");
    scene_.start(kAcceptanceLegs[1], kRate, "write");
    server_.refuses_to_start(true);
    server_.does({"die"});
    EXPECT_EQ(scene_.code("write"), "CONNECTION_LOST");  // the only count

    for (int call = 0; call < 3; ++call) {
        const std::string answer = scene_.answer("write");
        EXPECT_TRUE(has(answer, R"("code":"CONNECTION_LOST")")) << answer;
        EXPECT_TRUE(has(answer, R"("sideEffects":"none")")) << answer;
    }
    EXPECT_EQ(server_.arrival_count(), 1U);
}

TEST_F(ConnectionWaitTest, TrueEndsWhenTheReconnectionAttemptsAreUsedUp) {
    crash("true", After::stays_away);

    const std::string answer = scene_.answer("write");

    EXPECT_TRUE(has(answer, R"("code":"RETRY_EXHAUSTED")")) << answer;
    EXPECT_TRUE(has(answer, "3 connection attempts have failed")) << answer;
    EXPECT_TRUE(has(answer, R"("sideEffects":"none")")) << answer;
}

}  // namespace
}  // namespace holdfast::test
