#include "calls/failure_mapping.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include "guard/guarded_call.hpp"
#include "jsonrpc/thread_reader.hpp"
#include "support/test_guard.hpp"

namespace holdfast::calls {
namespace {

using downstream::CallFault;
using resilience::CallEnding;
using resilience::Delivery;
using resilience::RefusalReason;
using Kind = CallFault::Kind;
using namespace std::chrono_literals;

const resilience::TimePoint kNow{1h};

/// Null for an empty name.
const policy::ErrorClass* class_named(std::string_view name) {
    return policy::find_class(*policy::builtin_classes(), name);
}

/// A call of the tool `box__take` under a policy of the test's own.
class CallFailureTest : public ::testing::Test {
protected:
    void begin(const std::string& policy) {
        server_ = {.name = "box", .guard = testing::guard_with("box", policy)};
        tool_ = {.server = &server_, .own_name = "take", .exposed_name = "box__take"};
        plan_.server = &server_;
        plan_.callable = &tool_;
        plan_.request.method = "tools/call";
        plan_.request.params_members = R"("name":"take","arguments":{"q":1,"token":"abc"})";
        plan_.rules = server_.guard->rules_for_tool("take", kNow);
    }
    Failure failed(CallFault fault, std::string_view error_class = {},
                   resilience::CallVerdict verdict = {.ending = CallEnding::failed,
                                                      .attempts = 1}) {
        return failure_of({.plan = plan_,
                           .end = {.verdict = verdict,
                                   .result = std::move(fault),
                                   .error_class = class_named(error_class)},
                           .call_id = "run-1"},
                          kNow);
    }
    Failure refused(RefusalReason reason, std::optional<resilience::Duration> retry_after) {
        const resilience::Refusal refusal{.reason = reason, .retry_after = retry_after};
        return failure_of({.plan = plan_,
                           .end = {.verdict = {.ending = CallEnding::refused,
                                               .refusal = refusal,
                                               .retry_after = retry_after}}},
                          kNow);
    }
    static PipelineOutcome answered_error(resilience::CallVerdict verdict = {
                                              .ending = CallEnding::failed, .attempts = 1}) {
        jsonrpc::PaddedText text{
            R"({"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"m"}})"};
        const std::string_view body = text.view().substr(text.view().find(R"({"code")"), 30);
        downstream::Answer answer{std::move(text), body, true};
        answer.error_code = -32603;
        return {.verdict = verdict,
                .result = std::move(answer),
                .error_class = class_named("rpcError")};
    }

    surface::Server server_;
    surface::Callable tool_;
    CallPlan plan_;
};

TEST_F(CallFailureTest, AnErrorWithoutAMessageStillHasASentence) {
    begin("{}");
    jsonrpc::PaddedText text{R"({"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":""}})"};
    const std::string_view body = text.view().substr(text.view().find(R"({"code")"), 29);
    downstream::Answer answer{std::move(text), body, true};
    answer.error_code = -32603;

    const Failure failure =
        failure_of({.plan = plan_,
                    .end = {.verdict = {.ending = CallEnding::failed, .attempts = 1},
                            .result = std::move(answer),
                            .error_class = class_named("rpcError")}},
                   kNow);

    EXPECT_EQ(failure.message, "the server returned an error without a message");
}

TEST_F(CallFailureTest, OnlyFailuresOfTheServerAreRetryable) {
    begin("{}");
    const auto retryable = [this](int status) {
        return failed({.kind = Kind::http_status, .http_status = status}).is_retryable;
    };

    EXPECT_TRUE(retryable(500));
    EXPECT_TRUE(retryable(503));
    EXPECT_FALSE(retryable(404));
    EXPECT_FALSE(retryable(0));
    EXPECT_FALSE(failed({.kind = Kind::unauthorized}).is_retryable);
    EXPECT_FALSE(failed({.kind = Kind::too_large}).is_retryable);
    EXPECT_TRUE(failed({.kind = Kind::overloaded}).is_retryable);
}

TEST_F(CallFailureTest, MayHaveSideEffectsOnlyIfSentAndNotSafe) {
    begin("{}");
    const auto failure = [this](Delivery delivery, bool is_safe) {
        plan_.is_safe = is_safe;
        return failed({.kind = Kind::timed_out, .delivery = delivery});
    };

    EXPECT_TRUE(failure(Delivery::sent, false).may_have_side_effects);
    EXPECT_FALSE(failure(Delivery::sent, false).is_retryable);
    EXPECT_FALSE(failure(Delivery::sent, true).may_have_side_effects);
    EXPECT_TRUE(failure(Delivery::sent, true).is_retryable);
    EXPECT_FALSE(failure(Delivery::not_sent, false).may_have_side_effects);
    EXPECT_TRUE(failure(Delivery::not_sent, false).is_retryable);
    EXPECT_FALSE(failure(Delivery::answered, false).may_have_side_effects);
}

TEST_F(CallFailureTest, ShowsNoSecretThatTheServerNames) {
    begin(R"({"detail":"debug"})");
    const std::vector<std::string> secrets{"sk-very-secret"};
    const Failure failure = failure_of(
        {.plan = plan_,
         .end = {.verdict = {.ending = CallEnding::failed, .attempts = 1},
                 .result = CallFault{.kind = Kind::not_connected,
                                     .message = "its last words: no such key sk-very-secret",
                                     .detail = "key sk-very-secret"}},
         .secrets = secrets},
        kNow);

    EXPECT_NE(failure.message.find("its last words: no such key"), std::string::npos);
    for (const std::string& text : {failure.message, failure.words, failure.more_members}) {
        EXPECT_EQ(text.find("sk-very-secret"), std::string::npos) << text;
    }
}

TEST_F(CallFailureTest, HasACodeForEveryRefusal) {
    begin("{}");

    EXPECT_EQ(refused(RefusalReason::circuit_open, 3s).code, FailureCode::circuit_open);
    EXPECT_EQ(refused(RefusalReason::circuit_open, 3s).retry_after, 3s);
    EXPECT_EQ(refused(RefusalReason::circuit_probing, 1s).code, FailureCode::circuit_open);
    EXPECT_EQ(refused(RefusalReason::circuit_forced_open, {}).code, FailureCode::circuit_open);
    EXPECT_EQ(refused(RefusalReason::rate_limited, 1s).code, FailureCode::rate_limited);
    EXPECT_EQ(refused(RefusalReason::queue_full, {}).code, FailureCode::overloaded);
    EXPECT_EQ(refused(RefusalReason::queue_wait_exceeded, {}).code, FailureCode::overloaded);
}

TEST_F(CallFailureTest, NamesTheCauseWhenTheAttemptsAreUsedUp) {
    begin("{}");
    const resilience::CallVerdict verdict{.ending = CallEnding::failed,
                                          .attempts = 3,
                                          .stop = resilience::RetryStop::attempts_used_up};

    const Failure failure =
        failed({.kind = Kind::malformed, .message = "junk"}, "malformed", verdict);

    EXPECT_EQ(failure.code, FailureCode::retry_exhausted);
    EXPECT_EQ(failure.more_members,
              R"("attempts":3,"cause":"MALFORMED_RESPONSE","callId":"run-1")");
}

TEST_F(CallFailureTest, OneAttemptIsNotExhausted) {
    begin("{}");
    const resilience::CallVerdict verdict{.ending = CallEnding::failed,
                                          .attempts = 1,
                                          .stop = resilience::RetryStop::attempts_used_up};

    EXPECT_EQ(failed({.kind = Kind::malformed}, "malformed", verdict).code,
              FailureCode::malformed_response);
}

TEST_F(CallFailureTest, ALastAttemptThatTheDeadlineCutsOffIsATimeout) {
    begin("{}");
    const resilience::CallVerdict verdict{.ending = CallEnding::timed_out,
                                          .attempts = 3,
                                          .stop = resilience::RetryStop::attempts_used_up};

    EXPECT_EQ(failed({.kind = Kind::timed_out}, "timeout", verdict).code, FailureCode::timeout);
}

TEST_F(CallFailureTest, ReconnectsThatAreUsedUpAreExhaustedToo) {
    begin("{}");

    EXPECT_EQ(failed({.kind = Kind::not_connected, .is_given_up = true}, "notConnected").code,
              FailureCode::retry_exhausted);
    EXPECT_EQ(failed({.kind = Kind::not_connected}, "notConnected").code,
              FailureCode::connection_lost);
}

TEST_F(CallFailureTest, ACallThatOnlyWaitedForTheConnectionIsNotExhausted) {
    begin("{}");
    const resilience::CallVerdict verdict{.ending = CallEnding::failed,
                                          .attempts = 3,
                                          .stop = resilience::RetryStop::attempts_used_up};

    const Failure failure = failed({.kind = Kind::not_connected}, "notConnected", verdict);

    EXPECT_EQ(failure.code, FailureCode::connection_lost);
    EXPECT_FALSE(failure.may_have_side_effects);
    EXPECT_TRUE(failure.is_retryable);
}

TEST_F(CallFailureTest, AnInternalErrorOfTheServerMayHaveTakenEffect) {
    begin(R"({"detail": "selfCorrect"})");
    PipelineOutcome end = answered_error();
    end.error_class = class_named("internalError");
    const auto failure = [&](bool is_safe) {
        plan_.is_safe = is_safe;
        return failure_of({.plan = plan_, .end = end}, kNow);
    };

    EXPECT_TRUE(failure(false).may_have_side_effects);
    EXPECT_FALSE(failure(false).is_retryable);
    EXPECT_NE(words_of(failure(false)).find("- A check first whether it took effect"),
              std::string::npos);
    EXPECT_FALSE(failure(true).may_have_side_effects);
    EXPECT_TRUE(failure(true).is_retryable);
    EXPECT_NE(words_of(failure(true)).find("- The same call later"), std::string::npos);
}

TEST_F(CallFailureTest, NamesTheLastErrorInAFewWordsAndCountsOneAttemptInTheSingular) {
    begin(R"({"degrade": {"texts": {"other": "After {attemptCount}: {lastError}"}}})");
    plan_.is_safe = true;
    const auto text = [this](CallFault fault, std::uint32_t attempts) {
        return words_of(failed(std::move(fault), "timeout",
                               {.ending = CallEnding::failed, .attempts = attempts}));
    };

    EXPECT_EQ(text({.kind = Kind::timed_out, .message = "It was late.", .brief = "no answer"}, 1),
              "After 1 attempt: no answer");
    EXPECT_EQ(text({.kind = Kind::timed_out, .message = "It was late."}, 3),
              "After 3 attempts: It was late.");
}

TEST_F(CallFailureTest, MinimalDetailIsToolAndReason) {
    begin(R"({"detail": "minimal"})");

    EXPECT_EQ(json_of(failed({.kind = Kind::timed_out, .message = "late"}, "timeout")),
              R"({"code":"TIMEOUT","tool":"box__take","message":"late","retryable":true,)"
              R"("sideEffects":"none"})");
}

TEST_F(CallFailureTest, DebugShowsArgumentsWithoutSecrets) {
    begin(R"({"detail": "debug", "timeout": "9s", "attemptTimeout": "4s"})");

    const std::string object = json_of(failed({.kind = Kind::timed_out}, "timeout"));

    EXPECT_NE(
        object.find(
            R"("debug":{"arguments":{"q":1,"token":"[redacted]"},"timeout":"9000ms",)"
            R"("attemptTimeout":"4000ms","attempt":1,"policy":"policies.default","circuit":"box",)"
            R"("class":"timeout"})"),
        std::string::npos)
        << object;
}

TEST_F(CallFailureTest, UsesTheTextOfThePolicy) {
    begin(R"({"degrade": {"texts": {"CIRCUIT_OPEN": "Open for {seconds} s at {server}. {hint}"}},
              "circuit": {"hint": "Look."}})");

    EXPECT_EQ(words_of(refused(RefusalReason::circuit_open, 2'100ms)),
              "Open for 3 s at box. Look.");
    EXPECT_EQ(words_of(refused(RefusalReason::circuit_open, 0ms)), "Open for 1 s at box. Look.");
}

TEST_F(CallFailureTest, DegradesToAResultWithTheTextOfThePolicy) {
    begin(R"({"degrade": {"as": "result", "uncertain": "Check.", "texts": {
              "timeout": {"read": "No results.", "write": "Not sure. {uncertain}"}}}})");
    const auto result = [this](bool is_read, Delivery delivery) {
        plan_.is_read = is_read;
        plan_.is_safe = is_read;
        return tool_result_of(failed({.kind = Kind::timed_out, .delivery = delivery}, "timeout"),
                              plan_);
    };

    EXPECT_TRUE(result(true, Delivery::sent)
                    .starts_with(R"({"content":[{"type":"text","text":"No results."}],"_meta":)"));
    EXPECT_TRUE(result(false, Delivery::sent)
                    .starts_with(R"({"content":[{"type":"text","text":"Not sure. Check."}],)"));
    EXPECT_TRUE(result(false, Delivery::not_sent)
                    .starts_with(R"({"content":[{"type":"text","text":"Not sure."}],)"));
    EXPECT_EQ(result(false, Delivery::sent).find("isError"), std::string::npos);
}

TEST_F(CallFailureTest, ExplainsToAModelHowToCorrectItself) {
    begin(R"({"detail": "selfCorrect"})");
    plan_.is_safe = true;

    EXPECT_EQ(words_of(failed({.kind = Kind::connection_lost,
                               .message = "It went away.",
                               .delivery = Delivery::sent,
                               .retry_after = 4s},
                              "connectionLost")),
              "Error calling tool 'box__take':\n"
              "  It went away.\n"
              "  You sent: {\"q\":1,\"token\":\"[redacted]\"}\n"
              "  Please try again with:\n"
              "    - The same call in 4 seconds\n"
              "    - A different tool if this one is unavailable");
}

TEST_F(CallFailureTest, RelaysErrorsOfServers) {
    begin("{}");

    EXPECT_TRUE(is_passed_on(plan_, answered_error()));
    EXPECT_FALSE(
        is_passed_on(plan_, answered_error({.ending = CallEnding::failed,
                                            .attempts = 2,
                                            .stop = resilience::RetryStop::attempts_used_up})));
    begin(R"({"detail": "selfCorrect"})");
    EXPECT_FALSE(is_passed_on(plan_, answered_error()));
    plan_.request.method = "prompts/get";
    EXPECT_TRUE(is_passed_on(plan_, answered_error()));
    begin(R"({"degrade": {"as": "result"}})");
    EXPECT_FALSE(is_passed_on(plan_, answered_error()));
}

TEST_F(CallFailureTest, ReportsAClassifiedErrorUnderItsFailureCode) {
    begin("{}");
    PipelineOutcome end = answered_error();
    end.error_class = class_named("connectionLost");

    EXPECT_FALSE(is_passed_on(plan_, end));
    EXPECT_EQ(failure_of({.plan = plan_, .end = end}, kNow).code, FailureCode::connection_lost);
    begin(R"({"classifyResults": true})");
    EXPECT_TRUE(is_passed_on(plan_, end));
}

}  // namespace
}  // namespace holdfast::calls
