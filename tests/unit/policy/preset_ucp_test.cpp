#include <gtest/gtest.h>

#include "policy/classify.hpp"
#include "policy/options.hpp"
#include "policy/text_template.hpp"
#include "resilience/tests/support/preset_figures.hpp"
#include "tests/unit/policy/table_reading.hpp"

// The preset `ucp`, value by value.

namespace holdfast::policy {
namespace {

namespace figures = resilience::testing::ucp;
using std::chrono::seconds;

TEST(UcpPresetTest, HasOneCircuitPerServer) {
    const auto table = table_of(
        R"({"mcpServers": {"a": {"url": "http://h/mcp"}, "b": {"command": "x"}}, "preset": "ucp"})");

    EXPECT_EQ(table.resolve("a", "t").circuit->name, "a");
    EXPECT_EQ(table.resolve("b", "t").circuit->name, "b");
    EXPECT_EQ(table.resolve("b", "t").circuit->options, figures::circuit());
}

TEST(UcpPresetTest, CountsEachAttemptAndHasItsRetriesAndTimeouts) {
    const Policy policy = ucp_table().resolve("s", "t").policy;

    auto options = pipeline_options(policy);

    auto expected = figures::pipeline();
    options.retry.transient.jitter_ratio = expected.retry.transient.jitter_ratio;
    options.retry.throttled.jitter_ratio = expected.retry.throttled.jitter_ratio;
    EXPECT_EQ(options, expected);
    EXPECT_FALSE(budget_options(policy.retry));
    EXPECT_EQ(policy.retry.when, resilience::RepeatRule::safe);
    const resilience::Backoff waits{options.retry.transient};
    EXPECT_EQ(waits.computed(1), seconds{1});
    EXPECT_EQ(waits.computed(2), seconds{2});
    EXPECT_EQ(waits.computed(3), seconds{4});
}

TEST(UcpPresetTest, ReconnectsAfterOneTwoFourSeconds) {
    const resilience::Backoff waits{reconnect_backoff(ucp_table().reconnect("s"))};

    EXPECT_EQ(waits.options().jitter, resilience::Jitter::none);
    EXPECT_EQ(waits.computed(1), seconds{1});
    EXPECT_EQ(waits.computed(2), seconds{2});
    EXPECT_EQ(waits.computed(3), seconds{4});
}

TEST(UcpPresetTest, HasTheMessageOfAnOpenCircuit) {
    const Policy policy = ucp_table().resolve("s", "t").policy;

    const auto text = degrade_text(policy.degrade, {.code = FailureCode::circuit_open});

    EXPECT_EQ(
        filled(text, Values{{.name = "server", .value = "X"}, {.name = "seconds", .value = "7"}}),
        "Circuit breaker is open for server X. Too many consecutive failures. Will retry "
        "after timeout. 7 seconds left.");
}

TEST(UcpPresetTest, HasTheTextForExhaustedRetries) {
    const Policy policy = ucp_table().resolve("s", "t").policy;

    for (const std::string_view error_class :
         {"timeout", "malformed", "connectionLost", "connectionRefused", "serverError",
          "internalError", "rateLimited"}) {
        EXPECT_EQ(filled(degrade_text(policy.degrade,
                                      {.code = FailureCode::retry_exhausted,
                                       .error_class = find_class(*policy.classes, error_class)}),
                         Values{{.name = "attemptCount", .value = "3 attempts"},
                                {.name = "lastError", .value = "no answer within 30 s"},
                                {.name = "tool", .value = "T"}}),
                  "Tool call failed after 3 attempts: T. Last error: no answer within 30 s")
            << error_class;
    }
}

TEST(UcpPresetTest, WaitsForTheFirstConnectionAndFailsOnJunk) {
    const Policy policy = ucp_table().resolve_server("s").policy;

    EXPECT_EQ(policy.wait_for_connection, WaitForConnection::first_try);
    EXPECT_EQ(policy.junk, JunkRule::fail);
}

TEST(UcpPresetTest, FailuresHelpAModelToCorrectItself) {
    EXPECT_EQ(ucp_table().resolve("s", "t").policy.effective_detail(), Detail::self_correct);
}

TEST(UcpPresetTest, RetriesAndCountsItsErrorClasses) {
    using resilience::FailureKind;
    const Policy policy = ucp_table().resolve("s", "t").policy;

    const auto malformed = classified({.fault = ErrorClassId::malformed}, policy);
    const auto invalid = classified({.kind = AnswerKind::rpc_error, .rpc_code = -32602}, policy);

    const auto broken = classified({.kind = AnswerKind::rpc_error, .rpc_code = -32603}, policy);
    const auto lost = classified({.fault = ErrorClassId::not_connected}, policy);
    const auto down = classified({.fault = ErrorClassId::not_connected, .is_final = true}, policy);

    EXPECT_EQ(broken.outcome, resilience::Outcome::failure);
    EXPECT_EQ(broken.failure->kind, FailureKind::transient);
    EXPECT_EQ(lost.outcome, std::nullopt);
    EXPECT_EQ(lost.failure->kind, FailureKind::transient);
    EXPECT_EQ(down.failure->kind, FailureKind::permanent);
    EXPECT_EQ(malformed.outcome, resilience::Outcome::failure);
    EXPECT_EQ(malformed.failure->kind, FailureKind::transient);
    EXPECT_EQ(invalid.outcome, resilience::Outcome::neutral);
    EXPECT_EQ(invalid.failure->kind, FailureKind::permanent);
}

TEST(UcpPresetTest, ReturnsOneToTenToolsOutOfTwiceAsManyCandidates) {
    const PolicyTable table = ucp_table();
    const config::Node* surface = table.gateway_section("surface");

    ASSERT_NE(surface, nullptr);
    EXPECT_EQ(surface->find("maxTools")->number, 10);
    EXPECT_EQ(surface->find("minTools")->number, 1);
    EXPECT_EQ(surface->find("candidateFactor")->number, 2);
    EXPECT_EQ(surface->find("suggestedNames")->number, 10);
}

TEST(UcpPresetTest, DefaultPolicyOfTheFileOverridesThePreset) {
    const auto table = table_of(R"({"mcpServers": {"s": {"url": "http://h/mcp"}}, "preset": "ucp",
        "policies": {"default": {"attemptTimeout": "10s"}}})");

    EXPECT_EQ(source_of(table, "attemptTimeout"), "10s by policies.default");
    EXPECT_EQ(source_of(table, "timeout"), "2m by preset ucp, policies.default");
}

}  // namespace
}  // namespace holdfast::policy
