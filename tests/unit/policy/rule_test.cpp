#include <gtest/gtest.h>

#include "tests/unit/policy/table_reading.hpp"

namespace holdfast::policy {
namespace {

using std::chrono::seconds;

constexpr std::string_view kConfig = R"({
    "mcpServers": {"a": {"url": "http://h/mcp"}, "b": {"url": "http://h/mcp"},
                   "octo": {"url": "http://h/mcp", "preset": "octocode"}},
    "policies": {"default": {"circuit": {"failures": 4}},
                 "fragile": {"circuit": {"failures": 1}},
                 "patient": {"timeout": "5m", "limit": {"inFlight": 1}}},
    "circuits": {"shared": {"open": "9s"}},
    "tools": [
      {"match": ["a.find", "octo.find"], "circuit": "shared"},
      {"match": "*.both", "readOnly": true, "idempotent": true, "alternatives": ["b.x", "b.y"]},
      {"match": "a.both", "readOnly": false, "fallback": "b.both"},
      {"match": "b.likeA", "circuit": "a"},
      {"match": "octo.extra", "circuit": "lsp:hierarchy"},
      {"match": "a.extra", "circuit": "lsp:hierarchy"},
      {"match": "a.fragile", "policy": "fragile"},
      {"match": "a.slow", "policy": "patient"}
    ]})";

struct CircuitRow {
    std::string_view server;
    std::string_view tool;
    std::string_view circuit;
    std::uint32_t failures;
    Duration open;
};

TEST(RuleTest, DecidesWhichCircuitAToolUses) {
    const auto table = table_of(kConfig);
    const std::vector<CircuitRow> rows = {
        {"a", "any", "a", 4, seconds{30}},
        {"a", "find", "shared", 4, seconds{9}},
        {"octo", "find", "shared", 4, seconds{9}},  // with the file's figures, not the preset's
        {"b", "find", "b", 4, seconds{30}},
        {"b", "likeA", "a", 4, seconds{30}},
        {"octo", "extra", "octo/lsp:hierarchy", 2, seconds{30}},
        {"a", "extra", "a", 4, seconds{30}},  // its server has no such circuit
        {"a", "fragile", "a/policies.fragile", 1, seconds{30}},
        {"a", "slow", "a", 4, seconds{30}},
        {"octo", "ghSearchCode", "octo/github:search", 2, seconds{60}},
    };

    for (const CircuitRow& row : rows) {
        const auto tool = table.resolve(row.server, row.tool);
        ASSERT_TRUE(tool.circuit) << row.tool;
        EXPECT_EQ(tool.circuit->name, row.circuit) << row.tool;
        EXPECT_EQ(tool.circuit->options.failure_threshold, row.failures) << row.tool;
        EXPECT_EQ(tool.circuit->options.open_for, row.open) << row.tool;
        EXPECT_EQ(tool.policy.circuit.figures.failures, row.failures) << row.tool;
    }
}

TEST(RuleTest, TwoServersWithOnePresetDoNotShareCircuits) {
    const auto table = table_of(R"({"mcpServers": {
        "x": {"url": "http://h/mcp", "preset": "octocode"},
        "y": {"url": "http://h/mcp", "preset": "octocode"}}})");

    EXPECT_EQ(table.resolve("x", "npmSearch").circuit->name, "x/package");
    EXPECT_EQ(table.resolve("y", "npmSearch").circuit->name, "y/package");
}

TEST(RuleTest, LaterMarksWin) {
    const auto table = table_of(kConfig);
    const auto tool = table.resolve("a", "both");

    EXPECT_EQ(tool.read_only, false);
    EXPECT_EQ(tool.idempotent, true);
    EXPECT_EQ(tool.alternatives, (std::vector<std::string>{"b.x", "b.y"}));
    EXPECT_EQ(tool.fallback, "b.both");
    EXPECT_EQ(table.resolve("b", "both").read_only, true);
    EXPECT_EQ(table.resolve("a", "any").read_only, std::nullopt);
    EXPECT_EQ(table.resolve("a", "any").idempotent, std::nullopt);
    EXPECT_TRUE(table.resolve("a", "any").alternatives.empty());
}

TEST(RuleTest, DoesNotChangeTheLimitOfTheServer) {
    const auto tool = table_of(kConfig).resolve("a", "slow");

    EXPECT_EQ(tool.policy.timeout, std::chrono::minutes{5});
    EXPECT_EQ(tool.policy.limit.in_flight, 32U);
}

TEST(RuleTest, RulesOfAPresetNameToolsWithoutTheirServer) {
    const std::vector<Preset> own = {{.name = "p", .description = "", .text = R"({
        "tools": [{"match": "t", "alternatives": ["u"], "fallback": "v"}]})"}};
    const auto table =
        table_of(R"({"mcpServers": {"s": {"url": "http://h/mcp", "preset": "p"}}})", {}, own);

    EXPECT_EQ(table.resolve("s", "t").alternatives, std::vector<std::string>{"s.u"});
    EXPECT_EQ(table.resolve("s", "t").fallback, "s.v");
}

TEST(RuleTest, DoesNotApplyToOtherMethods) {
    const auto server = table_of(kConfig).resolve_server("octo");

    EXPECT_EQ(server.circuit->name, "octo");
    EXPECT_EQ(server.read_only, std::nullopt);
    EXPECT_EQ(server.policy.timeout, seconds{30});
}

TEST(RuleTest, WarnsAboutUnknownServers) {
    const auto outcome = outcome_of(R"({"mcpServers": {"code": {"url": "http://h/mcp"}}, "tools": [
        {"match": "cod.x"}, {"match": "code.x", "alternatives": ["other.y"]}, {"match": "c*.x"}]})");

    ASSERT_TRUE(outcome.table);
    EXPECT_EQ(config::texts_of(outcome.warnings),
              (std::vector<std::string>{
                  "mcp.json:2:19: tools[0].match: no server \"cod\", so this has no "
                  "effect; the nearest is \"code\"",
                  "mcp.json:2:66: tools[1].alternatives: no server \"other\", so this has "
                  "no effect; the nearest is \"code\""}));
}

}  // namespace
}  // namespace holdfast::policy
