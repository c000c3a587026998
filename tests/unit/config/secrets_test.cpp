#include <gtest/gtest.h>

#include <algorithm>

#include "tests/unit/config/config_reading.hpp"

namespace holdfast::config {
namespace {

constexpr std::string_view kSecret = "hunter2-secret";

TEST(SecretsTest, AreCollectedFromEveryPlaceThatHoldsThem) {
    const Config config = config_of(R"({"mcpServers": {
        "a": {"command": "npx-command", "args": ["argument-1", "--key=${MY_API_KEY}"],
              "env": {"NAME": "env-secret", "LEVEL": "5"}},
        "b": {"url": "https://host.example", "headers": {"Authorization": "Bearer header-secret"}},
        "c": {"listen": "/bridge", "token": "listen-secret"},
        "d": {"type": "rest", "auth": {"headers": {"X": "rest-secret"}}}},
        "agents": {"tokens": {"alice-name": "agent-secret-of-alice"}},
        "telemetry": {"headers": {"Key": "telemetry-secret"}}})",
                                    {{"MY_API_KEY", "variable-secret"}});

    EXPECT_EQ(config.secrets,
              (std::vector<std::string>{"Bearer header-secret", "agent-secret-of-alice",
                                        "env-secret", "header-secret", "listen-secret",
                                        "rest-secret", "telemetry-secret", "variable-secret"}));
}

/// Texts in which `%` stands for the secret, each wrong in a way that could make it be shown.
TEST(SecretsTest, AreInNoMessage) {
    const std::vector<std::string> texts = {
        R"({"mcpServers": {"a": {"command": "x", "env": {"A": ["%"]}}}})",
        R"({"mcpServers": {"a": {"command": "x", "env": {"A=B": "%"}}}})",
        R"({"mcpServers": {"a": {"command": "x", "env": "%"}}})",
        R"({"mcpServers": {"a": {"command": "x", "env": {"A": "${%}"}}}})",
        R"({"mcpServers": {"a": {"command": "x", "env": {"A": "%\x"}}}})",
        R"({"mcpServers": {"a": {"url": "http://h", "headers": {"A B": "%"}}}})",
        R"({"mcpServers": {"a": {"url": "http://h", "headers": {"A": "%\n"}}}})",
        R"({"mcpServers": {"a": {"url": "http://h", "headers": "%"}}})",
        R"({"mcpServers": {"a": {"url": "http://h", "token": "%"}}})",
        R"({"mcpServers": {"a": {"url": "ftp://user:%@h"}}})",
        R"({"mcpServers": {"a": {"url": "http://h/ ?key=%"}}})",
        R"({"mcpServers": {"a": {"listen": "/b", "token": {"x": "%"}}}})",
        R"({"mcpServers": {"a": {"listen": "/b?%", "token": "%"}}})",
        R"({"agents": {"tokens": {"a": "%", "b": "%"}}})",
        R"({"agents": {"tokens": {"a": ["%"]}}})",
        R"({"agents": {"tokens": ["%"]}})",
        R"({"agents": {"tokens": "%"}})",
        R"({"agents": {"tokens": {"anonymous": "%"}}})",
        R"({"limits": {"jsonDepth": "${SECRET}", "queueWait": "${SECRET}"}})",
        R"({"mcpServers": {"a": {"type": "${SECRET}"}}})",
        R"({"mcpServers": {"a": {"command": "x", "prefix": "${SECRET}", "session": "${SECRET}"}}})",
        R"({"names": {"prefix": "${SECRET}"}, "limits": {"stderr": "${SECRET}"}})",
        R"({"agents": {"origins": ["${SECRET}"], "hosts": ["${SECRET}/"]}})",
    };
    const Environment environment = environment_of({{"SECRET", std::string{kSecret}}});
    for (std::string text : texts) {
        for (auto at = text.find('%'); at != std::string::npos; at = text.find('%')) {
            text.replace(at, 1, kSecret);
        }
        const auto outcome = read_config("mcp.json", text, environment);
        std::vector<std::string> messages = texts_of(outcome.warnings);
        const auto faults = texts_of(faults_in(outcome));
        messages.insert(messages.end(), faults.begin(), faults.end());
        EXPECT_FALSE(messages.empty()) << text;
        for (const std::string& message : messages) {
            EXPECT_EQ(message.find(kSecret), std::string::npos) << message;
        }
    }
}

TEST(SecretsTest, NameTheVariableWithoutItsValue) {
    EXPECT_EQ(faults_of(R"({"mcpServers": {}, "ask": {"timeout": "${SECRET}"}})",
                        {{"SECRET", std::string{kSecret}}}),
              std::vector<std::string>{
                  "mcp.json:1:39: ask.timeout: the variable SECRET has an invalid value; expected "
                  "seconds, or a duration as in \"90s\" or \"1500ms\""});
}

TEST(SecretsTest, ShowTheReferencesOfATextThatIsPutTogether) {
    EXPECT_EQ(faults_of(R"({"mcpServers": {}, "ask": {"timeout": "${SECRET}s"}})",
                        {{"SECRET", std::string{kSecret}}}),
              std::vector<std::string>{
                  "mcp.json:1:39: ask.timeout: must be a duration with its unit, as in \"200ms\", "
                  "\"30s\" or \"2m\", not \"${SECRET}s\" with its variables filled in"});
}

}  // namespace
}  // namespace holdfast::config
