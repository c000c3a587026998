#include "policy/presets.hpp"

#include <gtest/gtest.h>

#include "policy/options.hpp"
#include "tests/unit/policy/table_reading.hpp"

namespace holdfast::policy {
namespace {

TEST(PresetsTest, ListsPresetsWithTheirPurpose) {
    std::vector<std::string_view> names;
    for (const Preset& preset : presets()) {
        names.push_back(preset.name);
        EXPECT_FALSE(preset.description.empty());
        EXPECT_TRUE(preset.text.starts_with('{')) << preset.name;
    }

    EXPECT_EQ(names, (std::vector<std::string_view>{"commontrace", "gitnexus", "octocode", "ucp"}));
}

TEST(PresetsTest, OverrideTheDefaultPolicyOfTheFile) {
    for (const std::string_view preset : {"commontrace", "gitnexus", "octocode"}) {
        const auto strange = table_of(
            R"({"mcpServers": {"s": {"url": "http://h/mcp", "preset": ")" + std::string{preset} +
            R"("}}, "preset": "ucp", "policies": {"default": {"timeout": "5s", "attemptTimeout": "1s",
                "retry": {"attempts": 9, "jitter": 1},
                "circuit": {"failures": 1, "open": "1s", "probes": 2, "successes": 9,
                            "failureRate": 0.5, "openGrowth": 2, "openJitter": 0.5},
                "rateLimit": {"permits": 1}, "repeatGuard": {"failures": 2}}}})");
        const auto plain = table_with_preset(preset);

        for (const std::string_view tool : {"search", "lspOther", "get_trace", "vote_trace"}) {
            const auto one = strange.resolve("s", tool);
            const auto other = plain.resolve("s", tool);
            EXPECT_EQ(one.circuit, other.circuit) << preset << ' ' << tool;
            EXPECT_EQ(one.policy.timeout, other.policy.timeout) << preset << ' ' << tool;
            EXPECT_EQ(one.policy.attempt_timeout, other.policy.attempt_timeout);
            EXPECT_EQ(one.policy.degrade.as, other.policy.degrade.as);
            EXPECT_EQ(one.policy.circuit.counts, other.policy.circuit.counts);
            EXPECT_EQ(pipeline_options(one.policy).retry.max_attempts,
                      pipeline_options(other.policy).retry.max_attempts);
            EXPECT_FALSE(one.policy.rate_limit.is_on);
            EXPECT_FALSE(one.policy.repeat_guard.is_on);
        }
    }
}

TEST(PresetsTest, ReturnsValuesOfSecretVariables) {
    const std::vector<Preset> available = {
        {.name = "mine", .description = "", .text = R"({"rest": {"url": "http://${MY_TOKEN}"}})"}};

    const auto outcome =
        outcome_of(R"({"mcpServers": {"s": {"url": "http://h", "preset": "mine"}}})",
                   {{"MY_TOKEN", "hidden-value"}}, available);

    EXPECT_EQ(outcome.secrets, std::vector<std::string>{"hidden-value"});
}

}  // namespace
}  // namespace holdfast::policy
