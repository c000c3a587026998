#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "config/credential.hpp"
#include "config_reading.hpp"

namespace holdfast::config {
namespace {

using Texts = std::vector<std::string>;
using Kind = CredentialSource::Kind;

std::string with_credentials(std::string_view list,
                             std::string_view entry = R"("url":"http://h")") {
    return "{\"mcpServers\":{\"s\":{" + std::string{entry} +
           ",\n\"credentials\":" + std::string{list} + "}}}";
}

std::string first_fault(std::string_view list, std::string_view entry = R"("url":"http://h")") {
    const Texts faults = faults_of(with_credentials(list, entry));
    return faults.empty() ? "" : faults.front();
}

TEST(CredentialsTest, AreKnownByTheNamesOfTheirSources) {
    const Config config = config_of(with_credentials(
        R"([{"from":[{"agentHeader":"X-Api-Key"},{"env":"KEY"},{"file":"key.txt"}],)"
        R"("as":{"header":"Authorization","prefix":"Bearer "},"required":false,"missing":"m"}])"));

    ASSERT_EQ(config.servers[0].credentials.size(), 1U);
    const Credential& credential = config.servers[0].credentials[0];
    EXPECT_EQ(credential.sources,
              (std::vector<CredentialSource>{{.kind = Kind::agent_header, .name = "x-api-key"},
                                             {.kind = Kind::variable, .name = "KEY"},
                                             {.kind = Kind::file, .name = "key.txt"}}));
    EXPECT_EQ(credential.header, "Authorization");
    EXPECT_EQ(credential.prefix, "Bearer ");
    EXPECT_FALSE(credential.is_required);
    EXPECT_EQ(credential.missing, "m");
}

TEST(CredentialsTest, GoToTheEnvironmentOfAProgram) {
    const Config config = config_of(with_credentials(
        R"([{"from":{"env":"OUR_TOKEN"},"as":{"env":"ITS_TOKEN"}}])", R"("command":"c")"));

    ASSERT_EQ(config.servers[0].credentials.size(), 1U);
    EXPECT_EQ(config.servers[0].credentials[0].variable, "ITS_TOKEN");
    EXPECT_TRUE(config.servers[0].credentials[0].is_required);
}

TEST(CredentialsTest, HaveNamesThatAreNotSecret) {
    const Config config = config_of(with_credentials(
        R"([{"from":{"env":"OUR_TOKEN"},"as":{"env":"ITS_TOKEN"}}])", R"("command":"c")"));

    EXPECT_TRUE(config.secrets.empty());
}

TEST(CredentialsTest, AreRefusedWhereTheyCannotWork) {
    EXPECT_EQ(first_fault(R"([{"as":{"header":"X"}}])"),
              "mcp.json:2:16: mcpServers.s.credentials[0]: needs \"from\", where its value comes "
              "from");
    EXPECT_EQ(first_fault(R"([{"from":{"env":"K"}}])"),
              "mcp.json:2:16: mcpServers.s.credentials[0]: needs \"as\": {\"header\": …}");
    EXPECT_NE(first_fault(R"([{"from":{"evn":"K"},"as":{"header":"X"}}])")
                  .find("credentials[0].from.evn: unknown key; the nearest is \"env\""),
              std::string::npos);
    EXPECT_NE(first_fault(R"([{"from":{},"as":{"header":"X"}}])").find("must be {\"agentHeader\""),
              std::string::npos);
    EXPECT_NE(first_fault(R"([{"from":{"env":"K","file":"f"},"as":{"header":"X"}}])")
                  .find("must be {\"agentHeader\""),
              std::string::npos);
    EXPECT_NE(first_fault(R"([{"from":[],"as":{"header":"X"}}])").find("between 1 and 8 sources"),
              std::string::npos);
    EXPECT_NE(first_fault(R"([{"from":{"env":"K"},"as":{"header":"a b"}}])").find("as.header: "),
              std::string::npos);
    EXPECT_NE(first_fault(R"([{"from":{"env":"K"},"as":{"header":"X","prefix":"a\nb"}}])")
                  .find("line break or control character"),
              std::string::npos);
    EXPECT_NE(first_fault(R"([{"from":{"agentHeader":"a b"},"as":{"header":"X"}}])")
                  .find("from.agentHeader: invalid header name"),
              std::string::npos);
    EXPECT_NE(first_fault(R"(["x"])").find("credentials[0]: must be an object"), std::string::npos);
}

TEST(CredentialsTest, OfAgentsAreRefusedForWhatAllAgentsShare) {
    constexpr std::string_view kOfAgent = R"([{"from":{"agentHeader":"x"},"as":{"header":"X"}}])";

    EXPECT_NE(first_fault(R"([{"from":{"agentHeader":"x"},"as":{"env":"X"}}])", R"("command":"c")")
                  .find("from.agentHeader: all agents share"),
              std::string::npos);
    EXPECT_EQ(first_fault(kOfAgent, R"("url":"ws://h")"), "");
    EXPECT_NE(first_fault(kOfAgent, R"("url":"ws://h","session":"shared")")
                  .find("mcpServers.s.session: must be \"per-agent\""),
              std::string::npos);
    EXPECT_NE(first_fault(kOfAgent, R"("url":"http://h","session":"shared")")
                  .find("mcpServers.s.session: must be \"per-agent\""),
              std::string::npos);
    EXPECT_EQ(first_fault(kOfAgent, R"("url":"http://h","session":"per-agent")"), "");
}

TEST(CredentialsTest, OfTheWrongKindAreRefused) {
    EXPECT_NE(first_fault(R"([{"from":{"env":"K"},"as":{"env":"X"}}])")
                  .find("needs \"as\": {\"header\": …}"),
              std::string::npos);
    EXPECT_NE(first_fault(R"([{"from":{"env":"K"},"as":{"header":"X"}}])", R"("command":"c")")
                  .find("needs \"as\": {\"env\": …}"),
              std::string::npos);
}

}  // namespace
}  // namespace holdfast::config
