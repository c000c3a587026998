// The preset `octocode` and lost connections: each call that is lost with one counts on the circuit
// of its tool.

#include <string>

#include <gtest/gtest.h>

#include "end_to_end/octocode_scene.hpp"
#include "support/process_watch.hpp"

namespace holdfast::test {
namespace {

constexpr int kRate = 20;

class OctocodeConnections : public testing::TestWithParam<AgentLeg> {
protected:
    void start(const std::string& entry) {
        scene_.scene().add_server("octo", entry);
        scene_.start(GetParam(), kRate, "localFindFiles");
    }
    /// Returns the code of a call that reached the server or its port.
    [[nodiscard]] std::string code() { return scene_.code("localFindFiles"); }
    /// Its circuit, `local`, opens after three failures. The other circuits stay closed.
    void expect_open_circuit_of_this_tool_alone() {
        const std::size_t before = server_.arrival_count();
        const std::string refusal = scene_.answer("localFindFiles");
        EXPECT_TRUE(has(refusal, R"("code":"CIRCUIT_OPEN")")) << refusal;
        EXPECT_TRUE(has(text_in(refusal), "Circuit breaker 'octo/local' is open.")) << refusal;
        EXPECT_EQ(server_.arrival_count(), before);
        EXPECT_NE(scene_.code("githubGetFileContent"), "CIRCUIT_OPEN");
    }

    TroubledServer server_{
        {unmarked_tool("localFindFiles"), unmarked_tool("githubGetFileContent")}};
    Acceptance scene_;
};

TEST_P(OctocodeConnections, AChildThatDiesDuringACallCounts) {
    start(server_.stdio_entry(kOctocodePreset));
    server_.does_for("localFindFiles", {"die"});

    for (std::size_t call = 1; call <= 3; ++call) {
        EXPECT_EQ(code(), "CONNECTION_LOST") << call;
        EXPECT_EQ(server_.arrivals("localFindFiles").size(), call) << "each call was sent, once";
    }

    expect_open_circuit_of_this_tool_alone();
}

TEST_P(OctocodeConnections, AnAnswerBetweenTwoDeathsResetsTheCount) {
    start(server_.stdio_entry(kOctocodePreset));
    server_.does_for("localFindFiles", {"die", "die", "ok fine", "die", "die", "ok fine"});

    for (int round = 0; round < 2; ++round) {
        EXPECT_EQ(code(), "CONNECTION_LOST");
        EXPECT_EQ(code(), "CONNECTION_LOST");
        EXPECT_EQ(text_in(scene_.answer("localFindFiles")), "fine");
    }
}

TEST_P(OctocodeConnections, AConnectionThatClosesDuringACallCounts) {
    start(server_.http_entry(kOctocodePreset));
    server_.does_for("localFindFiles", {"close"});

    for (std::size_t call = 1; call <= 3; ++call) {
        EXPECT_EQ(code(), "CONNECTION_LOST") << call;
        EXPECT_EQ(server_.arrivals("localFindFiles").size(), call) << "each call was sent, once";
    }

    expect_open_circuit_of_this_tool_alone();
}

TEST_P(OctocodeConnections, ARefusedConnectionCounts) {
    start(server_.http_entry(kOctocodePreset));
    server_.stop();

    for (int call = 0; call < 3; ++call) {
        EXPECT_EQ(code(), "CONNECTION_LOST") << call;
    }

    expect_open_circuit_of_this_tool_alone();
}

INSTANTIATE_TEST_SUITE_P(Agent, OctocodeConnections, testing::ValuesIn(kAcceptanceLegs), leg_name);

}  // namespace
}  // namespace holdfast::test
