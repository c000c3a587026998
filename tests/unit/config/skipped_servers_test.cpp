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

/// The server that is skipped because of an entry with these keys; without a name if there is no
/// such server.
SkippedServer skipped_by(const std::string& keys, const Variables& variables) {
    const auto outcome = read_config(
        "mcp.json", R"({"mcpServers": {"a": {)" + keys + R"(}, "b": {"command": "y"}}})",
        environment_of(variables));
    if (!outcome.config) {
        ADD_FAILURE() << outcome.config.error().front().text();
        return {};
    }
    return outcome.config->skipped.empty() ? SkippedServer{} : outcome.config->skipped.front();
}

TEST(SkippedServersTest, FiguresOfVariablesThatDoNotFitTogetherSkipTheServer) {
    EXPECT_EQ(skipped_by(R"("command": "x", "reconnect": {"delay": "${D}", "maxDelay": "5s"})",
                         {{"D", "9"}})
                  .reason(),
              "mcp.json:1:52: mcpServers.a.reconnect: \"delay\" is 9s and must not be longer than "
              "\"maxDelay\", which is 5s");
    EXPECT_EQ(
        skipped_by(R"("command": "x", "reconnect": {"maxDelay": "${M}"})", {{"M", "100ms"}}).name,
        "a");
    EXPECT_EQ(skipped_by(R"("command": "x", "reconnect": {"delay": "${D}", "maxDelay": "100ms"})",
                         {{"D", "soon"}})
                  .name,
              "a");
}

TEST(SkippedServersTest, ATypeOfAVariableThatDoesNotFitTheEntrySkipsTheServer) {
    EXPECT_EQ(skipped_by(R"("type": "${T}", "url": "http://h")", {{"T", "stdio"}}).reason(),
              "mcp.json:1:22: mcpServers.a: a server of type \"stdio\" needs \"command\"");
}

TEST(SkippedServersTest, TheNameOfACredentialsHeaderMayBeWhatSkipsTheServer) {
    const std::string keys =
        R"("url": "http://h", "credentials": [{"from": {"env": "K"}, "as": {"header": "${H}"}}])";

    EXPECT_EQ(skipped_by(keys, {}).faults.size(), 1U);
    EXPECT_EQ(skipped_by(keys, {{"H", "no header"}}).faults.size(), 1U);
    EXPECT_EQ(skipped_by(keys, {{"H", "X-Key"}}).name, "");
}

TEST(SkippedServersTest, KeepTheirPlacesAndPresets) {
    const Config config = config_of(
        R"({"mcpServers": {"a": {"url": "${NONE}", "preset": "octocode"},
                           "b": {"command": "${NONE}", "preset": "${ALSO_NONE}"}}})");

    ASSERT_EQ(config.skipped.size(), 2U);
    EXPECT_EQ(config.skipped[0].place, (Place{.line = 1, .column = 17}));
    EXPECT_EQ(config.skipped[0].preset.name, "octocode");
    EXPECT_FALSE(config.skipped[0].preset.is_unknown);
    EXPECT_EQ(config.skipped[1].preset.name, "");
    EXPECT_TRUE(config.skipped[1].preset.is_unknown);
}

}  // namespace
}  // namespace holdfast::config
