#include <gtest/gtest.h>

#include "tests/unit/policy/table_reading.hpp"

namespace holdfast::policy {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(InheritanceTest, AppliesTheLimitsOfTheFile) {
    const auto table =
        table_of(R"({"mcpServers": {"h": {"url": "http://h/mcp"}, "c": {"command": "x"}},
        "limits": {"queue": 7}})");

    EXPECT_EQ(table.resolve("h", "t").policy.limit.in_flight, 32U);
    EXPECT_EQ(table.resolve("c", "t").policy.limit.in_flight, 8U);
    EXPECT_EQ(table.resolve("c", "t").policy.limit.queue, 7U);
}

// A preset for servers and one for the gateway; each has its own value for every key.
const std::vector<Preset>& two_presets() {
    static const std::vector<Preset> all = {
        {.name = "wide", .description = "", .text = R"({"for": "gateway",
            "policies": {"default": {"timeout": "2s", "staleFor": "2s"}, "t": {"timeout": "21s"}},
            "tools": [{"match": "ruled*", "policy": "t"}]})"},
        {.name = "one", .description = "", .text = R"({"for": "server",
            "policies": {"default": {"timeout": "4s"}, "t": {"timeout": "5s"}},
            "tools": [{"match": "ruled*", "policy": "t"}]})"},
    };
    return all;
}

struct LayerRow {
    std::string servers;
    std::string sections;
    std::string_view tool;
    std::string_view timeout;
};

TEST(InheritanceTest, EachLayerOverridesThePreviousOne) {
    const std::string plain = R"("url": "http://h/mcp")";
    const std::string with_preset = plain + R"(, "preset": "one")";
    const std::string wide = R"("preset": "wide")";
    const std::string own = R"("policies": {"default": {"timeout": "3s"}, "p": {"timeout": "6s"},
        "tool": {"timeout": "8s"}, "later": {"timeout": "9s"}})";
    const std::string rules = R"("tools": [{"match": "s.ruled*", "policy": "tool"},
                                           {"match": "*.ruledTwice", "policy": "later"}])";
    const std::vector<LayerRow> rows = {
        {plain, R"("ask": {})", "t", "50s by built-in"},
        {plain, wide, "t", "2s by preset wide, policies.default"},
        {plain, wide, "ruled", "21s by preset wide, policies.t"},
        {plain, wide + "," + own, "t", "3s by policies.default"},
        {with_preset, wide + "," + own, "t", "4s by preset one, policies.default"},
        {with_preset, wide + "," + own, "ruled", "5s by preset one, policies.t"},
        {with_preset + R"(, "policy": "p")", own, "ruled", "6s by policies.p"},
        {with_preset + R"(, "policy": "p", "timeout": "7s")", own, "ruled", "7s by server s"},
        {with_preset + R"(, "timeout": "7s")", own + "," + rules, "ruled", "8s by policies.tool"},
        {with_preset, own + "," + rules, "ruledTwice", "9s by policies.later"},
        {with_preset, own + "," + rules, "t", "4s by preset one, policies.default"},
    };

    for (const LayerRow& row : rows) {
        const auto table =
            table_of(R"({"mcpServers": {"s": {)" + row.servers + "}}, " + row.sections + "}", {},
                     two_presets());
        EXPECT_EQ(source_of(table, "timeout", row.tool), row.timeout)
            << row.servers << row.sections;
    }
}

TEST(InheritanceTest, KeepsKeysThatLaterLayersDoNotSet) {
    const auto table = table_of(R"({"mcpServers": {"s": {"url": "http://h/mcp", "preset": "one"}},
        "preset": "wide"})",
                                {}, two_presets());

    EXPECT_EQ(source_of(table, "staleFor"), "2s by preset wide, policies.default");
}

TEST(InheritanceTest, FollowsExtendsAndKeepsTheOrderOfDefault) {
    const auto table = table_of(R"({"mcpServers": {"s": {"url": "http://h/mcp", "preset": "one",
                                                       "policy": "c"}},
        "policies": {
          "default": {"timeout": "3s", "staleFor": "3s"},
          "a": {"extends": "default", "retry": {"attempts": 7, "delay": "1s"}},
          "b": {"extends": "a", "retry": {"attempts": 8}, "debug": true},
          "c": {"extends": "b", "debug": false}}})",
                                {}, two_presets());

    EXPECT_EQ(source_of(table, "timeout"), "4s by preset one, policies.default");
    EXPECT_EQ(source_of(table, "staleFor"), "3s by policies.default");
    EXPECT_EQ(source_of(table, "retry.attempts"), "8 by policies.b");
    EXPECT_EQ(source_of(table, "retry.delay"), "1s by policies.a");
    EXPECT_EQ(source_of(table, "debug"), "false by policies.c");
}

TEST(InheritanceTest, ASwitchIsASeparateKey) {
    const auto table = table_of(R"({"mcpServers": {"s": {"url": "http://h/mcp"}},
        "policies": {
          "default": {"retry": {"attempts": 7}, "circuit": "none"},
          "off": {"retry": "none"},
          "on": {"extends": "off", "retry": {"budget": "none"}, "circuit": {}}},
        "tools": [{"match": "s.off", "policy": "off"}, {"match": "s.on", "policy": "on"}]})");

    EXPECT_FALSE(table.resolve("s", "off").policy.retry.is_on);
    EXPECT_TRUE(table.resolve("s", "on").policy.retry.is_on);
    EXPECT_EQ(table.resolve("s", "on").policy.retry.attempts, 7U);
    EXPECT_FALSE(table.resolve("s", "on").policy.retry.budget.is_on);
    EXPECT_FALSE(table.resolve("s", "off").circuit);
    EXPECT_EQ(table.resolve("s", "on").circuit->name, "s");
}

TEST(InheritanceTest, ACallCanShortenItsTimeoutButNotExtendIt) {
    const Policy policy;

    EXPECT_EQ(for_call(policy, {.timeout = seconds{5}}).timeout, seconds{5});
    EXPECT_EQ(for_call(policy, {.timeout = seconds{500}}).timeout, seconds{50});
    EXPECT_EQ(for_call(policy, {.timeout = Duration::zero()}).timeout, seconds{50});
    EXPECT_FALSE(for_call(policy, {}).debug);
    EXPECT_EQ(for_call(policy, {.debug = true}).effective_detail(), Detail::debug);
}

TEST(InheritanceTest, ReconnectComesFromTheServerThenFromThePreset) {
    const auto table = table_of(R"({"mcpServers": {
        "own": {"url": "http://h/mcp", "preset": "gitnexus", "reconnect": {"delay": "9s"}},
        "preset": {"url": "http://h/mcp", "preset": "gitnexus"},
        "gateway": {"url": "http://h/mcp"}}, "preset": "ucp"})");

    EXPECT_EQ(table.reconnect("own").delay, seconds{9});
    EXPECT_EQ(table.reconnect("preset").delay, milliseconds{500});
    EXPECT_EQ(table.reconnect("gateway").delay, seconds{1});
}

}  // namespace
}  // namespace holdfast::policy
