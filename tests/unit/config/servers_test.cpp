#include <gtest/gtest.h>

#include "tests/unit/config/config_reading.hpp"

namespace holdfast::config {
namespace {

using namespace std::chrono_literals;

ServerConfig server_of(const std::string& entry, Variables variables = {}) {
    Config config = config_of("{\"mcpServers\": {\"a\": " + entry + "}}", std::move(variables));
    return config.servers.empty() ? ServerConfig{} : std::move(config.servers.front());
}

std::vector<std::string> server_warnings(const std::string& entry) {
    return warnings_of("{\"mcpServers\": {\"a\": " + entry + "}}");
}

TEST(ServersTest, HaveDefaults) {
    const ServerConfig server = server_of(R"({"command": "x"})");

    EXPECT_FALSE(server.is_disabled);
    EXPECT_EQ(server.session, std::nullopt);
    EXPECT_EQ(server.prefix, std::nullopt);
    EXPECT_TRUE(server.trusts_annotations);
    EXPECT_EQ(server.preset.name, "");
    EXPECT_EQ(server.policy.name, "");
    EXPECT_EQ(server.timeout, std::nullopt);
    EXPECT_EQ(server.attempt_timeout, std::nullopt);
    EXPECT_EQ(
        server.reconnect,
        (ReconnectOptions{
            .delay = 500ms, .multiplier = 2, .max_delay = 60s, .jitter = 0.15, .attempts = 10}));
}

TEST(ServersTest, ReadTheirOwnKeys) {
    const ServerConfig server = server_of(R"({
        "command": "x", "cwd": "/tmp/work", "disabled": true, "session": "per-agent",
        "era": "legacy",
        "prefix": false, "trustAnnotations": false, "preset": "gitnexus", "policy": "slow",
        "timeout": "2m", "attemptTimeout": "10s",
        "reconnect": {"delay": "1s", "multiplier": 1.5, "maxDelay": "5s", "jitter": 0,
                      "attempts": 3}})");

    EXPECT_EQ(std::get<StdioTarget>(server.target).cwd, "/tmp/work");
    EXPECT_TRUE(server.is_disabled);
    EXPECT_EQ(server.session, SessionScope::per_agent);
    EXPECT_EQ(server.era, EraChoice::legacy);
    EXPECT_EQ(server.prefix, false);
    EXPECT_FALSE(server.trusts_annotations);
    EXPECT_EQ(server.preset.name, "gitnexus");
    EXPECT_EQ(server.policy.name, "slow");
    EXPECT_EQ(server.timeout, 2min);
    EXPECT_EQ(server.attempt_timeout, 10s);
    EXPECT_EQ(server.reconnect,
              (ReconnectOptions{
                  .delay = 1s, .multiplier = 1.5, .max_delay = 5s, .jitter = 0, .attempts = 3}));
}

TEST(ServersTest, TellHowTheyAreReachedByTheirKeys) {
    const std::vector<std::pair<const char*, std::size_t>> cases = {
        {R"({"command": "x"})", 0},
        {R"({"type": "stdio", "command": "x"})", 0},
        {R"({"url": "https://h/mcp"})", 1},
        {R"({"type": "streamable-http", "url": "http://h"})", 1},
        {R"({"url": "ws://h:1"})", 2},
        {R"({"type": "websocket", "url": "WSS://h"})", 2},
        {R"({"type": "ws", "listen": "/bridge"})", 3},
        {R"({"listen": "/bridge"})", 3},
        {R"({"type": "rest", "url": "http://h"})", 4},
    };
    for (const auto& [entry, index] : cases) {
        EXPECT_EQ(server_of(entry).target.index(), index) << entry;
    }
}

TEST(ServersTest, SayWhetherAProgramKeepsItsPrivileges) {
    const auto keeps = [](const std::string& entry) {
        return std::get<StdioTarget>(server_of(entry).target).keeps_privileges;
    };

    EXPECT_FALSE(keeps(R"({"command": "x"})"));
    EXPECT_FALSE(keeps(R"({"command": "x", "privileges": "drop"})"));
    EXPECT_TRUE(keeps(R"({"command": "x", "privileges": "keep"})"));
    EXPECT_EQ(faults_of(R"({"mcpServers": {"a": {"command": "x", "privileges": "all"}}})"),
              std::vector<std::string>{
                  "mcp.json:1:53: mcpServers.a.privileges: must be one of \"drop\", \"keep\", not "
                  "\"all\""});
    EXPECT_EQ(server_warnings(R"({"url": "http://h", "privileges": "keep"})"),
              std::vector<std::string>{"mcp.json:1:42: mcpServers.a.privileges: has no effect on a "
                                       "server of this type"});
}

TEST(ServersTest, KeepTheHintOfTheirType) {
    const auto hint = [](const std::string& type) {
        const auto server = server_of("{\"url\": \"http://h\", \"type\": \"" + type + "\"}");
        return std::get<HttpTarget>(server.target).hint;
    };

    EXPECT_EQ(hint("http"), HttpHint::http);
    EXPECT_EQ(hint("streamable-http"), HttpHint::streamable_http);
    EXPECT_EQ(hint("streamableHttp"), HttpHint::streamable_http);
    EXPECT_EQ(hint("sse"), HttpHint::sse);
}

TEST(ServersTest, ReadBothDirectionsOfAWebSocket) {
    const auto dials = server_of(R"({"type": "ws", "url": "ws://h", "headers": {"X-Key": "v"}})");
    const auto listens = server_of(
        R"({"type": "ws", "listen": "/bridge/tab", "token": "${T}",
            "origins": ["http://localhost:5173"]})",
        {{"T", "secret-token"}});

    EXPECT_EQ(std::get<WebSocketTarget>(dials.target).headers[0].name, "X-Key");
    const auto& target = std::get<WebSocketListenTarget>(listens.target);
    EXPECT_EQ(target.path, "/bridge/tab");
    EXPECT_EQ(target.token, "secret-token");
    EXPECT_EQ(target.origins, std::vector<std::string>{"http://localhost:5173"});
}

TEST(ServersTest, KeepARestEntryAsItIs) {
    const std::string entry = R"({"type": "rest", "url": "${BASE:-http://127.0.0.1:8000}",
        "preset": "commontrace", "endpoints": [{"path": "/search"}], "policy": "slow"})";

    const ServerConfig server = server_of(entry);

    const Node& raw = std::get<RestTarget>(server.target).entry;
    EXPECT_EQ(raw.find("url")->text, "http://127.0.0.1:8000");
    EXPECT_EQ(raw.find("endpoints")->items[0].find("path")->text, "/search");
    EXPECT_EQ(raw.find("endpoints")->place.line, 2U);
    EXPECT_EQ(server.preset.name, "commontrace");
    EXPECT_EQ(server.policy.name, "slow");
    EXPECT_TRUE(server_warnings(entry).empty());
}

TEST(ServersTest, WarnOfKeysWithoutEffect) {
    EXPECT_EQ(server_warnings(R"({"url": "http://h", "args": []})"),
              std::vector<std::string>{"mcp.json:1:42: mcpServers.a.args: has no effect on a "
                                       "server of this type"});
    EXPECT_EQ(
        server_warnings(R"({"command": "x", "comand": "y"})"),
        std::vector<std::string>{
            "mcp.json:1:39: mcpServers.a.comand: unknown key, ignored; did you mean \"command\"?"});
    EXPECT_EQ(
        server_warnings(R"({"httpUrl": "http://h"})"),
        std::vector<std::string>{"mcp.json:1:23: mcpServers.a.httpUrl: ignored; use \"url\""});
}

TEST(ServersTest, WarnOnceOfAForeignKey) {
    const auto warnings = warnings_of(R"({"mcpServers": {
        "a": {"command": "x", "icon": "1"}, "b": {"command": "x", "icon": "2"}}})");

    EXPECT_EQ(warnings,
              std::vector<std::string>{"mcp.json:2:31: mcpServers.a.icon: unknown key, ignored"});
}

TEST(ServersTest, KeepTheOrderOfTheFile) {
    const Config config = config_of(
        R"({"mcpServers": {"z": {"command": "x"}, "a": {"command": "x"}, "m": {"command": "x"}}})");

    ASSERT_EQ(config.servers.size(), 3U);
    EXPECT_EQ(config.servers[0].name, "z");
    EXPECT_EQ(config.servers[1].name, "a");
    EXPECT_EQ(config.servers[2].name, "m");
}

TEST(ServersTest, MayHaveANameOf64Bytes) {
    const std::string name(64, 'x');

    EXPECT_TRUE(faults_of("{\"mcpServers\": {\"" + name + "\": {\"command\": \"x\"}}}").empty());
    EXPECT_FALSE(faults_of("{\"mcpServers\": {\"" + name + "x\": {\"command\": \"x\"}}}").empty());
}

}  // namespace
}  // namespace holdfast::config
