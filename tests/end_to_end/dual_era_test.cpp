// Servers that speak both eras: which one the gateway uses for which agent.

#include <array>
#include <chrono>
#include <string>
#include <string_view>
#include <thread>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "end_to_end/leg_pairs.hpp"
#include "end_to_end/scene.hpp"
#include "support/test_agent/http_exchange.hpp"
#include "support/test_agent/json_text.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

constexpr std::string_view kFilled = R"({"username":"ada","email":"ada@example.org"})";
constexpr auto kPatience = 20s;

bool has(std::string_view text, std::string_view part) {
    return text.find(part) != std::string_view::npos;
}

std::string entry_of(const std::string& command, const std::string& script,
                     const std::string& members) {
    return R"({"command":")" + command + R"(","args":[")" + script + "\"]" + members + "}";
}

/// Servers of both eras whose tools can only send requests.
class DualEra : public testing::TestWithParam<LegPair> {
protected:
    void start() {
        const auto& [agent_leg, server_leg] = GetParam();
        scene_.add_fixture("fixture", server_leg, {"--era", "both", "--only-pushes"});
        const bool on_stdio = agent_leg.transport == AgentTransport::stdio;
        ASSERT_TRUE(scene_.start(on_stdio ? std::vector<std::string>{"--stdio"}
                                          : std::vector<std::string>{}));
    }
    [[nodiscard]] TestAgent opened_agent() {
        TestAgent agent = scene_.agent(std::get<0>(GetParam()));
        EXPECT_TRUE(agent.open());
        EXPECT_TRUE(agent.finds_tool("test_elicitation"));
        return agent;
    }

    Scene scene_;
};

TEST_P(DualEra, ALegacyAgentIsAskedByToolsThatPush) {
    start();
    TestAgent agent = opened_agent();

    const std::string answer = agent.call_and_fill_in(
        tool_call("test_elicitation", R"({"message":"Who?"})"), std::string{kFilled});

    EXPECT_TRUE(has(answer, "ada@example.org")) << answer;
}

constexpr std::array kServers{
    ServerLeg{"Stdio", ServerEra::modern, ServerTransport::stdio},
    ServerLeg{"Http", ServerEra::modern, ServerTransport::http},
    ServerLeg{"WebSocket", ServerEra::modern, ServerTransport::websocket}};

INSTANTIATE_TEST_SUITE_P(All, DualEra,
                         testing::Combine(testing::Values(kAgentLegs[0], kAgentLegs[1],
                                                          kAgentLegs[2]),
                                          testing::ValuesIn(kServers)),
                         name_of_pair);

class EraChoice : public testing::Test {
protected:
    void start(const std::string& script, const std::string& members = {}) {
        const std::string path = scene_.folder() / "server.sh";
        write_file(path, script);
        scene_.add_server("box", entry_of("/bin/sh", path, members));
        scene_.add_section(R"("admin":{"http":"127.0.0.1:0"})");
        ASSERT_TRUE(scene_.start({"--clock-rate", "10"}));
    }
    [[nodiscard]] std::string status() {
        return http_exchange(scene_.admin_port(), {.method = "GET", .path = "/api/status"}).body();
    }
    /// Waits until the server is connected and returns its revision.
    [[nodiscard]] std::string revision() {
        const auto end = std::chrono::steady_clock::now() + kPatience;
        while (std::chrono::steady_clock::now() < end) {
            const std::string text = status();
            if (has(text, R"("status":"connected")")) {
                return member_text(text, "era");
            }
            std::this_thread::sleep_for(10ms);
        }
        return status();
    }
    [[nodiscard]] static std::string fixture(const std::string& era) {
        return "exec " + Scene::fixture_path() + " --stdio --only-pushes --era " + era + "\n";
    }

    Scene scene_;
};

// The probe waits 5 s, which are 500 ms here.
TEST_F(EraChoice, AServerThatIsSlowToStartIsModern) {
    start("sleep 1\n" + fixture("both"));

    EXPECT_EQ(revision(), R"("2026-07-28")");
}

TEST_F(EraChoice, AServerBehindAProgramThatReadsAheadIsModernToo) {
    start("cat | (sleep 1; " + fixture("both") + ")\n");

    EXPECT_EQ(revision(), R"("2026-07-28")");
}

TEST_F(EraChoice, ALegacyServerThatIsSlowToStartIsLegacy) {
    start("sleep 1\n" + fixture("legacy"));

    EXPECT_EQ(revision(), R"("2025-11-25")");
}

TEST_F(EraChoice, TheConfigCanRequireTheLegacyEra) {
    start(fixture("both"), R"(,"era":"legacy")");

    EXPECT_EQ(revision(), R"("2025-11-25")");
}

TEST_F(EraChoice, TheConfigCanRequireTheModernEra) {
    start(fixture("both"), R"(,"era":"modern")");
    EXPECT_EQ(revision(), R"("2026-07-28")");
    TestAgent agent = scene_.agent(kAgentLegs[1]);
    ASSERT_TRUE(agent.open());
    ASSERT_TRUE(agent.finds_tool("test_elicitation"));

    const std::string answer = agent.request(tool_call("test_elicitation", R"({"message":"?"})"));

    EXPECT_TRUE(has(answer, R"("isError":true)")) << answer;
}

TEST_F(EraChoice, ALegacyServerIsNotUsedIfTheModernEraIsRequired) {
    start(fixture("legacy"), R"(,"era":"modern")");

    const auto end = std::chrono::steady_clock::now() + kPatience;
    std::string text = status();
    while (!has(text, R"("status":"error")") && std::chrono::steady_clock::now() < end) {
        std::this_thread::sleep_for(10ms);
        text = status();
    }

    EXPECT_TRUE(has(text, "does not speak the protocol revision 2026-07-28")) << text;
}

}  // namespace
}  // namespace holdfast::test
