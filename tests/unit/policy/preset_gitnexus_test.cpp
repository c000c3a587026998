#include <gtest/gtest.h>

#include "policy/classify.hpp"
#include "policy/options.hpp"
#include "policy/text_template.hpp"
#include "resilience/tests/support/preset_figures.hpp"
#include "tests/unit/policy/table_reading.hpp"

// The preset `gitnexus`, row by row.

namespace holdfast::policy {
namespace {

namespace figures = resilience::testing::gitnexus;
using std::chrono::milliseconds;
using std::chrono::seconds;

struct Tier {
    std::vector<std::string_view> tools;
    Duration timeout;
};

void expect_timeouts(const PolicyTable& table, const std::vector<Tier>& tiers) {
    for (const Tier& tier : tiers) {
        for (const std::string_view tool : tier.tools) {
            const auto options = pipeline_options(table.resolve("s", tool).policy);
            EXPECT_EQ(options.timeout, tier.timeout) << tool;
            EXPECT_EQ(options.attempt_timeout, tier.timeout) << tool;
        }
    }
}

TEST(GitNexusPresetTest, QuickHeavyAndOtherToolsHaveTheirTimeouts) {
    expect_timeouts(table_with_preset("gitnexus"),
                    {{.tools = {"search", "grep", "read", "context", "overview", "highlight"},
                      .timeout = seconds{60}},
                     {.tools = {"cypher", "impact", "explore"}, .timeout = seconds{120}},
                     {.tools = {"something", "cypher2", "research"}, .timeout = seconds{60}}});
}

TEST(GitNexusPresetTest, EnvironmentOverridesTheTiers) {
    expect_timeouts(table_with_preset("gitnexus", {{"GITNEXUS_TIMEOUT_QUICK", "7"},
                                                   {"GITNEXUS_TIMEOUT_HEAVY", "300"}}),
                    {{.tools = {"search", "something"}, .timeout = seconds{7}},
                     {.tools = {"cypher"}, .timeout = seconds{300}}});
}

TEST(GitNexusPresetTest, NeverRetriesCalls) {
    const auto options =
        pipeline_options(table_with_preset("gitnexus").resolve("s", "grep").policy);

    EXPECT_EQ(options.retry.max_attempts, 1U);
    EXPECT_EQ(options.counts, resilience::CircuitCounts::call);
}

TEST(GitNexusPresetTest, HasTheFiguresOfItsCircuit) {
    const auto table = table_with_preset("gitnexus");

    for (const std::string_view tool : {"search", "cypher", "something"}) {
        const auto circuit = table.resolve("s", tool).circuit;
        ASSERT_TRUE(circuit);
        EXPECT_EQ(circuit->name, "s");
        EXPECT_EQ(circuit->options, figures::circuit());
    }
}

TEST(GitNexusPresetTest, HasTheMessageOfAnOpenCircuit) {
    const Policy policy = table_with_preset("gitnexus").resolve("s", "search").policy;

    const auto text = degrade_text(policy.degrade, {.code = FailureCode::circuit_open});

    EXPECT_EQ(filled(text, Values{{.name = "seconds", .value = "12"},
                                  {.name = "hint", .value = policy.circuit.hint}}),
              "Circuit breaker open due to repeated failures. Will retry in 12 seconds. Consider "
              "checking browser connection or graph status.");
    EXPECT_EQ(policy.degrade.as, DegradeAs::error);
}

TEST(GitNexusPresetTest, DoublesTheDelayOfReconnects) {
    const auto table = table_with_preset("gitnexus");

    const auto options = reconnect_backoff(table.reconnect("s"));

    EXPECT_EQ(options, figures::reconnect());
    const resilience::Backoff backoff{options};
    const std::vector<Duration> waits = {milliseconds{500}, seconds{1},  seconds{2},
                                         seconds{4},        seconds{8},  seconds{16},
                                         seconds{32},       seconds{60}, seconds{60}};
    for (std::size_t index = 0; index < waits.size(); ++index) {
        EXPECT_EQ(backoff.computed(static_cast<std::uint32_t>(index + 1)), waits[index]);
    }
}

TEST(GitNexusPresetTest, ClassifiesABrowserThatIsNotConnectedAsConnectionLost) {
    const Policy policy = table_with_preset("gitnexus").resolve("s", "search").policy;

    const auto end = classified(
        {.kind = AnswerKind::rpc_error, .rpc_code = -32603, .text = "Browser not connected"},
        policy);

    EXPECT_EQ(class_name(end), "connectionLost");
    EXPECT_EQ(failure_code(end.error_class), FailureCode::connection_lost);
    EXPECT_EQ(end.outcome, resilience::Outcome::failure);
}

TEST(GitNexusPresetTest, DebugRaisesTheDetail) {
    EXPECT_EQ(table_with_preset("gitnexus").resolve("s", "x").policy.effective_detail(),
              Detail::minimal);
    EXPECT_EQ(table_with_preset("gitnexus", {{"GITNEXUS_DEBUG", "true"}})
                  .resolve("s", "x")
                  .policy.effective_detail(),
              Detail::debug);
    EXPECT_EQ(for_call(table_with_preset("gitnexus").resolve("s", "x").policy, {.debug = true})
                  .effective_detail(),
              Detail::debug);
}

TEST(GitNexusPresetTest, VariablesAcceptSecondsOrUnits) {
    expect_timeouts(table_with_preset("gitnexus", {{"GITNEXUS_TIMEOUT_QUICK", " 1500ms "},
                                                   {"GITNEXUS_TIMEOUT_HEAVY", "90s"}}),
                    {{.tools = {"search"}, .timeout = std::chrono::milliseconds{1'500}},
                     {.tools = {"cypher"}, .timeout = seconds{90}}});
    EXPECT_EQ(table_with_preset("gitnexus", {{"GITNEXUS_DEBUG", "On"}})
                  .resolve("s", "x")
                  .policy.effective_detail(),
              Detail::debug);
}

TEST(GitNexusPresetTest, WarnsAboutATimeoutAboveAnHour) {
    const auto outcome =
        outcome_of(R"({"mcpServers": {"s": {"url": "http://h/mcp", "preset": "gitnexus"}}})",
                   {{"GITNEXUS_TIMEOUT_HEAVY", "7200"}});

    ASSERT_EQ(outcome.warnings.size(), 1U);
    EXPECT_EQ(outcome.warnings.front().message,
              "policies.heavy.timeout: the variable GITNEXUS_TIMEOUT_HEAVY is \"7200\", more "
              "than 3600 s; a number without a unit is seconds");
}

TEST(GitNexusPresetTest, MarksToolsThatReadAndToolsThatMayBeRepeated) {
    const auto table = table_with_preset("gitnexus");
    for (const std::string_view tool :
         {"search", "grep", "read", "context", "overview", "cypher", "impact", "explore"}) {
        EXPECT_EQ(table.resolve("s", tool).read_only, true) << tool;
        EXPECT_FALSE(table.resolve("s", tool).is_read_only_of_file) << tool;
    }
    EXPECT_EQ(table.resolve("s", "highlight").read_only, std::nullopt);
    EXPECT_EQ(table.resolve("s", "highlight").idempotent, true);
    EXPECT_EQ(table.resolve("s", "something").read_only, std::nullopt);
    EXPECT_EQ(table.resolve("s", "something").idempotent, std::nullopt);
}

TEST(GitNexusPresetTest, AnInvalidVariableSkipsOnlyServersOfThePreset) {
    const auto outcome = outcome_of(
        R"({"mcpServers": {"s": {"url": "http://h/mcp", "preset": "gitnexus"},
                           "off": {"url": "http://h/mcp", "preset": "gitnexus", "disabled": true},
                           "t": {"url": "http://h/mcp"}}})",
        {{"GITNEXUS_DEBUG", "maybe"}});
    ASSERT_TRUE(outcome.table);
    ASSERT_EQ(outcome.skipped.size(), 1U);
    EXPECT_EQ(outcome.skipped.front().name, "s");
    EXPECT_EQ(config::texts_of(outcome.skipped.front().faults),
              std::vector<std::string>{
                  "presets/gitnexus.json:27:16: policies.default.debug: the variable "
                  "GITNEXUS_DEBUG is \"maybe\"; expected true, false, 1, 0, yes, no, on "
                  "or off"});
}

TEST(GitNexusPresetTest, ServersOfThePresetDoNotShareCircuits) {
    const auto table =
        table_of(R"({"mcpServers": {"s": {"url": "http://h/mcp", "preset": "gitnexus"},
                                                 "t": {"url": "http://h/mcp", "preset": "gitnexus"}}})");

    EXPECT_EQ(table.resolve("s", "search").circuit->name, "s");
    EXPECT_EQ(table.resolve("s", "cypher").circuit->name, "s");
    EXPECT_EQ(table.resolve("t", "search").circuit->name, "t");
}

}  // namespace
}  // namespace holdfast::policy
