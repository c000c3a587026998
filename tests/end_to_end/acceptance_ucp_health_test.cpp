// The preset `ucp` and the health of servers: which alternatives are suggested, the status of a
// starting server, and the text of a call without attempts left.

#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "end_to_end/gated_server.hpp"
#include "end_to_end/ucp_scene.hpp"
#include "support/process_watch.hpp"
#include "support/test_agent/json_text.hpp"

namespace holdfast::test {
namespace {

constexpr int kRate = 20;

/// Alternatives of a rule: `stuck` has an open circuit, `dead` is not connected, `good` is healthy.
/// The circuits of `broken` and `stuck` stay open: a minute of the gateway, which is three seconds
/// at this rate, could end during a test.
class UcpAlternatives : public testing::Test {
protected:
    void start(const std::string& alternatives) {
        scene_.scene().scene().add_server(
            "broken", broken_.stdio_entry(R"("circuits":{"broken":{"open":"1h"}})"));
        scene_.scene().scene().add_server(
            "stuck", stuck_.stdio_entry(R"("circuits":{"stuck":{"open":"1h"}})"));
        scene_.scene().scene().add_server("dead", dead_.stdio_entry());
        scene_.scene().scene().add_server("good", good_.stdio_entry());
        scene_.scene().scene().add_section(R"("tools":[{"match":"broken.fetch","alternatives":[)" +
                                           alternatives + "]}]");
        scene_.start(kRate, "broken__fetch");
        for (const std::string tool : {"stuck__inspect", "dead__measure", "good__collect"}) {
            ASSERT_TRUE(scene_.scene().agent().finds_tool(tool));
        }
        good_.does({"ok from the healthy one"});
        broken_.does({"rpc -32603 broken"});
    }
    void open_circuit_of_stuck() {
        stuck_.does({"rpc -32603 stuck"});
        ASSERT_TRUE(eventually([this] {
            std::ignore = answer("stuck__inspect");
            return scene_.circuit("stuck") == "open";
        }));
    }
    void kill_dead() {
        dead_.refuses_to_start(true);
        dead_.does({"die"});
        std::ignore = answer("dead__measure");
        ASSERT_TRUE(eventually([this] { return scene_.status("dead") == "error"; }));
    }
    [[nodiscard]] std::string answer(const std::string& tool) {
        return scene_.scene().answer(tool);
    }

    // Names and descriptions have nothing in common.
    TroubledServer broken_{{unmarked_tool("fetch")}};
    TroubledServer stuck_{{unmarked_tool("inspect")}};
    TroubledServer dead_{{unmarked_tool("measure")}};
    TroubledServer good_{{unmarked_tool("collect")}};
    UcpScene scene_;
};

TEST_F(UcpAlternatives, ThatAreUnhealthyAreNotNamed) {
    start(R"("stuck.inspect","dead.measure","good.collect")");
    const std::string before = answer("broken__fetch");
    EXPECT_TRUE(has(before, R"("alternatives":["stuck__inspect","dead__measure","good__collect"])"))
        << before;
    open_circuit_of_stuck();
    kill_dead();

    const std::string after = answer("broken__fetch");

    EXPECT_TRUE(has(text_in(after), "- One of these tools, which are available now: good__collect"))
        << after;
    EXPECT_TRUE(has(after, R"("alternatives":["good__collect"])")) << after;
    EXPECT_FALSE(has(after, "inspect")) << after;
    EXPECT_FALSE(has(after, "measure")) << after;
}

TEST_F(UcpAlternatives, WithAnOpenCircuitAreNotCalledInstead) {
    start(R"("stuck.inspect","good.collect")");
    open_circuit_of_stuck();
    const std::size_t of_stuck = stuck_.arrival_count();
    for (int count = 0; count < 5; ++count) {
        EXPECT_TRUE(has(answer("broken__fetch"), R"("isError":true)"));
    }

    EXPECT_EQ(text_in(answer("broken__fetch")), "from the healthy one");

    EXPECT_EQ(broken_.arrival_count(), 5U);
    EXPECT_EQ(stuck_.arrival_count(), of_stuck);
    EXPECT_EQ(good_.arrival_count(), 1U);
}

TEST_F(UcpAlternatives, AreNotCalledWhileTheirServerIsDown) {
    start(R"("dead.measure","good.collect")");
    kill_dead();
    for (int count = 0; count < 5; ++count) {
        EXPECT_TRUE(has(answer("broken__fetch"), R"("isError":true)"));
    }

    EXPECT_EQ(text_in(answer("broken__fetch")), "from the healthy one");

    EXPECT_EQ(broken_.arrival_count(), 5U);
    EXPECT_EQ(good_.arrival_count(), 1U);
}

TEST_F(UcpAlternatives, NoneIsNamedWhenAllAreUnhealthy) {
    start(R"("stuck.inspect","dead.measure")");
    open_circuit_of_stuck();
    kill_dead();

    const std::string failure = answer("broken__fetch");

    EXPECT_TRUE(has(text_in(failure), "- A different tool if this one is unavailable")) << failure;
    EXPECT_FALSE(has(failure, "alternatives")) << failure;
    EXPECT_FALSE(has(failure, "inspect")) << failure;
    EXPECT_FALSE(has(failure, "measure")) << failure;
}

TEST_F(UcpAlternatives, AreNamedAgainWhenTheyAreHealthyAgain) {
    start(R"("stuck.inspect","dead.measure")");
    open_circuit_of_stuck();
    kill_dead();

    dead_.does({"ok fine"});
    dead_.refuses_to_start(false);
    ASSERT_TRUE(eventually([this] { return scene_.status("dead") == "connected"; }));

    const std::string failure = answer("broken__fetch");
    EXPECT_TRUE(has(failure, R"("alternatives":["dead__measure"])")) << failure;
    EXPECT_FALSE(has(failure, "inspect")) << failure;
}

/// A server that starts when a file exists.
class UcpStarting : public testing::Test {
protected:
    TemporaryFolder folder_;
    const std::string gate_ = folder_ / "gate";
    TroubledServer server_{{read_only_tool("slow")}};
    TroubledServer other_{{read_only_tool("quick")}};
    UcpScene scene_;
};

TEST_F(UcpStarting, AServerIsConnectingUntilItsFirstStartHasEnded) {
    scene_.scene().scene().add_server("late", gated_entry(server_, gate_));
    scene_.scene().scene().add_server("other", other_.stdio_entry());
    scene_.start(1, "other__quick");

    for (int look = 0; look < 5; ++look) {
        EXPECT_EQ(scene_.status("late"), "connecting");
        EXPECT_EQ(scene_.server("late").at("tool_count").to_number<int>(), 0);
        EXPECT_EQ(scene_.circuit("late"), "closed");
        EXPECT_EQ(scene_.failure_count("late"), 0);
    }
    EXPECT_EQ(scene_.status("other"), "connected");
    EXPECT_TRUE(server_.starts().empty());

    write_file(gate_, "");
    EXPECT_TRUE(eventually([this] { return scene_.status("late") == "connected"; }));
    EXPECT_TRUE(eventually(
        [this] { return scene_.server("late").at("tool_count").to_number<int>() == 1; }));
}

/// The text of a call that has no attempt left.
class UcpLastError : public testing::TestWithParam<AgentLeg> {
protected:
    void start() {
        scene_.scene().add_server("store", server_.http_entry());
        scene_.scene().add_section(R"("preset":"ucp")");
        scene_.start(GetParam(), kRate, "write");
    }
    /// Returns the line after the name of the tool.
    [[nodiscard]] static std::string what_happened(const std::string& text) {
        const std::size_t begin = text.find("\n  ");
        return begin == std::string::npos
                   ? text
                   : text.substr(begin + 3, text.find('\n', begin + 1) - begin - 3);
    }

    TroubledServer server_{{unmarked_tool("write"), read_only_tool("read")}};
    Acceptance scene_;
};

TEST_P(UcpLastError, ARateLimitOfAnUnmarkedToolIsOneAttemptAndIsNamed) {
    start();
    server_.does({"status 429 7 slow down"});

    const std::string answer = scene_.answer("write", R"({"q":"x"})");

    EXPECT_EQ(server_.arrival_count(), 1U);
    const std::string text = text_in(answer);
    EXPECT_TRUE(
        text.starts_with("Error calling tool 'write':\n  "
                         "Tool call failed after 1 attempt: write. Last error: "))
        << text;
    EXPECT_TRUE(has(what_happened(text), "429")) << text;
    EXPECT_TRUE(has(text, "\n  Tool description: Does write.\n")) << text;
    EXPECT_TRUE(has(text, "\n  You sent: {\"q\":\"x\"}\n")) << text;
    EXPECT_TRUE(has(answer, R"("code":"RATE_LIMITED")")) << answer;
}

TEST_P(UcpLastError, ARateLimitOfASafeToolIsThreeAttempts) {
    start();
    server_.does({"status 429 1 slow down"});

    const std::string text = text_in(scene_.answer("read"));

    EXPECT_EQ(server_.arrival_count(), 3U);
    EXPECT_TRUE(
        text.starts_with("Error calling tool 'read':\n  "
                         "Tool call failed after 3 attempts: read. Last error: "))
        << text;
    EXPECT_TRUE(has(what_happened(text), "429")) << text;
}

INSTANTIATE_TEST_SUITE_P(Agent, UcpLastError, testing::ValuesIn(kAcceptanceLegs), leg_name);

}  // namespace
}  // namespace holdfast::test
