#include "downstream/credential.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "unit/downstream/http_link_fixture.hpp"

namespace holdfast::downstream::testing {
namespace {

const AgentHeaders kAgentHeaders{{.name = "x-key", .value = "agent"}};

Credential credential(std::vector<CredentialSource> sources) {
    return {.sources = std::move(sources), .header = "X-Key", .missing = "no key"};
}

TEST(CredentialTest, UsesTheFirstSourceWithAValue) {
    const std::vector<Credential> agent_first{
        credential({{.agent_header = "x-key"}, {.value = "fixed"}})};
    const std::vector<Credential> fixed_first{
        credential({{.value = ""}, {.value = "fixed"}, {.agent_header = "x-key"}})};

    EXPECT_EQ(credential_lines(agent_first, &kAgentHeaders)->lines, "X-Key: agent\r\n");
    EXPECT_EQ(credential_lines(agent_first, nullptr)->lines, "X-Key: fixed\r\n");
    EXPECT_EQ(credential_lines(fixed_first, &kAgentHeaders)->lines, "X-Key: fixed\r\n");
    EXPECT_EQ(credential_lines(agent_first, &kAgentHeaders)->secrets,
              std::vector<std::string>{"agent"});
}

TEST(CredentialTest, NamesAMissingCredential) {
    std::vector<Credential> credentials{credential({{.agent_header = "x-other"}})};

    EXPECT_EQ(credential_lines(credentials, &kAgentHeaders).error().message, "no key");

    credentials[0].is_required = false;
    EXPECT_EQ(credential_lines(credentials, &kAgentHeaders)->lines, "");
}

TEST(CredentialTest, PutsThePrefixBeforeTheValue) {
    std::vector<Credential> credentials{credential({{.value = "v"}})};
    credentials[0].prefix = "Bearer ";

    EXPECT_EQ(credential_lines(credentials, nullptr)->lines, "X-Key: Bearer v\r\n");
}

TEST(CredentialTest, HidesSecretsAnywhereInAText) {
    EXPECT_EQ(without_secrets("a k b kk", {"k"}), "a [redacted] b [redacted][redacted]");
    EXPECT_EQ(without_secrets("a", {""}), "a");
    EXPECT_EQ(without_secrets("redacted", {"redacted"}), "[redacted]");
}

class HttpCredentialTest : public ::testing::Test {
protected:
    HttpCredentialTest() {
        fixture.parts.options.credentials = {
            credential({{.agent_header = "x-key"}, {.value = "fixed"}})};
        fixture.parts.own_headers = "X-Key: fixed\r\n";
        fixture.client->posts.push_back(
            json_reply(R"({"jsonrpc":"2.0","id":1,"result":{"content":[]}})"));
    }
    Request agents_call(bool has_key) {
        Request request = tool_call();
        request.agent = std::make_shared<AgentIdentity>();
        if (has_key) {
            request.agent_headers = std::make_shared<AgentHeaders>(kAgentHeaders);
        }
        return request;
    }

    HttpLinkFixture fixture{mcp::Revision::v2025_11_25};
};

TEST_F(HttpCredentialTest, SendsTheAgentsCredentialWithItsCall) {
    ASSERT_TRUE(fixture.run(agents_call(true)));

    const auto posts = fixture.client->seen_by("POST");
    EXPECT_TRUE(posts[0].has_line("X-Key: agent"));
    EXPECT_FALSE(posts[0].has_line("X-Key: fixed"));
}

TEST_F(HttpCredentialTest, SendsItsOwnForAnAgentWithoutOne) {
    ASSERT_TRUE(fixture.run(agents_call(false)));

    EXPECT_TRUE(fixture.client->seen_by("POST")[0].has_line("X-Key: fixed"));
}

TEST_F(HttpCredentialTest, SendsItsOwnWithTheGatewaysRequests) {
    ASSERT_TRUE(fixture.run(tool_call()));

    EXPECT_TRUE(fixture.client->seen_by("POST")[0].has_line("X-Key: fixed"));
}

TEST_F(HttpCredentialTest, HidesTheAgentsCredentialInTheServersText) {
    fixture.client->posts[0] = json_reply("the key agent is bad", 403);

    const auto result = fixture.run(agents_call(true));

    ASSERT_FALSE(result);
    EXPECT_NE(result.error().message.find("the key [redacted] is bad"), std::string::npos)
        << result.error().message;
}

TEST_F(HttpCredentialTest, SendsNothingForAnAgentWithoutARequiredOne) {
    fixture.parts.options.credentials[0].sources.pop_back();

    const auto result = fixture.run(agents_call(false));

    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().kind, CallFault::Kind::unauthorized);
    EXPECT_EQ(result.error().message, "no key");
    EXPECT_EQ(result.error().delivery, resilience::Delivery::not_sent);
    EXPECT_TRUE(fixture.client->seen_by("POST").empty());
}

}  // namespace
}  // namespace holdfast::downstream::testing
