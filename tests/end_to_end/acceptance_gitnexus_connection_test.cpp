#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <csignal>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "end_to_end/gitnexus_scene.hpp"
#include "support/process_watch.hpp"
#include "support/test_agent/loopback_listener.hpp"

// The preset `gitnexus` and its connection: a bridge that the gateway dials, one that dials in, and
// how each of them disconnects and reconnects.

namespace holdfast::test {
namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

using AcceptanceGitNexusPage = GitNexusTest;

INSTANTIATE_TEST_SUITE_P(Over, AcceptanceGitNexusPage,
                         ::testing::Values(kAgentLegs[0], kAgentLegs[1]), name_of_leg);

TEST_P(AcceptanceGitNexusPage, ATabThatClosesDuringACallIsConnectionLostAndIsUsedAgainLater) {
    start();
    expect_answered_call("first");
    const std::string request = agent().send(tool_call("search"));
    ASSERT_NE(page().next_call(), "");

    close_page();

    const std::string answer = agent().answer_to(request);
    EXPECT_EQ(code_in(answer), "CONNECTION_LOST") << answer;
    EXPECT_EQ(member_text(answer, "retryable"), "true") << answer;
    EXPECT_EQ(code_in(agent().request(tool_call("search"))), "CONNECTION_LOST");
    open_page();
    expect_answered_call("back");
}

TEST_P(AcceptanceGitNexusPage, CallsWithoutAPageDoNotOpenTheCircuit) {
    start();
    close_page();
    for (int count = 0; count < 10; ++count) {
        EXPECT_EQ(code_in(agent().request(tool_call("search"))), "CONNECTION_LOST");
    }
    open_page();
    expect_answered_call("back");
}

TEST_P(AcceptanceGitNexusPage, ABridgeThatReportsAMissingBrowserIsConnectionLost) {
    start();
    for (const std::string_view words : {"Browser not connected", "The browser is not connected.",
                                         "browser disconnected", "Error: browser tab closed"}) {
        const std::string request = agent().send(tool_call("search"));
        page().send(R"({"jsonrpc":"2.0","id":)" + page().next_call() +
                    R"(,"error":{"code":-32000,"message":")" + std::string{words} + R"("}})");

        const std::string answer = agent().answer_to(request);

        EXPECT_EQ(code_in(answer), "CONNECTION_LOST") << answer;
        EXPECT_EQ(member_text(answer, "isError"), "true") << answer;
        EXPECT_NE(member_text(answer, "retryable"), "") << answer;
        EXPECT_NE(answer.find(words), std::string::npos) << answer;
    }
}

TEST_P(AcceptanceGitNexusPage, AMissingBrowserOpensTheCircuitAfterFiveCalls) {
    start();
    for (int count = 0; count < 5; ++count) {
        const std::string request = agent().send(tool_call("search"));
        page().send(R"({"jsonrpc":"2.0","id":)" + page().next_call() +
                    R"(,"error":{"code":-32000,"message":"Browser not connected"}})");
        EXPECT_EQ(code_in(agent().answer_to(request)), "CONNECTION_LOST");
    }
    EXPECT_EQ(code_in(agent().request(tool_call("search"))), "CIRCUIT_OPEN");
}

TEST_P(AcceptanceGitNexusPage, OtherErrorsOfAToolArePassedOnUnchanged) {
    start();
    const std::string request = agent().send(tool_call("search"));
    const std::string error = R"({"code":-32001,"message":"no such graph","data":[1]})";
    page().send(R"({"jsonrpc":"2.0","id":)" + page().next_call() + R"(,"error":)" + error + "}");

    EXPECT_EQ(member_text(agent().answer_to(request), "error"), error);
}

TEST_P(AcceptanceGitNexusPage, JunkIsSkippedAndACallWithoutAnAnswerTimesOut) {
    start({"GITNEXUS_TIMEOUT_QUICK=2"});
    for (const std::string_view junk : {"this is not JSON", R"({"jsonrpc":"2.0","id":1,"resu)"}) {
        const std::string request = agent().send(tool_call("search"));
        ASSERT_NE(page().next_call(), "");
        page().send(std::string{junk});

        const std::string answer = agent().answer_to(request);

        EXPECT_EQ(code_in(answer), "TIMEOUT") << answer;
        EXPECT_EQ(member_text(answer, "isError"), "true") << answer;
        open_page();
        expect_answered_call("continues");
    }
}

/// A server behind a WebSocket that the gateway dials.
class AcceptanceGitNexusDialled : public ::testing::Test {
protected:
    void start(const std::string& clock_rate) {
        server_ = std::make_unique<Program>(std::vector<std::string>{
            Scene::fixture_path(), "--ws", "127.0.0.1:0", "--lifetime-seconds", "100"});
        const std::string url = server_->rest_of_error_line("fixture: listening on ");
        ASSERT_NE(url, "");
        port_ = static_cast<std::uint16_t>(std::stoi(url.substr(url.rfind(':') + 1)));
        scene.add_server("graph", R"({"type":"ws","url":")" + url + R"(","preset":"gitnexus"})");
        ASSERT_TRUE(scene.start({"--clock-rate", clock_rate}));
        agent_ = std::make_unique<TestAgent>(scene.agent(kAgentLegs[1]));
        ASSERT_TRUE(agent_->open());
        ASSERT_TRUE(agent_->finds_tool("echo"));
    }
    /// Its port refuses connections afterwards.
    void kill_server() {
        server_->send(SIGKILL);
        ASSERT_EQ(server_->wait(), -SIGKILL);
    }
    [[nodiscard]] TestAgent& agent() { return *agent_; }
    [[nodiscard]] std::uint16_t port() const { return port_; }

    Scene scene;

private:
    std::unique_ptr<Program> server_;
    std::unique_ptr<TestAgent> agent_;
    std::uint16_t port_ = 0;
};

TEST_F(AcceptanceGitNexusDialled, ServesToolsAndIsLostDuringACall) {
    start("1");
    EXPECT_NE(agent().call("call_count"), "");
    const std::string request = agent().send(tool_call("hang"));
    ASSERT_TRUE(eventually([this] { return agent().call("call_count") != "2"; }));

    kill_server();

    const std::string answer = agent().answer_to(request);
    EXPECT_EQ(member_text(answer, "code"), "\"CONNECTION_LOST\"") << answer;
}

TEST_F(AcceptanceGitNexusDialled, ExhaustedReconnectsAreRetryExhausted) {
    start("20");
    kill_server();
    const AgentRequest call = tool_call("echo", R"({"text":"x"})");
    std::string answer = agent().request(call);
    while (member_text(answer, "code") == "\"CONNECTION_LOST\"") {
        // In flight when the server died, or with the time of the next attempt.
        const std::string seconds = member_text(answer, "retryAfter");
        EXPECT_LE(std::stoi(seconds.empty() ? "0" : seconds), 60) << answer;
        std::this_thread::sleep_for(50ms);  // one second of gateway time
        answer = agent().request(call);
    }
    EXPECT_EQ(member_text(answer, "code"), "\"RETRY_EXHAUSTED\"") << answer;
    // The dials after the tenth are 60 s apart.
    EXPECT_NE(answer.find("10 connection attempts have failed"), std::string::npos) << answer;
    EXPECT_EQ(member_text(answer, "isError"), "true") << answer;
    EXPECT_NE(member_text(answer, "retryable"), "") << answer;
    // Connection attempts continue.
    const LoopbackListener listener{port()};
    EXPECT_GE(listener.accept().input(), 0);
}

/// When the gateway dials a port whose connections are closed at once.
struct Dial {
    Clock::time_point came = {};
    Clock::time_point closed = {};
};

std::vector<Dial> dials(const LoopbackListener& listener, std::size_t count) {
    std::vector<Dial> seen;
    while (seen.size() < count) {
        const ByteStream connection = listener.accept();
        EXPECT_GE(connection.input(), 0);
        const auto now = Clock::now();
        // The gateway sees the end of the connection after this and starts its delay.
        seen.push_back({.came = now, .closed = Clock::now()});
    }
    return seen;
}

TEST(AcceptanceGitNexusReconnect, DoublesFromHalfASecondUpTo60Seconds) {
    constexpr std::array kDelays{500ms,    1'000ms,  2'000ms,  4'000ms,  8'000ms,
                                 16'000ms, 32'000ms, 60'000ms, 60'000ms, 60'000ms};
    const LoopbackListener listener;
    Scene scene;
    scene.add_server("graph", R"({"type":"ws","url":"ws://127.0.0.1:)" +
                                  std::to_string(listener.port()) + R"(","preset":"gitnexus"})");
    ASSERT_TRUE(scene.start({"--clock-rate", "20"}));

    const auto seen = dials(listener, kDelays.size() + 1);

    for (std::size_t index = 0; index < kDelays.size(); ++index) {
        const auto waited = (seen[index + 1].came - seen[index].closed) * 20;
        EXPECT_GE(waited, kDelays[index] * 85 / 100) << index;
        EXPECT_LE(waited, kDelays[index] * 115 / 100 + 20s) << index;  // one second of real time
    }
}

TEST(AcceptanceGitNexusReconnect, WaitsHalfASecondOnTheRealClock) {
    const LoopbackListener listener;
    Scene scene;
    scene.add_server("graph", R"({"type":"ws","url":"ws://127.0.0.1:)" +
                                  std::to_string(listener.port()) + R"(","preset":"gitnexus"})");
    ASSERT_TRUE(scene.start());

    const auto seen = dials(listener, 3);

    EXPECT_GE(seen[1].came - seen[0].closed, 425ms);
    EXPECT_LE(seen[1].came - seen[0].closed, 5s);
    EXPECT_GE(seen[2].came - seen[1].closed, 850ms);
}

TEST(AcceptanceGitNexusChild, AProcessThatDiesDuringACallIsConnectionLostAndIsRestarted) {
    Scene scene;
    scene.add_server("graph",
                     R"({"preset":"gitnexus",)" + Scene::stdio_entry({"--stdio"}).substr(1));
    ASSERT_TRUE(scene.start({"--stdio", "--clock-rate", "20"}));
    for (const AgentLeg& leg : {kAgentLegs[1], kAgentLegs[0]}) {
        TestAgent agent = scene.agent(leg);
        ASSERT_TRUE(agent.open());
        ASSERT_TRUE(agent.finds_tool("crash"));

        const std::string answer = agent.request(tool_call("crash"));

        EXPECT_EQ(member_text(answer, "code"), "\"CONNECTION_LOST\"") << answer;
        EXPECT_EQ(member_text(answer, "isError"), "true") << answer;
        EXPECT_TRUE(eventually([&agent] {
            return agent.call("echo", R"({"text":"back"})").find("back") != std::string::npos;
        }));
    }
}

}  // namespace
}  // namespace holdfast::test
