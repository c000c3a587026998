#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/unit/config/config_reading.hpp"

namespace holdfast::config {
namespace {

TEST(SkippedServersTest, AVariableSkipsTheServerOfItsEntry) {
    const Config config = config_of(
        R"({"mcpServers": {"a": {"command": "x", "args": ["${NONE}"]}, "b": {"command": "y"},
                           "c": {"url": "${URL}"}, "d": {"command": "z", "timeout": "${TIME}"}}})",
        {{"URL", "nonsense"}, {"TIME", "soon"}});

    ASSERT_EQ(config.servers.size(), 1U);
    EXPECT_EQ(config.servers[0].name, "b");
    ASSERT_EQ(config.skipped.size(), 3U);
    EXPECT_EQ(config.skipped[0].name, "a");
    EXPECT_EQ(config.skipped[0].reason(),
              "mcp.json:1:48: mcpServers.a.args[0]: the variable NONE is not set; set it, or give "
              "it a default: ${NONE:-default}");
    EXPECT_EQ(config.skipped[1].name, "c");
    EXPECT_EQ(config.skipped[2].name, "d");
}

TEST(SkippedServersTest, AMistakeInTheFileRefusesTheConfigWithAllFaults) {
    const auto outcome =
        read_config("mcp.json", R"({"mcpServers": {"a": {"command": "${NONE}", "args": [1]}}})",
                    environment_of({}));

    ASSERT_FALSE(outcome.config);
    EXPECT_EQ(outcome.config.error().size(), 2U);
}

TEST(SkippedServersTest, AVariableOutsideTheServersRefusesTheConfig) {
    const auto outcome = read_config(
        "mcp.json",
        R"({"mcpServers": {"a": {"command": "${NONE}"}}, "ask": {"timeout": "${NONE}"}})",
        environment_of({}));

    ASSERT_FALSE(outcome.config);
    EXPECT_EQ(outcome.config.error().size(), 1U);
}

TEST(SkippedServersTest, ADisabledServerIsNotSkipped) {
    const Config config = config_of(
        R"({"mcpServers": {"a": {"command": "${NONE}", "disabled": true},
                           "b": {"command": "x", "disabled": "${NONE}"}}})");

    ASSERT_EQ(config.servers.size(), 1U);
    EXPECT_TRUE(config.servers[0].is_disabled);
    ASSERT_EQ(config.skipped.size(), 1U);
    EXPECT_EQ(config.skipped[0].name, "b");
}

}  // namespace
}  // namespace holdfast::config
