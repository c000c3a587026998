#include "agents/modern_agent.hpp"

#include <gtest/gtest.h>

#include "jsonrpc/message_reader.hpp"
#include "mcp/incoming.hpp"

namespace holdfast::agents {
namespace {

class ModernAgentTest : public testing::Test {
protected:
    std::shared_ptr<const Agent> agent_of(const std::string& meta,
                                          std::string_view principal = "local",
                                          const downstream::AgentHeaders* headers = nullptr) {
        const jsonrpc::PaddedText text{
            R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"_meta":{)" + meta + "}}}"};
        const auto message = reader_.read(text);
        EXPECT_TRUE(message.has_value());
        return agents_.agent_of(*message, principal, headers);
    }

    jsonrpc::MessageReader reader_{jsonrpc::ReaderLimits{}};
    ModernAgents agents_;
};

std::string meta_of(std::string_view capabilities, std::string_view info) {
    return "\"" + std::string{mcp::kCapabilitiesKey} + "\":" + std::string{capabilities} + ",\"" +
           std::string{mcp::kClientInfoKey} + "\":" + std::string{info};
}

TEST_F(ModernAgentTest, ReadsItsDescriptionFromTheEnvelope) {
    const auto agent = agent_of(meta_of(R"({"roots":{}})", R"({"name":"a"})"));

    EXPECT_EQ(agent->principal, "local");
    EXPECT_EQ(agent->era(), mcp::Era::modern);
    EXPECT_EQ(agent->face->capabilities, R"({"roots":{}})");
    EXPECT_EQ(agent->face->client_info, R"({"name":"a"})");
    EXPECT_EQ(agent_of("")->face->capabilities, "{}");
}

TEST_F(ModernAgentTest, IsTheSameOnlyForTheSameDescription) {
    const std::string meta = meta_of("{}", R"({"name":"a"})");
    const auto agent = agent_of(meta);

    EXPECT_EQ(agent_of(meta), agent);
    EXPECT_EQ(agent_of(meta, "another")->principal, "another");
    EXPECT_EQ(agent_of(meta_of("{}", R"({"name":"b"})"))->face->client_info, R"({"name":"b"})");
    EXPECT_EQ(agent_of(meta_of(R"({"roots":{}})", R"({"name":"a"})"))->face->capabilities,
              R"({"roots":{}})");
    EXPECT_EQ(agent_of(meta)->principal, "local");
}

TEST_F(ModernAgentTest, DiffersWithOtherHeadersForDownstreams) {
    const std::string meta = meta_of("{}", R"({"name":"a"})");
    const auto plain = agent_of(meta);
    const downstream::AgentHeaders headers{{.name = "X-Key", .value = "1"}};

    const auto with_headers = agent_of(meta, "local", &headers);

    EXPECT_NE(with_headers->face->key, plain->face->key);
    EXPECT_EQ(agent_of(meta)->face->key, plain->face->key);
}

TEST_F(ModernAgentTest, IsOneAgentForOnePrincipalAndClient) {
    const auto agent = agent_of(meta_of("{}", R"({"name":"a"})"));
    const auto able = agent_of(meta_of(R"({"roots":{}})", R"({"name":"a"})"));
    const auto client = agent_of(meta_of("{}", R"({"name":"b"})"));
    const auto principal = agent_of(meta_of("{}", R"({"name":"a"})"), "another");
    const downstream::AgentHeaders headers{{.name = "X-Key", .value = "1"}};
    const auto credential = agent_of(meta_of("{}", R"({"name":"a"})"), "local", &headers);

    const auto is_same = [&agent](const std::shared_ptr<const Agent>& other) {
        return downstream::are_of_one_agent(agent->face.get(), other->face.get());
    };
    EXPECT_TRUE(is_same(agent));
    EXPECT_TRUE(is_same(able));
    EXPECT_FALSE(is_same(client));
    EXPECT_FALSE(is_same(principal));
    EXPECT_FALSE(is_same(credential));
}

TEST_F(ModernAgentTest, IsUnknownWithoutPrincipalAndClient) {
    const auto named = agent_of("", "local");
    const auto unknown = agent_of("", "anonymous");

    EXPECT_TRUE(downstream::are_of_one_agent(named->face.get(), named->face.get()));
    EXPECT_FALSE(downstream::are_of_one_agent(unknown->face.get(), unknown->face.get()));
}

TEST_F(ModernAgentTest, HasItsOwnSessionsPerClient) {
    const auto one = agent_of(meta_of("{}", R"({"name":"a"})"));
    const auto other = agent_of(meta_of("{}", R"({"name":"b"})"));

    EXPECT_NE(one->face->key, other->face->key);
}

TEST_F(ModernAgentTest, DoesNotCacheLongDescriptions) {
    const std::string meta =
        meta_of("{}", '"' + std::string(ModernAgents::kMaxWordsBytes, 'x') + '"');
    const std::weak_ptr<const Agent> agent = agent_of(meta);

    EXPECT_TRUE(agent.expired());
}

TEST_F(ModernAgentTest, ItsKeyContainsNoCredentialAndKeepsThePartsApart) {
    const std::string meta = meta_of("{}", R"({"name":"a"})");
    const auto key_with = [&](std::string_view name, std::string_view value) {
        const downstream::AgentHeaders headers{
            {.name = std::string{name}, .value = std::string{value}}};
        return agent_of(meta, "local", &headers)->face->key;
    };

    EXPECT_EQ(key_with("x-key", "secret-of-ada").find("secret"), std::string::npos);
    EXPECT_EQ(key_with("x-key", "1"), key_with("x-key", "1"));
    EXPECT_NE(key_with("x-key", "1"), key_with("x-key", "2"));
    EXPECT_NE(key_with("a", "b\nc:d"), key_with("a", "b\nc"));
}

}  // namespace
}  // namespace holdfast::agents
