#include <gtest/gtest.h>

#include <csignal>
#include <fstream>
#include <string>
#include <string_view>

#include "end_to_end/scene.hpp"

// Credentials of MCP servers: their sources, and that no server receives those of another agent.

namespace holdfast::test {
namespace {

constexpr AgentLeg kLegacyStdio = kAgentLegs[0];

bool says(const std::string& text, std::string_view words) {
    return text.find(words) != std::string::npos;
}

std::string key_line(const std::string& key) {
    return "X-Api-Key: " + key + "\r\n";
}

/// Every transport to a server that carries headers.
class CredentialsTest : public ::testing::TestWithParam<ServerLeg> {
protected:
    void add_server(const std::string& sources) {
        url = scene.start_fixture(GetParam());
        scene.add_server("vault", entry(sources));
    }
    [[nodiscard]] std::string entry(const std::string& sources) const {
        const bool is_websocket = GetParam().transport == ServerTransport::websocket;
        const bool is_sse = GetParam().transport == ServerTransport::sse;
        const std::string type = is_websocket ? "ws" : is_sse ? "sse" : "http";
        return R"({"type":")" + type + R"(","url":")" + url + R"(","credentials":[{"from":)" +
               sources + R"(,"as":{"header":"Authorization","prefix":"Bearer "}}]})";
    }
    TestAgent opened(const AgentLeg& leg, const std::string& headers = {}) {
        TestAgent agent = scene.agent(leg, headers);
        EXPECT_TRUE(agent.open());
        EXPECT_TRUE(agent.finds_tool("shown_credential"));
        return agent;
    }

    Scene scene;
    std::string url;
};

INSTANTIATE_TEST_SUITE_P(Over, CredentialsTest,
                         ::testing::Values(kServerLegs[1], kServerLegs[3], kServerLegs[5],
                                           kServerLegs[6]),
                         [](const auto& leg) { return std::string{leg.param.name}; });

TEST_P(CredentialsTest, OfTwoAgentsReachTheServerEachInItsOwnCalls) {
    add_server(R"({"agentHeader":"x-api-key"})");
    ASSERT_TRUE(scene.start());
    for (const AgentLeg& leg : {kAgentLegs[1], kAgentLegs[2], kAgentLegs[4], kAgentLegs[5]}) {
        TestAgent one = opened(leg, key_line("one"));
        TestAgent two = opened(leg, key_line("two"));

        for (int round = 0; round < 3; ++round) {
            EXPECT_EQ(one.call("shown_credential"), "Bearer one") << leg.name;
            EXPECT_EQ(two.call("shown_credential"), "Bearer two") << leg.name;
        }
    }
}

TEST_P(CredentialsTest, OfOneAgentAreNotUsedForAnother) {
    add_server(R"({"agentHeader":"x-api-key"})");
    ASSERT_TRUE(scene.start());
    for (const AgentLeg& leg : {kAgentLegs[1], kAgentLegs[2], kAgentLegs[4], kAgentLegs[5]}) {
        TestAgent owner = opened(leg, key_line("owner"));
        TestAgent other = opened(leg);
        EXPECT_EQ(owner.call("shown_credential"), "Bearer owner") << leg.name;

        const std::string answer = other.request(tool_call("shown_credential"));

        EXPECT_TRUE(says(answer, "UNAUTHORIZED")) << leg.name << answer;
        EXPECT_TRUE(says(answer, "send it in the header x-api-key")) << leg.name << answer;
        EXPECT_FALSE(says(answer, "owner")) << leg.name << answer;
        EXPECT_EQ(owner.call("shown_credential"), "Bearer owner") << leg.name;
    }
}

TEST_P(CredentialsTest, OfAnAgentTakePrecedenceOverTheGatewaysOwn) {
    add_server(R"([{"agentHeader":"x-api-key"},{"env":"VAULT_KEY"}])");
    ASSERT_TRUE(scene.start({}, {"VAULT_KEY=of-the-gateway"}));
    for (const AgentLeg& leg : {kAgentLegs[1], kAgentLegs[4]}) {
        TestAgent with_key = opened(leg, key_line("own"));
        TestAgent without = opened(leg);

        EXPECT_EQ(with_key.call("shown_credential"), "Bearer own") << leg.name;
        EXPECT_EQ(without.call("shown_credential"), "Bearer of-the-gateway") << leg.name;
    }
}

TEST_P(CredentialsTest, OfAgentsArePassedOnWhileAReloadKeepsThePreviousEntry) {
    add_server(R"({"agentHeader":"x-api-key"})");
    ASSERT_TRUE(scene.start());
    TestAgent agent = opened(kAgentLegs[1], key_line("own"));
    ASSERT_EQ(agent.call("shown_credential"), "Bearer own");

    write_file(scene.folder() / "config.json",
               R"({"surface":{"mode":"all"},"mcpServers":{"vault":)" +
                   entry(R"({"file":"missing.key"})") + "}}");
    Program& gateway = scene.gateway().program();
    gateway.send(SIGHUP);
    ASSERT_NE(gateway.rest_of_error_line(R"(server "vault" keeps its previous entry: )"), "");
    ASSERT_NE(gateway.rest_of_error_line("config reloaded: "), "");

    for (int count = 0; count < 3; ++count) {
        EXPECT_EQ(agent.call("shown_credential"), "Bearer own");
        EXPECT_EQ(opened(kAgentLegs[1], key_line("new")).call("shown_credential"), "Bearer new");
    }
}

TEST_P(CredentialsTest, ComeFromAVariable) {
    add_server(R"({"env":"VAULT_KEY"})");
    ASSERT_TRUE(scene.start({"--stdio"}, {"VAULT_KEY=from-a-variable"}));

    EXPECT_EQ(opened(kLegacyStdio).call("shown_credential"), "Bearer from-a-variable");
}

TEST_P(CredentialsTest, ComeFromAFile) {
    const std::string file = scene.folder().path() + "/vault.key";
    std::ofstream{file} << "from-a-file\n";
    add_server(R"({"file":")" + file + R"("})");
    ASSERT_TRUE(scene.start({"--stdio"}));

    EXPECT_EQ(opened(kLegacyStdio).call("shown_credential"), "Bearer from-a-file");
}

}  // namespace
}  // namespace holdfast::test
