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

}  // namespace
}  // namespace holdfast::policy
