#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <string>
#include <thread>
#include <vector>

#include "end_to_end/gitnexus_dialled_scene.hpp"
#include "support/process_watch.hpp"
#include "support/test_agent/loopback_listener.hpp"

// The dials of the preset `gitnexus`, counted at the listener: which calls wait for one, how many
// may fail, and how far apart they are. A test holds each connection until it has checked.

namespace holdfast::test {
namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

using GitNexusDials = GitNexusDialledTest;

bool is_there(const ByteStream& connection) {
    return connection.input() >= 0;
}

TEST_F(GitNexusDials, ACallDuringTheFirstDialWaitsUntilItIsConnected) {
    start_bridge();
    add_server("graph");
    make_tools_known();
    pause_bridge();
    start_gateway(1);

    const std::string request = agent().send(tool_call("echo", R"({"text":"patience"})"));
    EXPECT_EQ(agent().next_message(1s), "") << "the first dial has not ended";
    continue_bridge();

    EXPECT_EQ(plain_text(member_text(agent().answer_to(request), "text")), "patience");
}

TEST_F(GitNexusDials, ACallDuringTheFirstDialFailsWhenThatDialFails) {
    start_bridge();
    add_server("graph", R"("reconnect":{"delay":"20s","jitter":0})");
    make_tools_known();
    kill_bridge();
    const LoopbackListener listener{port()};
    start_gateway(1);
    std::string request;
    {
        const ByteStream first = listener.accept();
        ASSERT_TRUE(is_there(first));
        request = agent().send(tool_call("echo", R"({"text":"x"})"));
        EXPECT_EQ(agent().next_message(500ms), "") << "the first dial has not ended";
    }

    const std::string answer = agent().answer_to(request);

    EXPECT_EQ(code_in(answer), "CONNECTION_LOST") << answer;
    EXPECT_EQ(member_text(answer, "retryAfter"), "20") << answer;
    EXPECT_EQ(member_text(answer, "sideEffects"), "\"none\"") << answer;
    EXPECT_FALSE(is_there(listener.accept(0ms))) << "it did not wait for the second dial";
}

TEST_F(GitNexusDials, ACallWithoutASocketFailsAtOnceWithTheTimeOfTheNextDial) {
    start_bridge();
    add_server("graph", R"("reconnect":{"delay":"6s","jitter":0})");
    start_gateway(1);
    ASSERT_TRUE(agent().finds_tool("echo"));
    const auto before_loss = Clock::now();
    kill_bridge();
    const LoopbackListener listener{port()};
    std::string answer;
    auto asked = Clock::now();
    // The call may precede the detection of the closed socket; then it was sent.
    ASSERT_TRUE(eventually([&] {
        asked = Clock::now();
        answer = call();
        return member_text(answer, "sideEffects") == "\"none\"";
    }));
    const auto answered = Clock::now();

    EXPECT_EQ(code_in(answer), "CONNECTION_LOST") << answer;
    EXPECT_EQ(member_text(answer, "retryable"), "true") << answer;
    EXPECT_FALSE(is_there(listener.accept(0ms))) << "it did not wait for a dial";
    // Whole seconds, rounded up.
    const std::chrono::seconds left{std::stoi("0" + member_text(answer, "retryAfter"))};
    EXPECT_LE(left, 6s) << answer;
    EXPECT_GE(left, 6s - (answered - before_loss)) << answer;
    ASSERT_TRUE(is_there(listener.accept()));
    EXPECT_GE(Clock::now() - before_loss, 6s);
    EXPECT_GT(Clock::now() - asked, left - 1s) << answer;
}

/// Dials that fail one after another; each is held while the test checks.
class GitNexusAttempts : public GitNexusDialledTest {
protected:
    static constexpr int kRate = 8;

    /// Allows three dials. Later ones are far apart.
    void add_impatient_server() {
        add_server("graph", R"("reconnect":{"delay":"1s","multiplier":6,"jitter":0,"attempts":3})");
    }
    void expect_given_up_after_dials(const std::string& count) {
        std::string answer;
        ASSERT_TRUE(eventually([&] {
            answer = call();
            return member_text(answer, "text").find(count + " connection") != std::string::npos;
        })) << answer;
        EXPECT_EQ(code_in(answer), "RETRY_EXHAUSTED") << answer;
        EXPECT_NE(answer.find(count + " connection attempts have failed"), std::string::npos)
            << answer;
    }
    /// Lets the next dial fail; calls before its end are lost connections.
    void fail_dial(const LoopbackListener& listener) {
        const ByteStream connection = listener.accept();
        ASSERT_TRUE(is_there(connection));
        EXPECT_EQ(code_in(call()), "CONNECTION_LOST");
    }
};

TEST_F(GitNexusAttempts, AreCountedFromTheFirstDialAfterALostConnection) {
    start_bridge();
    add_impatient_server();
    start_gateway(kRate);
    ASSERT_TRUE(agent().finds_tool("echo"));
    kill_bridge();
    const LoopbackListener listener{port()};

    for (int dial = 0; dial < 3; ++dial) {
        fail_dial(listener);
    }

    expect_given_up_after_dials("3");
    EXPECT_FALSE(is_there(listener.accept(0ms))) << "the fourth dial is later";
}

TEST_F(GitNexusAttempts, IncludeTheFirstDialAtTheStart) {
    start_bridge();
    add_impatient_server();
    make_tools_known();
    kill_bridge();
    const LoopbackListener listener{port()};
    start_gateway(kRate);

    ASSERT_TRUE(is_there(listener.accept()));
    fail_dial(listener);
    fail_dial(listener);

    expect_given_up_after_dials("3");
    EXPECT_FALSE(is_there(listener.accept(0ms))) << "the fourth dial is later";
    // Dials continue, and the text counts them.
    ASSERT_TRUE(is_there(listener.accept()));
    expect_given_up_after_dials("4");
}

TEST_F(GitNexusDials, NoReconnectDelayExceeds60Seconds) {
    constexpr int kServers = 12;
    start_bridge();
    for (int number = 1; number <= kServers; ++number) {
        add_server("g" + std::to_string(number));
    }
    make_tools_known("g1__echo");
    kill_bridge();
    start_gateway(20);

    // 63.5 s, plus or minus the jitter, pass until a delay is capped, then two such delays.
    std::vector<int> waits;
    const auto end = Clock::now() + (74s + 60s + 60s) / 20;
    while (Clock::now() < end) {
        for (int number = 1; number <= kServers; ++number) {
            const std::string answer = call("g" + std::to_string(number) + "__echo");
            const std::string seconds = member_text(answer, "retryAfter");
            if (!seconds.empty()) {
                waits.push_back(std::stoi(seconds));
                EXPECT_LE(waits.back(), 60) << answer;
            }
        }
        std::this_thread::sleep_for(20ms);
    }

    ASSERT_FALSE(waits.empty());
    EXPECT_GE(std::ranges::max(waits), 52) << "the delays reach the cap";
}

}  // namespace
}  // namespace holdfast::test
