#include "gateway/failure.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

namespace holdfast::gateway {
namespace {

using downstream::CallFault;
using resilience::Delivery;
using Kind = CallFault::Kind;
using namespace std::chrono_literals;

struct CodeCase {
    Kind kind;
    FailureCode code;
    std::string_view text;
    bool is_retryable;
};

TEST(FailureTest, HasACodeForEveryFault) {
    for (const auto& [kind, code, text, is_retryable] : std::vector<CodeCase>{
             {Kind::timed_out, FailureCode::timeout, "TIMEOUT", true},
             {Kind::cancelled, FailureCode::timeout, "TIMEOUT", true},
             {Kind::not_connected, FailureCode::connection_lost, "CONNECTION_LOST", true},
             {Kind::connection_lost, FailureCode::connection_lost, "CONNECTION_LOST", true},
             {Kind::malformed, FailureCode::malformed_response, "MALFORMED_RESPONSE", true},
             {Kind::http_status, FailureCode::downstream_error, "DOWNSTREAM_ERROR", false},
             {Kind::unauthorized, FailureCode::unauthorized, "UNAUTHORIZED", false},
             {Kind::rate_limited, FailureCode::rate_limited, "RATE_LIMITED", true},
             {Kind::overloaded, FailureCode::overloaded, "OVERLOADED", true},
             {Kind::too_large, FailureCode::result_too_large, "RESULT_TOO_LARGE", false},
             {Kind::stopping, FailureCode::shutting_down, "SHUTTING_DOWN", true},
         }) {
        const Failure failure = failure_of({.kind = kind, .message = "x"}, "box", false);

        EXPECT_EQ(failure.code, code);
        EXPECT_EQ(text_of(failure.code), text);
        EXPECT_EQ(failure.is_retryable, is_retryable) << text;
        EXPECT_FALSE(failure.may_have_side_effects);
        EXPECT_EQ(failure.server, "box");
    }
    EXPECT_EQ(text_of(FailureCode::tool_not_found), "TOOL_NOT_FOUND");
}

TEST(FailureTest, RetriesTroubleOfTheServerAlone) {
    const auto retryable = [](int status) {
        return failure_of({.kind = Kind::http_status, .http_status = status}, "box", true)
            .is_retryable;
    };

    EXPECT_TRUE(retryable(500));
    EXPECT_TRUE(retryable(503));
    EXPECT_FALSE(retryable(404));
    EXPECT_FALSE(retryable(0));
}

TEST(FailureTest, MayHaveSideEffectsOnlyIfSentAndNotSafe) {
    const auto failure = [](Delivery delivery, bool is_safe) {
        return failure_of({.kind = Kind::timed_out, .delivery = delivery}, "box", is_safe);
    };

    EXPECT_TRUE(failure(Delivery::sent, false).may_have_side_effects);
    EXPECT_FALSE(failure(Delivery::sent, false).is_retryable);
    EXPECT_FALSE(failure(Delivery::sent, true).may_have_side_effects);
    EXPECT_TRUE(failure(Delivery::sent, true).is_retryable);
    EXPECT_FALSE(failure(Delivery::not_sent, false).may_have_side_effects);
    EXPECT_TRUE(failure(Delivery::not_sent, false).is_retryable);
    EXPECT_FALSE(failure(Delivery::answered, false).may_have_side_effects);
}

TEST(FailureTest, IsOneObject) {
    EXPECT_EQ(json_of({.code = FailureCode::timeout,
                       .tool = "a",
                       .server = "b",
                       .message = "say \"no\"",
                       .is_retryable = true,
                       .retry_after = 1'001ms}),
              R"({"code":"TIMEOUT","tool":"a","server":"b","message":"say \"no\"",)"
              R"("retryable":true,"retryAfter":2,"sideEffects":"none"})");
    EXPECT_EQ(json_of({.code = FailureCode::overloaded, .may_have_side_effects = true}),
              R"({"code":"OVERLOADED","retryable":false,"sideEffects":"possible"})");
}

TEST(FailureTest, RoundsTheWaitUp) {
    const auto words = [](resilience::Duration wait) {
        return words_of({.message = "It waits", .is_retryable = true, .retry_after = wait});
    };

    EXPECT_EQ(words(1ns), "It waits. Try again in 1 s.");
    EXPECT_EQ(words(2s), "It waits. Try again in 2 s.");
    EXPECT_EQ(words(0s), "It waits. Try again in 0 s.");
}

TEST(FailureTest, SaysWhatToDo) {
    EXPECT_EQ(words_of({.tool = "t", .message = "It broke.", .is_retryable = true}),
              "The tool \"t\" gave no answer: It broke. It is safe to try again.");
    EXPECT_EQ(words_of({.message = "It broke"}), "It broke.");
    EXPECT_EQ(words_of({.message = "It broke",
                        .is_retryable = true,
                        .retry_after = 2s,
                        .may_have_side_effects = true}),
              "It broke. The request was sent, so it may have had an effect: check by reading "
              "before you repeat it.");
}

TEST(FailureTest, IsAToolResultInThreeForms) {
    const Failure failure{.message = "No"};
    const std::string object =
        R"({"code":"DOWNSTREAM_ERROR","message":"No","retryable":false,"sideEffects":"none"})";
    const std::string quoted = R"("{\"code\":\"DOWNSTREAM_ERROR\",\"message\":\"No\",)"
                               R"(\"retryable\":false,\"sideEffects\":\"none\"}")";
    const std::string content =
        R"({"content":[{"type":"text","text":"No."},{"type":"text","text":)" + quoted + "}],";
    const std::string end = R"("isError":true,"_meta":{"dev.holdfast/failure":)" + object + "}}";

    EXPECT_EQ(tool_result_of(failure, false), content + end);
    EXPECT_EQ(tool_result_of(failure, true),
              content + R"("structuredContent":)" + object + "," + end);
}

TEST(FailureTest, IsAnErrorForOtherMethods) {
    EXPECT_EQ(error_object_of({.message = "No"}),
              R"({"code":-32603,"message":"No.","data":{"code":"DOWNSTREAM_ERROR",)"
              R"("message":"No","retryable":false,"sideEffects":"none"}})");
}

}  // namespace
}  // namespace holdfast::gateway
