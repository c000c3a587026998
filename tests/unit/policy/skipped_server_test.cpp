// The rest of the file may refer to names of skipped servers.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/unit/policy/table_reading.hpp"

namespace holdfast::policy {
namespace {

using Texts = std::vector<std::string>;

/// Returns a config with a server that has these keys, a server without a preset, and sections that
/// name a circuit and an error class of the preset octocode.
std::string config_with(const std::string& keys) {
    return R"({"mcpServers": {"code": {"url": "http://h/mcp", )" + keys +
           R"(}, "plain": {"url": "http://p/mcp"}},
               "policies": {"slow": {"retry": {"on": ["lspNotReady"]}}},
               "tools": [{"match": "code.search", "circuit": "github:search"}]})";
}

Texts names_of(const std::vector<config::SkippedServer>& servers) {
    Texts names;
    for (const config::SkippedServer& server : servers) {
        names.push_back(server.name);
    }
    return names;
}

TEST(SkippedServerPolicyTest, RulesMayNameTheCircuitsOfASkippedServersPreset) {
    const PolicyTableOutcome outcome = outcome_of(
        config_with(R"("preset": "octocode", "timeout": "${TIME}")"), {{"TIME", "soon"}});

    EXPECT_TRUE(outcome.table) << outcome.table.error().front().text();
    EXPECT_TRUE(config::texts_of(outcome.warnings).empty());
}

TEST(SkippedServerPolicyTest, AnUnknownPresetMayBeAnyPreset) {
    for (const config::Variables& variables :
         {config::Variables{}, config::Variables{{"PRESET", "nonsense"}}}) {
        const PolicyTableOutcome outcome =
            outcome_of(config_with(R"("preset": "${PRESET}")"), variables);

        EXPECT_TRUE(outcome.table) << outcome.table.error().front().text();
    }
}

TEST(SkippedServerPolicyTest, AnUnknownCircuitIsStillAFault) {
    const Texts faults = table_faults_of(
        R"({"mcpServers": {"code": {"url": "${NONE}", "preset": "octocode"}},
            "tools": [{"match": "code.search", "circuit": "github:serach"}]})");

    ASSERT_EQ(faults.size(), 1U);
    EXPECT_NE(faults[0].find("no circuit \"github:serach\"; the nearest is "
                             "\"github:search\""),
              std::string::npos)
        << faults[0];
}

TEST(SkippedServerPolicyTest, ANameOfAPresetOrPolicyFromAVariableSkipsTheServer) {
    const PolicyTableOutcome outcome = outcome_of(
        R"({"mcpServers": {"a": {"command": "x", "preset": "${P}"},
                           "b": {"command": "x", "policy": "${P}"},
                           "c": {"command": "x", "preset": "octocode"},
                           "d": {"command": "x", "disabled": true, "preset": "${P}"}}})",
        {{"P", "octocod"}});

    ASSERT_TRUE(outcome.table) << outcome.table.error().front().text();
    EXPECT_EQ(names_of(outcome.skipped), (Texts{"a", "b"}));
    EXPECT_EQ(outcome.skipped[0].reason(),
              "mcp.json:1:17: server \"a\": no preset \"octocod\"; the nearest is "
              "\"octocode\"");
    EXPECT_EQ(outcome.skipped[1].reason(), "mcp.json:2:28: server \"b\": no policy \"octocod\"");
}

TEST(SkippedServerPolicyTest, AnUnknownNameInTheFileIsAFaultOfTheConfig) {
    for (const std::string key : {"preset", "policy"}) {
        const PolicyTableOutcome outcome =
            outcome_of(R"({"mcpServers": {"a": {"command": "x", ")" + key + R"(": "nonsense"}}})");

        EXPECT_FALSE(outcome.table);
    }
}

TEST(SkippedServerPolicyTest, FiguresOfACircuitFromVariablesMustBeConsistent) {
    const std::string text =
        R"({"mcpServers": {"a": {"command": "x", "circuits": {"a": {"open": "${OPEN}",
                                                                   "maxOpen": "1m"}}}}})";

    const PolicyTableOutcome bad = outcome_of(text, {{"OPEN", "90"}});
    const PolicyTableOutcome good = outcome_of(text, {{"OPEN", "30"}});

    ASSERT_TRUE(bad.table) << bad.table.error().front().text();
    EXPECT_EQ(names_of(bad.skipped), Texts{"a"});
    EXPECT_TRUE(good.skipped.empty());
}

}  // namespace
}  // namespace holdfast::policy
