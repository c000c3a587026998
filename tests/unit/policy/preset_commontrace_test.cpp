#include <gtest/gtest.h>

#include "policy/classify.hpp"
#include "policy/options.hpp"
#include "policy/text_template.hpp"
#include "resilience/tests/support/preset_figures.hpp"
#include "tests/unit/policy/table_reading.hpp"

// The preset `commontrace`, row by row.

namespace holdfast::policy {
namespace {

namespace figures = resilience::testing::commontrace;
using resilience::Outcome;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::string_view kUnavailableRead =
    "[CommonTrace unavailable] The knowledge base is temporarily unreachable. Continuing without "
    "trace lookup. You can retry later.";
constexpr std::string_view kUnavailableWrite =
    "[CommonTrace unavailable] The knowledge base is temporarily unreachable. Your contribution "
    "could not be submitted. Please try again later.";

struct ToolRow {
    std::string_view tool;
    std::string_view method;
    std::string_view path;
    bool is_read;
    Duration timeout;
};

const std::vector<ToolRow>& tool_rows() {
    static const std::vector<ToolRow> rows = {
        {"search_traces", "POST", "/api/v1/traces/search", true, milliseconds{200}},
        {"get_trace", "GET", "/api/v1/traces/{trace_id}", true, milliseconds{200}},
        {"list_tags", "GET", "/api/v1/tags", true, milliseconds{200}},
        {"contribute_trace", "POST", "/api/v1/traces", false, seconds{2}},
        {"vote_trace", "POST", "/api/v1/traces/{trace_id}/votes", false, seconds{2}},
        {"amend_trace", "POST", "/api/v1/traces/{trace_id}/amendments", false, seconds{2}},
    };
    return rows;
}

TEST(CommonTracePresetTest, HasToolsWithKindsAndTimeouts) {
    const auto table = table_with_preset("commontrace");

    for (const ToolRow& row : tool_rows()) {
        const auto tool = table.resolve("s", row.tool);
        const auto options = pipeline_options(tool.policy);
        EXPECT_EQ(options.timeout, row.timeout) << row.tool;
        EXPECT_EQ(options.attempt_timeout, row.timeout) << row.tool;
        EXPECT_EQ(options.retry.max_attempts, 1U) << row.tool;
        EXPECT_EQ(tool.read_only, row.is_read) << row.tool;
        EXPECT_EQ(tool.circuit->name, "s") << row.tool;
        EXPECT_EQ(tool.circuit->options, figures::circuit()) << row.tool;
        EXPECT_EQ(tool.policy.degrade.as, DegradeAs::result) << row.tool;
    }
}

TEST(CommonTracePresetTest, KeepsTheBackendSectionForOtherModules) {
    const auto table = table_with_preset("commontrace", {{"COMMONTRACE_API_BASE_URL", "http://b"}});

    const config::Node* rest = table.preset_section("s", "rest");

    ASSERT_NE(rest, nullptr);
    EXPECT_EQ(rest->find("url")->text, "http://b");
    EXPECT_EQ(rest->find("connectTimeout")->text, "2s");
    EXPECT_EQ(rest->find("timeout")->text, "5s");
    EXPECT_EQ(rest->find("connections")->number, 20);
    EXPECT_EQ(rest->find("keptAlive")->number, 10);
    const config::Node* tools = rest->find("tools");
    ASSERT_EQ(tools->items.size(), tool_rows().size());
    for (std::size_t index = 0; index < tool_rows().size(); ++index) {
        EXPECT_EQ(tools->items[index].find("name")->text, tool_rows()[index].tool);
        EXPECT_EQ(tools->items[index].find("method")->text, tool_rows()[index].method);
        EXPECT_EQ(tools->items[index].find("path")->text, tool_rows()[index].path);
    }
    EXPECT_EQ(table.preset_section("s", "search"), nullptr);
}

TEST(CommonTracePresetTest, ReadsTheApiKeyFromItsNamedSourcesOnly) {
    const auto table = table_with_preset("commontrace", {{"COMMONTRACE_API_KEY", "hidden-value"}});

    const config::Node& credential =
        table.preset_section("s", "rest")->find("credentials")->items.at(0);

    const config::Node& from = *credential.find("from");
    EXPECT_EQ(from.items.at(0).find("agentHeader")->text, "x-api-key");
    EXPECT_EQ(from.items.at(1).find("env")->text, "COMMONTRACE_API_KEY");
    EXPECT_EQ(credential.find("as")->find("header")->text, "X-API-Key");
}

TEST(CommonTracePresetTest, EnvironmentChangesSettings) {
    const auto table =
        table_with_preset("commontrace", {{"COMMONTRACE_CIRCUIT_FAILURE_THRESHOLD", "2"},
                                          {"COMMONTRACE_CIRCUIT_RECOVERY_TIMEOUT", "1.5"},
                                          {"COMMONTRACE_READ_TIMEOUT", "0.5"},
                                          {"COMMONTRACE_WRITE_TIMEOUT", "9"}});

    const auto read = table.resolve("s", "get_trace");

    EXPECT_EQ(read.policy.timeout, milliseconds{500});
    EXPECT_EQ(table.resolve("s", "vote_trace").policy.timeout, seconds{9});
    EXPECT_EQ(read.circuit->options.failure_threshold, 2U);
    EXPECT_EQ(read.circuit->options.open_for, milliseconds{1'500});
}

struct CountRow {
    Ending ending;
    Outcome outcome;
};

TEST(CommonTracePresetTest, CountsOnlyItsFailureClasses) {
    const Policy policy = table_with_preset("commontrace").resolve("s", "get_trace").policy;
    const std::vector<CountRow> rows = {
        {{.fault = ErrorClassId::timeout}, Outcome::failure},
        {{.fault = ErrorClassId::connection_refused}, Outcome::failure},
        {{.fault = ErrorClassId::connection_lost}, Outcome::failure},
        {{.kind = AnswerKind::http_error, .http_status = 500}, Outcome::failure},
        {{.kind = AnswerKind::http_error, .http_status = 503}, Outcome::failure},
        {{.kind = AnswerKind::http_error, .http_status = 400}, Outcome::neutral},
        {{.kind = AnswerKind::http_error, .http_status = 401}, Outcome::neutral},
        {{.kind = AnswerKind::http_error, .http_status = 422}, Outcome::neutral},
        {{.kind = AnswerKind::http_error, .http_status = 429}, Outcome::neutral},
        {{.fault = ErrorClassId::malformed}, Outcome::neutral},
        {{.kind = AnswerKind::result}, Outcome::success},
    };

    for (const CountRow& row : rows) {
        EXPECT_EQ(classified(row.ending, policy).outcome, row.outcome) << row.ending.http_status;
    }
}

std::string words(const Policy& policy, const Ending& ending, bool is_read,
                  std::string_view uncertain = {}) {
    const auto end = classified(ending, policy);
    const auto text = degrade_text(policy.degrade, {.code = failure_code(end.error_class),
                                                    .error_class = end.error_class,
                                                    .is_read = is_read,
                                                    .may_have_effect = !uncertain.empty()});
    const std::string status = std::to_string(ending.http_status);
    return filled(text, Values{{.name = "status", .value = status},
                               {.name = "detail", .value = ending.text},
                               {.name = "uncertain", .value = uncertain}});
}

TEST(CommonTracePresetTest, HasTextsForAnOpenCircuit) {
    const Policy policy = table_with_preset("commontrace").resolve("s", "get_trace").policy;

    EXPECT_EQ(degrade_text(policy.degrade, {.code = FailureCode::circuit_open, .is_read = true}),
              kUnavailableRead);
    EXPECT_EQ(degrade_text(policy.degrade, {.code = FailureCode::circuit_open, .is_read = false}),
              kUnavailableWrite);
}

TEST(CommonTracePresetTest, HasTextsForTimeouts) {
    const Policy policy = table_with_preset("commontrace").resolve("s", "get_trace").policy;
    const Ending late{.fault = ErrorClassId::timeout};
    const std::string write =
        "[CommonTrace timeout] The submission took too long and was cancelled. The knowledge base "
        "may be under heavy load. Please try again later.";

    EXPECT_EQ(words(policy, late, true),
              "[CommonTrace timeout] Request took too long and was cancelled. The knowledge base "
              "may be under heavy load. Continuing without results.");
    EXPECT_EQ(words(policy, late, false), write);
    EXPECT_EQ(words(policy, late, false, policy.degrade.uncertain),
              write + " It may have been recorded: check before repeating.");
}

TEST(CommonTracePresetTest, HasTextsForRefusedResetAndServerErrors) {
    const Policy policy = table_with_preset("commontrace").resolve("s", "get_trace").policy;
    const std::vector<Ending> endings = {{.fault = ErrorClassId::connection_refused},
                                         {.fault = ErrorClassId::connection_lost},
                                         {.fault = ErrorClassId::not_connected},
                                         {.kind = AnswerKind::http_error, .http_status = 502}};

    for (const Ending& ending : endings) {
        EXPECT_EQ(words(policy, ending, true), kUnavailableRead);
        EXPECT_EQ(words(policy, ending, false), kUnavailableWrite);
    }
}

TEST(CommonTracePresetTest, HasTextsForClientErrorsAndOtherErrors) {
    const Policy policy = table_with_preset("commontrace").resolve("s", "get_trace").policy;
    const Ending odd{.fault = ErrorClassId::malformed, .text = "not JSON"};

    for (const int status : {400, 401, 403, 404, 422, 429}) {
        EXPECT_EQ(
            words(policy, {.kind = AnswerKind::http_error, .http_status = status, .text = "no"},
                  true),
            "[CommonTrace error] HTTP " + std::to_string(status) + ": no");
    }
    EXPECT_EQ(words(policy, odd, true),
              "[CommonTrace error] Unexpected error: not JSON. Continuing without results.");
    EXPECT_EQ(words(policy, odd, false),
              "[CommonTrace error] Unexpected error: not JSON. Your submission was not recorded.");
    EXPECT_EQ(words(policy, odd, false, policy.degrade.uncertain),
              "[CommonTrace error] Unexpected error: not JSON. It may have been recorded: check "
              "before repeating.");
}

}  // namespace
}  // namespace holdfast::policy
