#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "config/key_info.hpp"
#include "tests/support/golden.hpp"
#include "tests/unit/config/config_reading.hpp"

// Invalid texts; the golden files have the messages.

namespace holdfast::config {
namespace {

/// Each text with its only fault.
std::string refusals_of(const std::vector<std::string>& texts) {
    std::string result;
    for (const std::string& text : texts) {
        const std::vector<std::string> faults = faults_of(text);
        EXPECT_EQ(faults.size(), 1U) << text;
        result += text + "\n";
        for (const std::string& fault : faults) {
            result += "  " + fault + "\n";
        }
    }
    return result;
}

TEST(RefusalTest, RefusesInvalidDocuments) {
    const std::vector<std::string> texts = {
        "",
        "// only a comment",
        "[]",
        R"("text")",
        R"({"mcpServers": {}} })",
        R"({"mcpServers": {})",
        R"({"mcpServers": {"a": [1, 2}})",
        R"({"mcpServers" {}})",
        "{,}",
        R"({"a": })",
        "/* open",
        "{\"a\": \"line\nend\"}",
        "{\"a\": \"tab\there\"}",
        R"({"a": "\ud800"})",
        R"({"a": "\u0000"})",
        "{\"mcpServers\": {\"a\": {\"command\": \"x\"},\n \"a\": {\"command\": \"y\"}}}",
    };

    test::expect_golden("config_refusals_documents", refusals_of(texts));
}

TEST(RefusalTest, RefusesInvalidServers) {
    const std::vector<std::string> texts = {
        R"({"mcpServers": {"a": "npx"}})",
        R"({"mcpServers": {"a": {}}})",
        R"({"mcpServers": {"a": {"command": "x", "url": "http://h"}}})",
        R"({"mcpServers": {"a": {"command": ""}}})",
        R"({"mcpServers": {"a": {"command": ["npx", "-y"]}}})",
        R"({"mcpServers": {"a": {"command": "x", "args": "-y"}}})",
        R"({"mcpServers": {"a": {"command": "x", "args": ["--port", 80]}}})",
        R"({"mcpServers": {"a": {"command": "x", "env": ["A=1"]}}})",
        R"({"mcpServers": {"a": {"command": "x", "env": {"A=B": "1"}}}})",
        R"({"mcpServers": {"a": {"command": "x", "cwd": 5}}})",
        R"({"mcpServers": {"a": {"url": "docs.example/mcp"}}})",
        R"({"mcpServers": {"a": {"url": "http://"}}})",
        R"({"mcpServers": {"a": {"url": "http://a b"}}})",
        R"({"mcpServers": {"a": {"type": "ws", "url": "http://h"}}})",
        R"({"mcpServers": {"a": {"type": "http", "url": "ws://h"}}})",
        R"({"mcpServers": {"a": {"url": "http://h", "headers": {"A B": "x"}}}})",
        R"({"mcpServers": {"a": {"url": "http://h", "headers": {"A": "x\ny"}}}})",
        R"({"mcpServers": {"a": {"url": "http://h", "headers": []}}})",
        R"({"mcpServers": {"a": {"type": "stdoi", "command": "x"}}})",
        R"({"mcpServers": {"a": {"type": "stdio", "url": "http://h"}}})",
        R"({"mcpServers": {"a": {"type": "sse", "command": "x"}}})",
        R"({"mcpServers": {"a": {"type": "ws"}}})",
        R"({"mcpServers": {"a": {"listen": "/a", "url": "ws://h"}}})",
        R"({"mcpServers": {"a": {"listen": "bridge"}}})",
        R"({"mcpServers": {"a": {"listen": "/mcp", "token": "t"}}})",
        R"({"mcpServers": {"a": {"listen": "/a", "origins": ["http://h/path"]}}})",
        R"({"mcpServers": {"a": {"listen": "/a", "token": ""}}})",
        R"({"mcpServers": {"a": {"command": "x", "disabled": "yes"}}})",
        R"({"mcpServers": {"a": {"command": "x", "session": "per-user"}}})",
        R"({"mcpServers": {"a": {"command": "x", "timeout": "60"}}})",
        R"({"mcpServers": {"a": {"command": "x", "preset": true}}})",
        R"({"mcpServers": {"a": {"command": "x", "reconnect": {"dely": "1s"}}}})",
        R"({"mcpServers": {"a": {"command": "x", "reconnect": {"delay": "2m"}}}})",
        R"({"mcpServers": {"a": {"command": "x", "reconnect": {"jitter": 1.5}}}})",
        R"({"mcpServers": {"a": {"command": "x", "reconnect": {"attempts": 2.5}}}})",
        R"({"mcpServers": {"a": {"command": "${NONE}"}}})",
        R"({"mcpServers": {"": {"command": "x"}}})",
        R"({"mcpServers": {"a\tb": {"command": "x"}}})",
        R"({"mcpServers": {"my server": {"command": 1}}})",
        R"({"mcpServers": {"nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn": {"command": "x"}}})",
    };

    test::expect_golden("config_refusals_servers", refusals_of(texts));
}

TEST(RefusalTest, RefusesInvalidSections) {
    const std::vector<std::string> texts = {
        R"({"mcpServer": {}})",
        R"({"mcpServers": {}, "limit": {}})",
        R"({"mcpServers": []})",
        "{\"mcpServers\": {},\n \"servers\": {}}",
        R"({"limits": []})",
        R"({"limits": {"jsonDept": 5}})",
        R"({"limits": {"jsonDepth": 8}})",
        R"({"limits": {"jsonDepth": true}})",
        R"({"limits": {"agentMessage": "8 megabytes"}})",
        R"({"limits": {"agentMessage": "2GB"}})",
        R"({"limits": {"allBuffers": "32MB"}})",
        R"({"limits": {"queueWait": 5}})",
        R"({"limits": {"queueWait": "48h"}})",
        R"({"limits": {"queue": -1}})",
        R"({"names": {"prefix": "sometimes"}})",
        R"({"names": {"prefx": "auto"}})",
        R"({"agents": {"token": {}}})",
        R"({"agents": {"tokens": {"alice": ""}}})",
        R"({"agents": {"tokens": {"anonymous": "x"}}})",
        R"({"agents": {"tokens": {"local": "x"}}})",
        R"({"agents": {"tokens": {"a/b": "x"}}})",
        R"({"agents": {"tokens": {"a": "a token of 15 c"}}})",
        R"({"agents": {"tokens": {"a": "the same token 1", "b": "the same token 1"}}})",
        R"({"agents": {"pages": "all"}})",
        R"({"agents": {"local": "everybody"}})",
        R"({"agents": {"local": ["bob", "user:x", "group:dev"]}})",
        R"({"agents": {"local": ["user:"]}})",
        R"({"agents": {"origins": ["app.example"]}})",
        R"({"agents": {"hosts": ["http://h"]}})",
        R"({"catalogue": {"pageSize": 0}})",
        R"({"ask": {"timeout": "0s"}})",
        R"({"catalogue": {"gather": "1s"}})",
        R"({"$schema": "holdfast.schema.json", "limts": {}})",
    };

    test::expect_golden("config_refusals_sections", refusals_of(texts));
}

TEST(RefusalTest, ReportsFaultsInTheOrderOfTheFile) {
    const auto faults = faults_of(R"({
  "limits": {"queue": "many", "quue": 1},
  "mcpServers": {
    "a": {"command": "${NONE}", "args": [1]},
    "a": {}
  }
})");

    std::string shown;
    for (const std::string& fault : faults) {
        shown += fault + "\n";
    }
    test::expect_golden("config_refusals_order", shown);
}

TEST(RefusalTest, StopsAtTwentyFaultsAndFiftyWarnings) {
    std::string text = R"({"mcpServers": {)";
    for (int index = 0; index < 100; ++index) {
        const std::string number = std::to_string(index);
        text.append("\"s").append(number).append("\": {\"foreign").append(number);
        text += "\": 1},";
    }
    const auto outcome = read_config("mcp.json", text + "}}", environment_of({}));

    ASSERT_FALSE(outcome.config);
    EXPECT_EQ(outcome.config.error().size(), 20U);
    EXPECT_EQ(outcome.warnings.size(), 50U);
}

TEST(RefusalTest, ReportsAValueWhoseVariableIsNotSetOnlyOnce) {
    EXPECT_EQ(
        faults_of(R"({"mcpServers": {"a": {"url": "${NONE}", "timeout": "${NONE}"}}})").size(), 2U);
    EXPECT_EQ(faults_of(R"({"mcpServers": {"a": {"type": "${NONE}", "url": "x"}}})").size(), 1U);
}

TEST(RefusalTest, NamesWhatReplacesARemovedKey) {
    constexpr std::array<RemovedKey, 2> kRemoved = {{
        {.object = "mcpServers.*", .name = "retries", .replacement = "use a policy"},
        {.object = "limits", .name = "depth", .replacement = "use \"jsonDepth\""},
    }};

    EXPECT_EQ(replacement_of("mcpServers.docs", "retries", kRemoved), "use a policy");
    EXPECT_EQ(replacement_of("limits", "depth", kRemoved), "use \"jsonDepth\"");
    EXPECT_EQ(replacement_of("limits", "retries", kRemoved), "");
    EXPECT_EQ(replacement_of("catalogue", "gather"), "use \"debounce\"");
}

TEST(RefusalTest, AcceptsTheSchemaOfAnEditor) {
    EXPECT_TRUE(faults_of(R"({"$schema": "./holdfast.schema.json", "mcpServers": {}})").empty());
    EXPECT_TRUE(warnings_of(R"({"$schema": "./holdfast.schema.json", "mcpServers": {}})").empty());
}

}  // namespace
}  // namespace holdfast::config
