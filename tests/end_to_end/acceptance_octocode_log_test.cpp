// The preset `octocode`: its log lines, and the removal of idle circuits.

#include <chrono>
#include <string>
#include <tuple>

#include <gtest/gtest.h>

#include "end_to_end/octocode_scene.hpp"
#include "support/process_watch.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

constexpr int kRate = 20;
const std::string kBroken = fails_with(counted_error_of("lspCallHierarchy"));

class OctocodeLog : public testing::TestWithParam<AgentLeg> {
protected:
    void start(int rate) {
        scene_.scene().add_server("octo", server_.stdio_entry(kOctocodePreset));
        scene_.start(GetParam(), rate, "lspCallHierarchy");
    }
    void wait_until_let_through() {
        ASSERT_TRUE(
            eventually([this] { return scene_.code("lspCallHierarchy") != "CIRCUIT_OPEN"; }));
    }

    TroubledServer server_{{unmarked_tool("lspCallHierarchy"), unmarked_tool("ghSearchCode")}};
    Acceptance scene_;
};

TEST_P(OctocodeLog, EveryRetryIsLoggedWithItsAttemptAndDelay) {
    start(kRate);
    server_.does({fails_with("API rate limit exceeded")});
    std::ignore = scene_.answer("ghSearchCode");

    EXPECT_EQ(scene_.logged("retrying \"ghSearchCode\" in "), "1 s (attempt 2 of 3)");
    EXPECT_EQ(scene_.logged("retrying \"ghSearchCode\" in "), "3 s (attempt 3 of 3)");

    server_.does({fails_with("the language server is starting")});
    std::ignore = scene_.answer("lspCallHierarchy");

    EXPECT_EQ(scene_.logged("retrying \"lspCallHierarchy\" in "), "500 ms (attempt 2 of 3)");
    EXPECT_EQ(scene_.logged("retrying \"lspCallHierarchy\" in "), "1 s (attempt 3 of 3)");
}

TEST_P(OctocodeLog, EveryStateOfACircuitIsLogged) {
    const std::string circuit = "circuit \"octo/lsp:hierarchy\" ";
    start(kRate);
    server_.does({kBroken});
    std::ignore = scene_.answer("lspCallHierarchy");
    std::ignore = scene_.answer("lspCallHierarchy");
    EXPECT_EQ(scene_.logged(circuit + "opened "), "for 30 s after 2 failures");

    EXPECT_EQ(scene_.code("lspCallHierarchy"), "CIRCUIT_OPEN");
    const std::string refusal = scene_.logged("call to \"octo/lsp:hierarchy\" rejected: ");
    const std::string wait = "its circuit is open (retry in ";
    ASSERT_TRUE(refusal.starts_with(wait)) << refusal;
    EXPECT_TRUE(refusal.ends_with(" s)")) << refusal;
    const int left = std::stoi(refusal.substr(wait.size()));
    EXPECT_GT(left, 0);
    EXPECT_LE(left, 30);

    wait_until_let_through();
    EXPECT_EQ(scene_.logged(circuit + "half-open"), ": the next call is a probe");
    EXPECT_EQ(scene_.logged(circuit + "reopened "), "for 30 s: the probe failed");

    server_.does({"ok fine"});
    wait_until_let_through();
    EXPECT_EQ(scene_.code("lspCallHierarchy"), "");
    EXPECT_EQ(scene_.logged(circuit + "half-open"), ": the next call is a probe");
    EXPECT_EQ(scene_.logged(circuit), "closed");
}

TEST_P(OctocodeLog, ALogThatIsNotReadDelaysNothing) {
    start(1);
    server_.does({kBroken});
    for (int i = 0; i < 3'000; ++i) {
        const std::string answer = scene_.agent().request(tool_call("lspCallHierarchy"));
        ASSERT_TRUE(has(answer, R"("result":)")) << "call " << i;
    }
    // The log reports the gap once it is read again.
    scene_.listen();
    EXPECT_EQ(scene_.code("lspCallHierarchy"), "CIRCUIT_OPEN");
    EXPECT_EQ(scene_.logged(" log lines, which could not be "), "written in time");
}

INSTANTIATE_TEST_SUITE_P(Agent, OctocodeLog, testing::ValuesIn(kAcceptanceLegs), leg_name);

}  // namespace
}  // namespace holdfast::test
