#include <gtest/gtest.h>

#include "policy/classify.hpp"
#include "policy/error_text.hpp"
#include "tests/unit/policy/table_reading.hpp"

namespace holdfast::policy {
namespace {

using resilience::Delivery;
using resilience::FailureKind;
using resilience::Outcome;

struct ClassRow {
    Ending ending;
    std::string_view name;
    std::optional<Outcome> outcome;
    std::optional<FailureKind> kind;  // nothing = the answer is passed on
    std::string_view code;
};

void expect_classes(const Policy& policy, const std::vector<ClassRow>& rows) {
    for (std::size_t index = 0; index < rows.size(); ++index) {
        const ClassRow& row = rows[index];
        const auto end = classified(row.ending, policy);
        EXPECT_EQ(class_name(end), row.name) << "row " << index;
        EXPECT_EQ(end.outcome, row.outcome) << row.name;
        EXPECT_EQ(end.failure.has_value(), row.kind.has_value()) << row.name;
        if (end.failure && row.kind) {
            EXPECT_EQ(end.failure->kind, *row.kind) << row.name;
        }
        EXPECT_EQ(text_of(failure_code(end.error_class)), row.code) << row.name;
    }
}

TEST(ClassTest, ClassifiesByTheBuiltInPolicy) {
    using enum AnswerKind;
    expect_classes(Policy{},
                   {
                       {{.kind = result}, "", Outcome::success, std::nullopt, "DOWNSTREAM_ERROR"},
                       {{.kind = error_result, .text = "HTTP 500 timeout"},
                        "",
                        Outcome::success,
                        std::nullopt,
                        "DOWNSTREAM_ERROR"},
                       {{.fault = ErrorClassId::timeout},
                        "timeout",
                        Outcome::failure,
                        FailureKind::transient,
                        "TIMEOUT"},
                       {{.fault = ErrorClassId::connection_lost},
                        "connectionLost",
                        Outcome::failure,
                        FailureKind::transient,
                        "CONNECTION_LOST"},
                       {{.fault = ErrorClassId::connection_refused},
                        "connectionRefused",
                        Outcome::failure,
                        FailureKind::permanent,
                        "CONNECTION_LOST"},
                       {{.fault = ErrorClassId::not_connected},
                        "notConnected",
                        std::nullopt,
                        FailureKind::transient,
                        "CONNECTION_LOST"},
                       {{.fault = ErrorClassId::malformed},
                        "malformed",
                        Outcome::failure,
                        FailureKind::transient,
                        "MALFORMED_RESPONSE"},
                       {{.fault = ErrorClassId::too_large},
                        "tooLarge",
                        Outcome::success,
                        FailureKind::permanent,
                        "RESULT_TOO_LARGE"},
                       {{.fault = ErrorClassId::overloaded},
                        "overloaded",
                        std::nullopt,
                        FailureKind::permanent,
                        "OVERLOADED"},
                       {{.fault = ErrorClassId::cancelled},
                        "cancelled",
                        std::nullopt,
                        FailureKind::permanent,
                        "DOWNSTREAM_ERROR"},
                       {{.fault = ErrorClassId::stopping},
                        "stopping",
                        std::nullopt,
                        FailureKind::permanent,
                        "SHUTTING_DOWN"},
                       {{.kind = http_error, .http_status = 429},
                        "rateLimited",
                        Outcome::neutral,
                        FailureKind::throttled,
                        "RATE_LIMITED"},
                       {{.kind = http_error, .http_status = 401},
                        "unauthorized",
                        Outcome::neutral,
                        FailureKind::permanent,
                        "UNAUTHORIZED"},
                       {{.kind = http_error, .http_status = 403},
                        "unauthorized",
                        Outcome::neutral,
                        FailureKind::permanent,
                        "UNAUTHORIZED"},
                       {{.kind = http_error, .http_status = 404},
                        "clientError",
                        Outcome::neutral,
                        FailureKind::permanent,
                        "DOWNSTREAM_ERROR"},
                       {{.kind = http_error, .http_status = 500},
                        "serverError",
                        Outcome::failure,
                        FailureKind::transient,
                        "DOWNSTREAM_ERROR"},
                       {{.kind = http_error, .http_status = 599},
                        "serverError",
                        Outcome::failure,
                        FailureKind::transient,
                        "DOWNSTREAM_ERROR"},
                       {{.kind = http_error, .http_status = 302},
                        "malformed",
                        Outcome::failure,
                        FailureKind::transient,
                        "MALFORMED_RESPONSE"},
                       {{.kind = rpc_error, .rpc_code = -32603},
                        "internalError",
                        Outcome::failure,
                        FailureKind::permanent,
                        "DOWNSTREAM_ERROR"},
                       {{.kind = rpc_error, .rpc_code = -32602, .text = "timeout must be a number"},
                        "rpcError",
                        Outcome::neutral,
                        FailureKind::permanent,
                        "DOWNSTREAM_ERROR"},
                       {{.kind = rpc_error, .http_status = 503, .rpc_code = -32602},
                        "serverError",
                        Outcome::failure,
                        FailureKind::transient,
                        "DOWNSTREAM_ERROR"},
                   });
}

TEST(ClassTest, ClassifiesResultsByStatusThenByWords) {
    using enum AnswerKind;
    Policy policy;
    policy.classifies_results = true;

    expect_classes(
        policy,
        {
            {{.kind = error_result, .http_status = 503, .text = "HTTP 503: too many requests"},
             "serverError",
             Outcome::failure,
             FailureKind::transient,
             "DOWNSTREAM_ERROR"},
            {{.kind = error_result, .text = "Too Many Requests"},
             "rateLimited",
             Outcome::neutral,
             FailureKind::throttled,
             "RATE_LIMITED"},
            {{.kind = error_result, .text = "read ECONNRESET"},
             "connectionLost",
             Outcome::failure,
             FailureKind::transient,
             "CONNECTION_LOST"},
            {{.kind = error_result, .text = "EBUSYNESS"},
             "toolError",
             Outcome::success,
             std::nullopt,
             "DOWNSTREAM_ERROR"},
            {{.kind = error_result, .text = "no such file"},
             "toolError",
             Outcome::success,
             std::nullopt,
             "DOWNSTREAM_ERROR"},
            {{.kind = rpc_error, .rpc_code = -32603, .text = "it timed out"},
             "timeout",
             Outcome::failure,
             FailureKind::transient,
             "TIMEOUT"},
        });
}

TEST(ClassTest, ClassesOfAConfigAreTriedFirstAndInEveryError) {
    const auto table = table_of(R"({"mcpServers": {"s": {"url": "http://h/mcp"}},
        "classes": {"teapot": {"status": 418, "counts": "success", "retry": true},
                    "warming": {"words": "warming up", "code": "-32050--32040",
                                "retry": "throttled", "counts": "neutral"},
                    "timeout": {"counts": "neutral"},
                    "serverError": {"retry": false}},
        "policies": {"default": {"retry": {"on": ["teapot", "warming", "timeout", "serverError"]}}}
    })");
    using enum AnswerKind;

    expect_classes(table.resolve("s", "t").policy,
                   {
                       {{.kind = http_error, .http_status = 418},
                        "teapot",
                        Outcome::success,
                        FailureKind::transient,
                        "DOWNSTREAM_ERROR"},
                       {{.kind = rpc_error, .rpc_code = -32603, .text = "Warming Up"},
                        "warming",
                        Outcome::neutral,
                        FailureKind::throttled,
                        "DOWNSTREAM_ERROR"},
                       {{.kind = rpc_error, .rpc_code = -32045},
                        "warming",
                        Outcome::neutral,
                        FailureKind::throttled,
                        "DOWNSTREAM_ERROR"},
                       {{.kind = rpc_error, .rpc_code = -32051},
                        "rpcError",
                        Outcome::neutral,
                        FailureKind::permanent,
                        "DOWNSTREAM_ERROR"},
                       {{.fault = ErrorClassId::timeout},
                        "timeout",
                        Outcome::neutral,
                        FailureKind::transient,
                        "TIMEOUT"},
                       {{.kind = http_error, .http_status = 500},
                        "serverError",
                        Outcome::failure,
                        FailureKind::permanent,
                        "DOWNSTREAM_ERROR"},
                       {{.kind = error_result, .text = "warming up"},
                        "",
                        Outcome::success,
                        std::nullopt,
                        "DOWNSTREAM_ERROR"},
                   });
}

TEST(ClassTest, EveryBuiltInClassHasItsOwnId) {
    const ErrorClasses& classes = *builtin_classes();

    ASSERT_EQ(classes.size(), kBuiltinClassCount);
    for (std::uint32_t index = 0; index < kBuiltinClassCount; ++index) {
        const auto id = static_cast<ErrorClassId>(index);
        EXPECT_EQ(builtin_class(classes, id).id, id);
        EXPECT_TRUE(is_builtin(id));
    }
}

TEST(ClassTest, AChangedClassKeepsItsIdAndANewOneGetsTheNext) {
    const ErrorClasses first =
        with_changes(*builtin_classes(), {{.name = "teapot"}, {.name = "timeout"}});
    const ErrorClasses second = with_changes(first, {{.name = "warming"}, {.name = "teapot"}});

    EXPECT_EQ(find_class(first, "timeout")->id, ErrorClassId::timeout);
    EXPECT_EQ(find_class(first, "teapot")->id, user_class_id(0));
    EXPECT_EQ(find_class(second, "teapot")->id, user_class_id(0));
    EXPECT_EQ(find_class(second, "warming")->id, user_class_id(1));
    EXPECT_FALSE(is_builtin(user_class_id(0)));
    EXPECT_EQ(failure_code(find_class(second, "warming")), FailureCode::downstream_error);
}

TEST(ClassTest, CircuitListDecidesWhatCounts) {
    Policy policy;
    policy.circuit.on = {"serverError"};

    EXPECT_EQ(classified({.kind = AnswerKind::http_error, .http_status = 500}, policy).outcome,
              Outcome::failure);
    EXPECT_EQ(classified({.fault = ErrorClassId::timeout}, policy).outcome, Outcome::neutral);
    EXPECT_EQ(classified({.fault = ErrorClassId::too_large}, policy).outcome, Outcome::success);
    policy.circuit.on = {"*"};
    EXPECT_EQ(classified({.kind = AnswerKind::http_error, .http_status = 429}, policy).outcome,
              Outcome::failure);
    EXPECT_EQ(classified({.fault = ErrorClassId::not_connected}, policy).outcome, std::nullopt);
}

TEST(ClassTest, MatchesErrnosThenBusyFilesThenServerErrors) {
    using enum AnswerKind;
    Policy policy;
    policy.classifies_results = true;
    const auto name_of = [&](std::string_view text) {
        return class_name(classified({.kind = error_result, .text = text}, policy));
    };

    EXPECT_EQ(name_of("Resource temporarily unavailable"), "fileBusy");
    EXPECT_EQ(name_of("GitHub API temporarily unavailable"), "serverError");
    EXPECT_EQ(name_of("rate limit, timeout: connect ECONNREFUSED"), "connectionRefused");
    EXPECT_EQ(name_of("rate limit reached after a timeout"), "rateLimited");
    EXPECT_EQ(name_of("read ETIMEDOUT"), "timeout");
    EXPECT_EQ(name_of("EAGAIN"), "fileBusy");
}

TEST(ClassTest, IgnoresTheStatusIfTheTextGivesAnotherReason) {
    const auto table = table_of(R"({"mcpServers": {"s": {"url": "http://h/mcp"}},
        "classes": {"rateLimited": {"status": [403, 429], "words": ["rate limit"],
                                    "unless": ["Permission", "denied"]}}
    })");
    const Policy policy = table.resolve("s", "t").policy;
    const auto name_of = [&](int status, std::string_view text) {
        return class_name(classified(
            {.kind = AnswerKind::http_error, .http_status = status, .text = text}, policy));
    };

    EXPECT_EQ(name_of(403, "slow down"), "rateLimited");
    EXPECT_EQ(name_of(403, ""), "rateLimited");
    EXPECT_EQ(name_of(403, "insufficient permissions"), "unauthorized");
    EXPECT_EQ(name_of(403, "Access DENIED"), "unauthorized");
    EXPECT_EQ(name_of(403, "denied: Rate Limit exceeded"), "rateLimited");
    EXPECT_EQ(name_of(0, "denied: rate limit"), "rateLimited") << "words need no status";
}

TEST(ClassTest, AResultWithoutASentRequestDoesNotCount) {
    for (const AnswerKind kind : {AnswerKind::result, AnswerKind::error_result}) {
        const auto end = classified({.kind = kind, .delivery = Delivery::not_sent}, Policy{});

        EXPECT_EQ(end.outcome, std::nullopt);
        EXPECT_FALSE(end.failure);
    }
}

TEST(ClassTest, PassesOnDeliveryAndRetryAfter) {
    const auto end = classified({.kind = AnswerKind::http_error,
                                 .http_status = 429,
                                 .delivery = Delivery::sent,
                                 .retry_after = std::chrono::seconds{3}},
                                Policy{});

    EXPECT_EQ(end.attempt_end().failure->delivery, Delivery::sent);
    EXPECT_EQ(end.attempt_end().failure->retry_after, std::chrono::seconds{3});
    EXPECT_EQ(end.attempt_end().outcome, Outcome::neutral);
}

struct StatusRow {
    std::string_view text;
    std::optional<int> status;
};

TEST(ClassTest, FindsAStatusInAText) {
    const std::vector<StatusRow> rows = {
        {"HTTP 429", 429},
        {"HTTP/1.1 503 Service Unavailable", 503},
        {"http error 404", 404},
        {"Request failed with status code 500", 500},
        {R"({"status": 403})", 403},
        {R"({"statusCode":502})", 502},
        {"status 200, then status 404", 404},
        {"HTTP 404 and status 500", 404},
        {"status 500 and HTTP 404", 500},
        {"HTTP 4290", std::nullopt},
        {"HTTP 42", std::nullopt},
        {"500 lines", std::nullopt},
        {"http://host/500", std::nullopt},
        {"status", std::nullopt},
        {"", std::nullopt},
    };

    for (const StatusRow& row : rows) {
        EXPECT_EQ(status_in(row.text), row.status) << row.text;
    }
}

TEST(ClassTest, IgnoresKeysOfJsonWhenItFindsAStatus) {
    EXPECT_EQ(status_in(R"({"status":"503 for now"})", TextForm::json), std::nullopt);
    EXPECT_EQ(status_in(R"({"statusCode":503.5})", TextForm::json), std::nullopt);
    EXPECT_EQ(status_in(R"({"error":"failed with status code 503"})", TextForm::json), 503);
    EXPECT_EQ(status_in(R"x({"error":"oops (HTTP 404)"})x", TextForm::json), 404);
}

}  // namespace
}  // namespace holdfast::policy
