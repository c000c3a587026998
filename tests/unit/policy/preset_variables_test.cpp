#include <gtest/gtest.h>

#include "tests/unit/policy/table_reading.hpp"

namespace holdfast::policy {
namespace {

TEST(CommonTraceVariableTest, PublishedNamesAreTheSecondChoice) {
    const std::string text = R"({"mcpServers": {"s": {"type": "rest", "preset": "commontrace"}}})";
    const config::Variables published = {{"API_BASE_URL", "http://published"},
                                         {"READ_TIMEOUT", "0.5"},
                                         {"WRITE_TIMEOUT", "9"},
                                         {"CIRCUIT_FAILURE_THRESHOLD", "3"},
                                         {"CIRCUIT_RECOVERY_TIMEOUT", "7"}};
    const PolicyTableOutcome outcome = outcome_of(text, published);
    ASSERT_TRUE(outcome.table);

    const ResolvedTool read = outcome.table->resolve("s", "get_trace");
    EXPECT_EQ(outcome.table->preset_section("s", "rest")->find("url")->text, "http://published");
    EXPECT_EQ(read.policy.timeout, std::chrono::milliseconds{500});
    EXPECT_EQ(outcome.table->resolve("s", "vote_trace").policy.timeout, std::chrono::seconds{9});
    EXPECT_EQ(read.circuit->options.failure_threshold, 3U);
    EXPECT_EQ(read.circuit->options.open_for, std::chrono::seconds{7});
    EXPECT_EQ(outcome.second_choices.size(), published.size());

    config::Variables both = published;
    both["COMMONTRACE_READ_TIMEOUT"] = "0.3";
    const PolicyTableOutcome first = outcome_of(text, both);
    ASSERT_TRUE(first.table);
    EXPECT_EQ(first.table->resolve("s", "get_trace").policy.timeout,
              std::chrono::milliseconds{300});
    EXPECT_EQ(first.second_choices.size(), published.size() - 1);
}

}  // namespace
}  // namespace holdfast::policy
