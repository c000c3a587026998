#include "calls/failure.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <utility>
#include <vector>

namespace holdfast::calls {
namespace {

using downstream::CallFault;
using Kind = CallFault::Kind;
using namespace std::chrono_literals;

TEST(FailureTest, HasACodeForEveryFault) {
    for (const auto& [kind, text] : std::vector<std::pair<Kind, std::string_view>>{
             {Kind::timed_out, "TIMEOUT"},
             {Kind::cancelled, "TIMEOUT"},
             {Kind::not_connected, "CONNECTION_LOST"},
             {Kind::unreachable, "CONNECTION_LOST"},
             {Kind::connection_lost, "CONNECTION_LOST"},
             {Kind::malformed, "MALFORMED_RESPONSE"},
             {Kind::http_status, "DOWNSTREAM_ERROR"},
             {Kind::unauthorized, "UNAUTHORIZED"},
             {Kind::rate_limited, "RATE_LIMITED"},
             {Kind::overloaded, "OVERLOADED"},
             {Kind::too_large, "RESULT_TOO_LARGE"},
             {Kind::stopping, "SHUTTING_DOWN"},
         }) {
        EXPECT_EQ(text_of(code_of({.kind = kind})), text);
    }
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
}

TEST(FailureTest, NeverReportsAWaitOfZeroSeconds) {
    for (const resilience::Duration wait : {resilience::Duration{-1s}, resilience::Duration{0s}}) {
        const Failure failure{.message = "It waits", .is_retryable = true, .retry_after = wait};

        EXPECT_EQ(words_of(failure), "It waits. Try again in 1 s.");
        EXPECT_TRUE(json_of(failure).find(R"("retryAfter":1,)") != std::string::npos);
    }
}

TEST(FailureTest, SaysWhatToDo) {
    EXPECT_EQ(words_of({.tool = "t", .message = "It broke.", .is_retryable = true}),
              "The tool \"t\" failed: It broke. It is safe to try again.");
    EXPECT_EQ(words_of({.message = "It broke"}), "It broke.");
    EXPECT_EQ(words_of({.message = "It broke",
                        .is_retryable = true,
                        .retry_after = 2s,
                        .may_have_side_effects = true}),
              "It broke. The request was sent and may have taken effect. Verify before retrying.");
}

TEST(FailureTest, IsAToolResultWithTwoTextsAndTheWholeObject) {
    const Failure failure{.message = "No"};
    const std::string object =
        R"({"code":"DOWNSTREAM_ERROR","message":"No","retryable":false,"sideEffects":"none"})";
    const std::string quoted =
        R"("{\"code\":\"DOWNSTREAM_ERROR\",\"retryable\":false,\"sideEffects\":\"none\"}")";
    const std::string content =
        R"({"content":[{"type":"text","text":"No."},{"type":"text","text":)" + quoted + "}],";
    const std::string end = R"("isError":true,"_meta":{"dev.holdfast/failure":)" + object + "}}";

    EXPECT_EQ(tool_result_of(failure), content + end);
}

TEST(FailureTest, HidesEmptyMembersFromTheModelOnly) {
    const std::string result =
        tool_result_of({.message = "No", .more_members = R"("parameters":[],"sent":{},"a":[1])"});

    EXPECT_NE(result.find(R"(\"sideEffects\":\"none\",\"a\":[1]}")"), std::string::npos) << result;
    EXPECT_NE(result.find(R"("parameters":[],"sent":{},"a":[1]}}})"), std::string::npos) << result;
}

TEST(FailureTest, IsAnErrorForOtherMethods) {
    EXPECT_EQ(error_object_of({.message = "No"}),
              R"({"code":-32603,"message":"No.","data":{"code":"DOWNSTREAM_ERROR",)"
              R"("message":"No","retryable":false,"sideEffects":"none"}})");
}

}  // namespace
}  // namespace holdfast::calls
