#include "runtime/loading/resolved_servers.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "policy/read_policy_table.hpp"
#include "tests/unit/config/config_reading.hpp"

namespace holdfast::runtime {
namespace {

using namespace std::chrono_literals;
using Texts = std::vector<std::string>;

ResolvedServers plans_of(std::string_view servers, const config::Variables& variables = {}) {
    const config::Config config =
        config::config_of("{\"mcpServers\":{" + std::string{servers} + "}}", variables);
    const CredentialStore store{
        .environment = config::environment_of(variables),
        .read_file =
            [](const std::string& path) -> resilience::Result<std::string, rest::FileFault> {
            return rest::FileFault{"is not a file: " + path};
        }};
    const auto table = policy::read_policy_table(config, store.environment);
    EXPECT_TRUE(table.table);
    return resolve_servers(config, *table.table, store);
}

constexpr std::string_view kTraces = R"("traces":{"type":"rest","preset":"commontrace"})";

TEST(ResolvedServersTest, UseTheBackendOfThePreset) {
    const ResolvedServers plans =
        plans_of(kTraces, {{"COMMONTRACE_API_BASE_URL", "http://b:81/x"}});

    EXPECT_TRUE(plans.faults.empty());
    const auto& api = plans.servers.at("traces").rest;
    ASSERT_TRUE(api);
    EXPECT_EQ(api->url.authority(), "b:81");
    EXPECT_EQ(api->connect_timeout, 2s);
    EXPECT_EQ(api->timeout, 5s);
    EXPECT_EQ(api->connections, 20U);
    EXPECT_EQ(api->kept_alive, 10U);
    EXPECT_EQ(api->refusals, rest::RefusalForm::result);
    EXPECT_EQ(api->max_answer_bytes, 8U * 1024 * 1024);
    EXPECT_EQ(api->expects, rest::AnswerForm::json);
    EXPECT_EQ(api->tools.size(), 6U);
    EXPECT_EQ(plans.agent_headers, Texts{"x-api-key"});
}

TEST(ResolvedServersTest, ReportTheirSecrets) {
    const ResolvedServers plans = plans_of(kTraces, {{"COMMONTRACE_API_KEY", "hidden-value"}});

    EXPECT_EQ(plans.secrets, Texts{"hidden-value"});
    const auto& credentials = plans.servers.at("traces").rest->credentials;
    ASSERT_EQ(credentials.size(), 1U);
    EXPECT_EQ(credentials[0].sources.back().value, "hidden-value");
}

TEST(ResolvedServersTest, NameEachHeaderOfAgentsOnce) {
    const ResolvedServers plans = plans_of(
        R"("a":{"url":"http://a","credentials":[{"from":{"agentHeader":"Z"},"as":{"header":"Z"}},)"
        R"({"from":{"agentHeader":"B"},"as":{"header":"B"}}]},)"
        R"("b":{"url":"http://b","credentials":[{"from":{"agentHeader":"z"},)"
        R"("as":{"header":"Z"}}]},"c":{"url":"http://c"})");

    EXPECT_EQ(plans.agent_headers, (Texts{"b", "z"}));
    EXPECT_EQ(plans.servers.at("b").credentials.agent_headers, Texts{"z"});
    EXPECT_TRUE(plans.servers.at("c").credentials.agent_headers.empty());
}

TEST(ResolvedServersTest, SkipOnlyTheServerWithAMissingCredential) {
    const ResolvedServers plans =
        plans_of(R"("a":{"command":"a","credentials":[{"from":{"env":"NO"},"as":{"env":"T"}}]},)"
                 R"("b":{"command":"b"},"c":{"command":"c","disabled":true})");

    ASSERT_EQ(plans.skipped.size(), 1U);
    EXPECT_EQ(plans.skipped[0].name, "a");
    EXPECT_TRUE(plans.skipped[0].reason().ends_with(
        "it needs a credential that is not set; set the variable NO for the gateway"))
        << plans.skipped[0].reason();
    EXPECT_FALSE(plans.servers.contains("a"));
    EXPECT_TRUE(plans.servers.contains("b"));
    EXPECT_FALSE(plans.servers.contains("c"));
}

TEST(ResolvedServersTest, RejectAnInvalidConfig) {
    const ResolvedServers plans =
        plans_of(R"("a":{"type":"rest","url":"http://h","openapi":"x.json"})");

    EXPECT_TRUE(plans.faults.empty());
    ASSERT_EQ(plans.skipped.size(), 1U);
    EXPECT_EQ(plans.skipped[0].name, "a");
    EXPECT_NE(
        plans.skipped[0].reason().find("mcpServers.a.openapi: the file is not a file: x.json"),
        std::string::npos)
        << plans.skipped[0].reason();
}

}  // namespace
}  // namespace holdfast::runtime
