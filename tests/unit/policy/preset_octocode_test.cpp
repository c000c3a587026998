#include <gtest/gtest.h>

#include "policy/classify.hpp"
#include "policy/error_text.hpp"
#include "policy/options.hpp"
#include "resilience/tests/support/preset_figures.hpp"
#include "tests/unit/policy/table_reading.hpp"

// The preset `octocode`, row by row.

namespace holdfast::policy {
namespace {

namespace figures = resilience::testing::octocode;
using figures::Category;
using resilience::Delivery;
using resilience::FailureKind;
using resilience::Outcome;

TEST(OctocodePresetTest, HasTheFiguresOfTheDefaultCircuit) {
    const auto circuit = table_with_preset("octocode").resolve("s", "somethingElse").circuit;

    ASSERT_TRUE(circuit);
    EXPECT_EQ(circuit->name, "s");
    EXPECT_EQ(circuit->options, figures::default_circuit());
}

struct MappedTool {
    std::string_view circuit;
    Category category;
    std::vector<std::string_view> tools;
};

// The tool names of the current package, and tools that match a prefix only.
const std::vector<MappedTool>& mapped_tools() {
    static const std::vector<MappedTool> tools = {
        {.circuit = "github:search",
         .category = Category::github,
         .tools = {"githubSearchCode", "githubSearchRepositories", "ghSearch", "ghSearchCode",
                   "ghSearchRepos"}},
        {.circuit = "github:pulls",
         .category = Category::github,
         .tools = {"githubSearchPullRequests", "ghSearchPullRequests", "ghSearchHistory",
                   "ghGetHistoryItem"}},
        {.circuit = "github:content",
         .category = Category::github,
         .tools = {"githubGetFileContent", "githubViewRepoStructure", "ghGetFileContent",
                   "ghViewRepoStructure"}},
        {.circuit = "github", .category = Category::github, .tools = {"githubOther", "ghOther"}},
        {.circuit = "lsp:navigation",
         .category = Category::lsp,
         .tools = {"lspGotoDefinition", "lspFindReferences", "lspGetSemantics"}},
        {.circuit = "lsp:hierarchy", .category = Category::lsp, .tools = {"lspCallHierarchy"}},
        {.circuit = "lsp", .category = Category::lsp, .tools = {"lspOther"}},
        {.circuit = "local",
         .category = Category::local,
         .tools = {"localSearchCode", "localGetFileContent", "localFindFiles", "localViewStructure",
                   "localSearch", "localAnalyzeGraph", "localOther"}},
        {.circuit = "package",
         .category = Category::package,
         .tools = {"packageSearch", "npmSearch", "packageOther"}},
    };
    return tools;
}

TEST(OctocodePresetTest, MapsToolsToCircuits) {
    const auto table = table_with_preset("octocode");

    for (const MappedTool& row : mapped_tools()) {
        for (const std::string_view tool : row.tools) {
            const auto circuit = table.resolve("s", tool).circuit;
            ASSERT_TRUE(circuit) << tool;
            EXPECT_EQ(circuit->name, "s/" + std::string{row.circuit}) << tool;
            EXPECT_EQ(circuit->options, figures::circuit(row.circuit)) << tool;
        }
    }
}

TEST(OctocodePresetTest, CategoriesHaveTheirTimeoutsAttemptsDelaysAndCaps) {
    const auto table = table_with_preset("octocode");

    for (const MappedTool& row : mapped_tools()) {
        for (const std::string_view tool : row.tools) {
            auto expected = figures::pipeline(row.category);
            expected.retry.throttled = expected.retry.transient;
            auto options = pipeline_options(table.resolve("s", tool).policy);
            options.retry.transient.jitter_ratio = expected.retry.transient.jitter_ratio;
            options.retry.throttled.jitter_ratio = expected.retry.transient.jitter_ratio;
            EXPECT_EQ(options, expected) << tool;
            EXPECT_FALSE(budget_options(table.resolve("s", tool).policy.retry)) << tool;
        }
    }
}

TEST(OctocodePresetTest, OtherToolsUseTheDefaultCircuit) {
    const auto options =
        pipeline_options(table_with_preset("octocode").resolve("s", "somethingElse").policy);

    EXPECT_EQ(options.timeout, std::chrono::seconds{30});
    EXPECT_EQ(options.attempt_timeout, std::chrono::seconds{30});
    EXPECT_EQ(options.retry.max_attempts, 1U);
}

TEST(OctocodePresetTest, MarksAllToolsAsReadOnly) {
    const auto table = table_with_preset("octocode");

    EXPECT_EQ(table.resolve("s", "ghSearchCode").read_only, true);
    EXPECT_EQ(table.resolve("s", "somethingElse").read_only, true);
}

struct ClassRow {
    std::string_view text;
    figures::ErrorClass error;
    std::string_view name;
};

const std::vector<ClassRow>& class_rows() {
    using figures::ErrorClass;
    static const std::vector<ClassRow> rows = {
        {"HTTP 403: forbidden", ErrorClass::rate_limited, "rateLimited"},
        {"status code: 429", ErrorClass::rate_limited, "rateLimited"},
        {"You hit the Rate Limit", ErrorClass::rate_limited, "rateLimited"},
        {"Too Many Requests", ErrorClass::rate_limited, "rateLimited"},
        {"quota exceeded", ErrorClass::rate_limited, "rateLimited"},
        {"API rate limit exceeded", ErrorClass::rate_limited, "rateLimited"},
        {"HTTP 500", ErrorClass::server_error, "serverError"},
        {R"({"status":599,"error":"x"})", ErrorClass::server_error, "serverError"},
        {"HTTP 503: request timed out", ErrorClass::server_error, "serverError"},
        {"Timeout of 30 s", ErrorClass::timeout, "timeout"},
        {"the request timed out", ErrorClass::timeout, "timeout"},
        {"context Deadline Exceeded", ErrorClass::timeout, "timeout"},
        {"Language server not ready", ErrorClass::lsp_not_ready, "lspNotReady"},
        {"LSP not initialized", ErrorClass::lsp_not_ready, "lspNotReady"},
        {"the server is starting", ErrorClass::lsp_not_ready, "lspNotReady"},
        {"connect ECONNREFUSED 127.0.0.1:1", ErrorClass::connection_refused, "connectionRefused"},
        {"Connection refused", ErrorClass::connection_refused, "connectionRefused"},
        {"EBUSY: resource busy or locked", ErrorClass::file_busy, "fileBusy"},
        {"Device or resource busy", ErrorClass::file_busy, "fileBusy"},
        {"EAGAIN", ErrorClass::file_busy, "fileBusy"},
        {"Resource temporarily unavailable", ErrorClass::file_busy, "fileBusy"},
        {"GitHub API temporarily unavailable", ErrorClass::server_error, "serverError"},
        {"connect ETIMEDOUT 10.0.0.1:443", ErrorClass::timeout, "timeout"},
        {"HTTP 403: rate limit, permission denied", ErrorClass::rate_limited, "rateLimited"},
        {"no such file", ErrorClass::unclassified, "toolError"},
        {"read ECONNRESET", ErrorClass::unclassified, "toolError"},
        {"HTTP 404: not found", ErrorClass::unclassified, "clientError"},
        {"HTTP 404: rate limit", ErrorClass::unclassified, "clientError"},
        {"HTTP 401: timeout", ErrorClass::unclassified, "unauthorized"},
        {"HTTP 403: insufficient permissions", ErrorClass::unclassified, "unauthorized"},
        {"HTTP 403: Resource not accessible by integration", ErrorClass::unclassified,
         "unauthorized"},
        {"HTTP 403: forbidden by policy", ErrorClass::unclassified, "unauthorized"},
        {"HTTP 403: access denied", ErrorClass::unclassified, "unauthorized"},
        {"HTTP 403: the token needs the scope repo", ErrorClass::unclassified, "unauthorized"},
        {"HTTP 403: protected by SAML", ErrorClass::unclassified, "unauthorized"},
    };
    return rows;
}

TEST(OctocodePresetTest, CategoriesRetryOnTheirErrorClasses) {
    const auto table = table_with_preset("octocode");
    const std::vector<std::pair<std::string_view, Category>> tools = {
        {"ghSearchCode", Category::github},
        {"lspCallHierarchy", Category::lsp},
        {"npmSearch", Category::package},
        {"localFindFiles", Category::local},
        {"somethingElse", Category::other}};

    for (const auto& [tool, category] : tools) {
        const Policy policy = table.resolve("s", tool).policy;
        for (const ClassRow& row : class_rows()) {
            const auto end = classified({.kind = AnswerKind::error_result,
                                         .http_status = status_in(row.text).value_or(0),
                                         .text = row.text},
                                        policy);
            EXPECT_EQ(class_name(end), row.name) << row.text;
            const bool is_failure = row.error != figures::ErrorClass::unclassified;
            EXPECT_EQ(end.outcome, is_failure ? Outcome::failure : Outcome::success) << row.text;
            ASSERT_EQ(end.failure.has_value(), is_failure) << row.text;
            const bool may_repeat = is_failure && end.failure->kind != FailureKind::permanent &&
                                    pipeline_options(policy).retry.max_attempts > 1;
            EXPECT_EQ(may_repeat, figures::is_retried(category, row.error))
                << tool << ": " << row.text;
        }
    }
}

TEST(OctocodePresetTest, ClassifiesAttemptsThatTheTransportEnds) {
    const Policy policy = table_with_preset("octocode").resolve("s", "lspGotoDefinition").policy;

    const auto late =
        classified({.fault = ErrorClassId::timeout, .delivery = Delivery::sent}, policy);
    const auto refused = classified(
        {.fault = ErrorClassId::connection_refused, .delivery = Delivery::not_sent}, policy);

    EXPECT_EQ(late.failure->kind, FailureKind::transient);
    EXPECT_EQ(refused.failure->kind, FailureKind::transient);
    EXPECT_EQ(refused.failure->delivery, Delivery::not_sent);
}

TEST(OctocodePresetTest, CountsTransportFailuresMalformedAnswersAndInternalErrors) {
    const Policy policy = table_with_preset("octocode").resolve("s", "localSearch").policy;
    const auto outcome_of_ending = [&](const Ending& ending) {
        return classified(ending, policy).outcome;
    };
    using enum AnswerKind;

    for (const ErrorClassId fault : {ErrorClassId::timeout, ErrorClassId::connection_lost,
                                     ErrorClassId::connection_refused, ErrorClassId::malformed}) {
        EXPECT_EQ(outcome_of_ending({.fault = fault}), Outcome::failure);
    }
    EXPECT_EQ(outcome_of_ending({.kind = rpc_error, .rpc_code = -32603}), Outcome::failure);
    EXPECT_EQ(outcome_of_ending({.kind = rpc_error, .rpc_code = -32602}), Outcome::neutral);
    EXPECT_EQ(outcome_of_ending({.kind = http_error, .http_status = 404}), Outcome::success);
    EXPECT_EQ(outcome_of_ending({.kind = result}), Outcome::success);
    EXPECT_EQ(outcome_of_ending({.fault = ErrorClassId::not_connected}), std::nullopt);
    EXPECT_EQ(outcome_of_ending({.fault = ErrorClassId::cancelled}), std::nullopt);
}

TEST(OctocodePresetTest, ARateLimitCountsAndItsRetryAfterDoesNotExtendDelays) {
    const Policy policy = table_with_preset("octocode").resolve("s", "ghSearchCode").policy;

    const auto end = classified({.kind = AnswerKind::error_result,
                                 .http_status = 429,
                                 .retry_after = std::chrono::seconds{50}},
                                policy);

    EXPECT_EQ(end.outcome, Outcome::failure);
    EXPECT_EQ(end.failure->kind, FailureKind::throttled);
    EXPECT_EQ(end.failure->retry_after, std::chrono::seconds{50});
    EXPECT_EQ(policy.retry.retry_after_slack, Duration::zero());
}

TEST(OctocodePresetTest, SweepsIdleCircuits) {
    const SweepOptions sweep = table_with_preset("octocode").sweep();

    EXPECT_EQ(sweep.every, std::chrono::minutes{15});
    EXPECT_EQ(sweep.idle_after, std::chrono::hours{1});
}

}  // namespace
}  // namespace holdfast::policy
