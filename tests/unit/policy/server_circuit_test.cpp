#include <gtest/gtest.h>

#include "tests/unit/policy/table_reading.hpp"

// `circuits` in the entry of a server.

namespace holdfast::policy {
namespace {

using std::chrono::seconds;

resilience::CircuitBreakerOptions options_of(const PolicyTable& table, std::string_view tool,
                                             std::string_view server = "octo") {
    return table.resolve(server, tool).circuit->options;
}

std::vector<std::string> warnings_of(std::string_view text) {
    return config::texts_of(outcome_of(text).warnings);
}

TEST(ServerCircuitTest, ChangesFiguresOfAPresetsCircuitAndKeepsOthers) {
    const auto table = table_of(R"({"mcpServers": {
        "octo": {"url": "http://h/mcp", "preset": "octocode",
                 "circuits": {"github:search": {"failures": 4, "open": "10s"}}},
        "other": {"url": "http://h/mcp", "preset": "octocode"}}})");

    const auto changed = options_of(table, "ghSearch");
    EXPECT_EQ(changed.failure_threshold, 4U);
    EXPECT_EQ(changed.open_for, seconds{10});
    EXPECT_EQ(changed.successes_to_close, 1U);
    EXPECT_EQ(changed, options_of(table, "githubSearchCode"));
    EXPECT_EQ(options_of(table, "ghSearchHistory").failure_threshold, 3U);
    EXPECT_EQ(options_of(table, "ghSearch", "other").failure_threshold, 2U);
    EXPECT_EQ(source_of(table, "circuit.failures", "ghSearch", "octo"),
              "4 by server octo, circuits[\"github:search\"]");
    EXPECT_EQ(source_of(table, "circuit.successes", "ghSearch", "octo"),
              "1 by preset octocode, circuits[\"github:search\"]");
}

TEST(ServerCircuitTest, ChangesTheCircuitThatIsNamedAfterTheServer) {
    const auto table = table_of(R"({"mcpServers": {
        "box": {"command": "x", "circuits": {"box": {"failures": 9}}},
        "twin": {"command": "x"}},
        "tools": [{"match": "twin.shared", "circuit": "box"}]})");

    EXPECT_EQ(options_of(table, "t", "box").failure_threshold, 9U);
    EXPECT_EQ(table.resolve_server("box").circuit->options.failure_threshold, 9U);
    EXPECT_EQ(options_of(table, "shared", "twin").failure_threshold, 9U);
    EXPECT_EQ(options_of(table, "t", "twin").failure_threshold, 5U);
}

TEST(ServerCircuitTest, OverridesAPolicyOfTheServer) {
    const auto table = table_of(R"({"mcpServers": {
        "octo": {"url": "http://h/mcp", "preset": "octocode", "policy": "patient",
                 "circuits": {"octo": {"failures": 7}, "local": {"open": "5s"}}}},
        "policies": {"default": {"circuit": {"failures": 11}},
                     "patient": {"circuit": {"failures": 20, "open": "90s"}}}})");

    EXPECT_EQ(options_of(table, "other").failure_threshold, 7U);
    EXPECT_EQ(options_of(table, "other").open_for, seconds{90});
    EXPECT_EQ(options_of(table, "localSearch").open_for, seconds{5});
    EXPECT_EQ(options_of(table, "localSearch").failure_threshold, 3U);
}

TEST(ServerCircuitTest, WorksForEveryKindOfServer) {
    for (const std::string entry :
         {R"("command": "x")", R"("url": "http://h/mcp")", R"("url": "ws://h/mcp")",
          R"("type": "ws", "listen": "/bridge")",
          R"("type": "rest", "url": "http://h", "tools": [{"name": "t", "path": "/t"}])"}) {
        const std::string text =
            R"({"mcpServers": {"s": {)" + entry + R"(, "circuits": {"s": {"failures": 8}}}}})";
        EXPECT_EQ(options_of(table_of(text), "t", "s").failure_threshold, 8U) << entry;
        EXPECT_EQ(warnings_of(text), std::vector<std::string>{}) << entry;
    }
}

TEST(ServerCircuitTest, AnUnknownNameIsAWarningWithTheNearestName) {
    const std::string text =
        R"({"mcpServers": {"octo": {"url": "http://h/mcp", "preset": "octocode",
            "circuits": {"github:serch": {"failures": 4}}}}})";

    EXPECT_EQ(
        warnings_of(text),
        std::vector<std::string>{
            R"(mcp.json:2:26: server "octo": circuits["github:serch"]: this server has no )"
            R"(circuit of this name, so this has no effect; the nearest is "github:search")"});
    EXPECT_EQ(options_of(table_of(text), "ghSearch").failure_threshold, 2U);
}

TEST(ServerCircuitTest, RejectsAnInvalidFigure) {
    const auto faults_of = [](const std::string& circuits) {
        return table_faults_of(R"({"mcpServers": {"box": {"command": "x", "circuits": )" +
                               circuits + "}}}");
    };

    EXPECT_EQ(faults_of(R"({"box": {"failures": 0}})"),
              std::vector<std::string>{
                  R"(mcp.json:1:74: server "box": circuits.box.failures: must be between 1 and )"
                  "1000000, not 0"});
    EXPECT_EQ(faults_of(R"({"box": {"failurs": 2}})").size(), 1U);
    EXPECT_EQ(faults_of(R"({"box": 3})").size(), 1U);
    EXPECT_EQ(faults_of("[]"),
              std::vector<std::string>{
                  R"(mcp.json:1:53: server "box": circuits: must be an object of circuits by )"
                  "name, not a list"});
}

TEST(ServerCircuitTest, ATopLevelCircuitThatNoRuleUsesIsAWarning) {
    const auto with = [](const std::string& sections) {
        return warnings_of(R"({"mcpServers": {"octo": {"url": "http://h/mcp", )"
                           R"("preset": "octocode"}}, )" +
                           sections + "}");
    };

    EXPECT_EQ(
        with(R"("circuits": {"shared": {}}, "tools": [{"match": "*.a", "circuit": "shared"}])"),
        std::vector<std::string>{});
    EXPECT_EQ(
        with(R"("circuits": {"shared": {}, "shard": {}},
                "tools": [{"match": "*.a", "circuit": "shared"}])"),
        std::vector<std::string>{
            R"(mcp.json:1:100: circuits.shard: no rule of "tools" uses this circuit, so it has no )"
            R"(effect; the nearest is "shared")"});
    EXPECT_EQ(
        with(R"("circuits": {"github:search": {}})"),
        std::vector<std::string>{
            R"(mcp.json:1:86: circuits["github:search"]: no rule of "tools" uses this circuit, )"
            R"(so it has no effect; to change the circuit of a preset, write "circuits" in )"
            "the entry of its server"});
}

}  // namespace
}  // namespace holdfast::policy
