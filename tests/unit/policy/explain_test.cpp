#include <gtest/gtest.h>

#include "tests/unit/policy/table_reading.hpp"

namespace holdfast::policy {
namespace {

TEST(ExplainTest, ReportsTheSourceOfEveryValue) {
    const auto table =
        table_of(R"({"mcpServers": {"s": {"url": "http://h/mcp", "preset": "octocode",
                                                       "timeout": "9s"}},
        "policies": {"default": {"detail": "debug"}, "mine": {"attemptTimeout": "2s"}},
        "tools": [{"match": "s.ghSearchCode", "policy": "mine", "idempotent": true}]})");
    const std::vector<std::pair<std::string_view, std::string_view>> rows = {
        {"timeout", "9s by server s"},
        {"attemptTimeout", "2s by policies.mine"},
        {"detail", "debug by policies.default"},
        {"staleFor", "0ms by built-in"},
        {"limit.queue", "64 by limits"},
        {"retry", "on by preset octocode, policies.github"},
        {"retry.multiplier", "3 by preset octocode, policies.github"},
        {"retry.on", "rateLimited, serverError, timeout by preset octocode, policies.github"},
        {"retry.budget", "none by preset octocode, policies.github"},
        {"circuit.failures", R"(2 by preset octocode, circuits["github:search"])"},
        {"circuit.counts", "call by preset octocode, policies.default"},
        {"circuit.on",
         "rateLimited, serverError, timeout, lspNotReady, connectionRefused, fileBusy, "
         "connectionLost, malformed, internalError by preset octocode, policies.default"},
        {"circuit.name", "s/github:search by preset octocode, tools[5]"},
        {"readOnly", "true by preset octocode, tools[0]"},
        {"idempotent", "true by tools[0]"},
        {"degrade.texts", "CIRCUIT_OPEN by preset octocode, policies.default"},
        {"alternatives", "not explained"},
    };

    for (const auto& [key, expected] : rows) {
        EXPECT_EQ(source_of(table, key, "ghSearchCode"), expected) << key;
    }
}

TEST(ExplainTest, HasEachKeyOnce) {
    auto values = table_with_preset("gitnexus").explain("s", "t");

    std::ranges::sort(values, {}, &ExplainedValue::key);

    EXPECT_EQ(std::ranges::adjacent_find(values, {}, &ExplainedValue::key), values.end());
    EXPECT_GT(values.size(), 40U);
}

std::vector<std::string> hints_of(const std::string& sections) {
    return config::texts_of(outcome_of("{" + sections + "}").hints);
}

TEST(TimeoutHintTest, NamesTimeoutsThatCommonClientsDoNotWaitFor) {
    EXPECT_EQ(hints_of(R"("mcpServers": {}, "policies": {"slow": {"timeout": "2m"}})"),
              std::vector<std::string>{
                  "mcp.json:1:53: policies.slow.timeout: hint: common clients give up after 60s, "
                  "before a timeout of 2m has passed, and never see why the call failed. Raise the "
                  "limit of the client, or use at most 55s"});
    EXPECT_EQ(hints_of(R"("mcpServers": {"s": {"command": "x", "timeout": "56s"}})").size(), 1U);
}

TEST(TimeoutHintTest, NothingIsSaidOfShorterTimeoutsAndOfPresets) {
    for (const std::string entry :
         {R"("command": "x")", R"("command": "x", "timeout": "55s")",
          R"("command": "x", "preset": "octocode")", R"("command": "x", "preset": "gitnexus")"}) {
        EXPECT_EQ(hints_of(R"("mcpServers": {"s": {)" + entry + "}}").size(), 0U) << entry;
    }
    EXPECT_EQ(hints_of(R"("mcpServers": {}, "preset": "ucp")").size(), 0U);
}

TEST(BuiltInPolicyTest, EndsACallBeforeCommonClientsGiveUp) {
    EXPECT_EQ(Policy{}.timeout, std::chrono::seconds{50});
    EXPECT_EQ(Policy{}.attempt_timeout, std::chrono::seconds{30});
    EXPECT_FALSE(Policy{}.repeat_guard.is_on);
    EXPECT_EQ(Policy{}.limit.wait, std::nullopt);
}

}  // namespace
}  // namespace holdfast::policy
