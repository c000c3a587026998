#include "calls/answer_text.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "mcp/protocol_error.hpp"
#include "support/gateway/answers.hpp"

namespace holdfast::calls {
namespace {

using downstream::Answer;
using test::error_answer;
using test::legacy_result;
using test::modern_result;

AnsweredRequest legacy_request(std::string_view method = "tools/call", std::string_view uri = {}) {
    return {.id = "\"a\"", .method = method, .uri = uri, .era = mcp::Era::legacy};
}
AnsweredRequest modern_request(std::string_view method = "tools/call", std::string_view uri = {}) {
    return {.id = "9007199254740993", .method = method, .uri = uri, .era = mcp::Era::modern};
}

std::string in_legacy(const std::string& result) {
    return R"({"jsonrpc":"2.0","id":"a","result":)" + result + "}";
}
std::string in_modern(const std::string& result) {
    return R"({"jsonrpc":"2.0","id":9007199254740993,"result":)" + result + "}";
}
std::string error_in_legacy(const std::string& error) {
    return R"({"jsonrpc":"2.0","id":"a","error":)" + error + "}";
}
std::string error_in_modern(const std::string& error) {
    return R"({"jsonrpc":"2.0","id":9007199254740993,"error":)" + error + "}";
}

TEST(AnswerTextTest, KeepsTheBytesWithinOneEra) {
    const std::string odd = R"({ "content" : [ 1.0e2, "é" , 18446744073709551616 ] ,"x":null})";
    const std::string modern = R"({"resultType": "complete","n":1.50})";

    EXPECT_EQ(answer_text(legacy_request(), legacy_result(odd)).message, in_legacy(odd));
    EXPECT_EQ(answer_text(modern_request(), modern_result(modern)).message, in_modern(modern));
}

TEST(AnswerTextTest, MarksALegacyResultAsComplete) {
    EXPECT_EQ(answer_text(modern_request(), legacy_result(R"({"a": 1.0})")).message,
              in_modern(R"({"resultType":"complete","a": 1.0})"));
    EXPECT_EQ(answer_text(modern_request(), legacy_result("{}")).message,
              in_modern(R"({"resultType":"complete"})"));
    EXPECT_EQ(answer_text(modern_request(), legacy_result("{ \n}")).message,
              in_modern("{\"resultType\":\"complete\" \n}"));
}

TEST(AnswerTextTest, AddsCacheHintsWhereTheMethodHasThem) {
    const AnsweredRequest request = modern_request("resources/read", "a:1");

    EXPECT_EQ(answer_text(request, legacy_result(R"({"contents":[]})")).message,
              in_modern(R"({"resultType":"complete","ttlMs":0,"cacheScope":"private",)"
                        R"("contents":[]})"));
    EXPECT_EQ(answer_text(request, legacy_result(R"({"contents":[],"ttlMs":5})")).message,
              in_modern(R"({"resultType":"complete","cacheScope":"private","contents":[],)"
                        R"("ttlMs":5})"));
}

TEST(AnswerTextTest, RemovesModernMembersForLegacyAgents) {
    const std::string result =
        R"({"resultType":"complete","content":[ ],"ttlMs":5,"cacheScope":"public",)"
        R"("_meta":{"io.modelcontextprotocol/serverInfo":{"name":"x"},"own":1}})";

    EXPECT_EQ(answer_text(legacy_request(), modern_result(result)).message,
              in_legacy(R"({"content":[ ],"_meta":{"own":1}})"));
}

TEST(AnswerTextTest, RemovesAnEmptyMeta) {
    const std::string result =
        R"({"resultType":"complete","_meta":{"io.modelcontextprotocol/serverInfo":{}},"a":1})";

    EXPECT_EQ(answer_text(legacy_request(), modern_result(result)).message,
              in_legacy(R"({"a":1})"));
}

TEST(AnswerTextTest, DropsStructureThatLegacyAgentsCannotTake) {
    const auto text_of = [](const std::string& structure) {
        return answer_text(legacy_request(),
                           modern_result(R"({"resultType":"complete","structuredContent":)" +
                                         structure + "}"))
            .message;
    };

    EXPECT_EQ(text_of("[1]"), in_legacy("{}"));
    EXPECT_EQ(text_of("7"), in_legacy("{}"));
    EXPECT_EQ(text_of(R"({"a":1})"), in_legacy(R"({"structuredContent":{"a":1}})"));
}

TEST(AnswerTextTest, RelaysErrorsWithTheirData) {
    const Answer answer = error_answer(-5, R"("message":"no","data":{"deep":[1.0]},"x":1)");
    const std::string error = R"({"code":-5,"message":"no","data":{"deep":[1.0]},"x":1})";

    EXPECT_EQ(answer_text(legacy_request(), answer).message, error_in_legacy(error));
    EXPECT_EQ(answer_text(modern_request(), answer).message, error_in_modern(error));
    EXPECT_EQ(answer_text(modern_request(), answer).http_status, 200);
}

TEST(AnswerTextTest, TurnsAModernErrorIntoAToolResultForLegacyAgents) {
    for (const int code :
         {mcp::kHeaderMismatch, mcp::kMissingClientCapability, mcp::kUnsupportedVersion}) {
        EXPECT_EQ(
            answer_text(legacy_request(), error_answer(code, R"("message":"\"so\"")")).message,
            in_legacy(R"({"content":[{"type":"text","text":"\"so\""}],"isError":true})"));
    }
}

TEST(AnswerTextTest, ReplacesAModernErrorCodeForOtherMethods) {
    const Answer answer = error_answer(mcp::kMissingClientCapability,
                                       R"("message":"no","data":{"requiredCapabilities":{}})");

    EXPECT_EQ(
        answer_text(legacy_request("prompts/get"), answer).message,
        error_in_legacy(R"({"code":-32603,"message":"no","data":{"requiredCapabilities":{}}})"));
}

TEST(AnswerTextTest, RelaysAMissingCapabilityToAModernAgent) {
    const Answer answer = error_answer(mcp::kMissingClientCapability,
                                       R"("message":"no","data":{"requiredCapabilities":{}})");

    const AnswerText text = answer_text(modern_request(), answer);

    EXPECT_EQ(text.http_status, 400);
    EXPECT_EQ(
        text.message,
        error_in_modern(R"({"code":-32021,"message":"no","data":{"requiredCapabilities":{}}})"));
}

TEST(AnswerTextTest, NeverShowsOldCodesToAModernAgent) {
    const auto text_of = [](std::string_view method, std::string_view uri, int code,
                            const std::string& rest) {
        return answer_text(modern_request(method, uri), error_answer(code, rest)).message;
    };

    EXPECT_EQ(text_of("resources/read", "a:\"1", mcp::kResourceNotFound, R"("message":"no")"),
              error_in_modern(R"({"code":-32602,"message":"no","data":{"uri":"a:\"1"}})"));
    EXPECT_EQ(text_of("resources/read", "a:1", mcp::kResourceNotFound,
                      R"("message":"no","data":{"uri":"a:1","more":1})"),
              error_in_modern(R"({"code":-32602,"message":"no","data":{"uri":"a:1","more":1}})"));
    EXPECT_EQ(text_of("tools/call", "", mcp::kResourceNotFound, R"("message":"no")"),
              error_in_modern(R"({"code":-32602,"message":"no"})"));
    for (const int code :
         {mcp::kUrlElicitationRequired, mcp::kHeaderMismatch, mcp::kUnsupportedVersion}) {
        EXPECT_EQ(text_of("tools/call", "", code, R"("message":"no","data":1)"),
                  error_in_modern(R"({"code":-32603,"message":"no","data":1})"));
    }
}

TEST(AnswerTextTest, AddsTheCallIdAndKeepsAllOtherBytes) {
    const auto text_of = [](AnsweredRequest request, const Answer& answer) {
        request.call_id = "run-7";
        return answer_text(request, answer).message;
    };
    const std::string id = R"("dev.holdfast/callId":"run-7")";

    EXPECT_EQ(text_of(legacy_request(), legacy_result(R"({ "n":1.0 })")),
              in_legacy(R"({"_meta":{)" + id + R"(}, "n":1.0 })"));
    EXPECT_EQ(text_of(legacy_request(), legacy_result("{}")),
              in_legacy(R"({"_meta":{)" + id + "}}"));
    EXPECT_EQ(text_of(legacy_request(), legacy_result(R"({"a":1,"_meta":{ "b":2.0 }})")),
              in_legacy(R"({"a":1,"_meta":{)" + id + R"(, "b":2.0 }})"));
    EXPECT_EQ(text_of(legacy_request(), legacy_result(R"({"_meta":{}})")),
              in_legacy(R"({"_meta":{)" + id + "}}"));
    EXPECT_EQ(text_of(legacy_request(), legacy_result(R"({"a":{"_meta":{}}})")),
              in_legacy(R"({"_meta":{)" + id + R"(},"a":{"_meta":{}}})"));
    EXPECT_EQ(text_of(modern_request(), legacy_result(R"({"a":1})")),
              in_modern(R"({"_meta":{)" + id + R"(},"resultType":"complete","a":1})"));
}

TEST(AnswerTextTest, WritesBuiltInResultsForEachEra) {
    EXPECT_EQ(builtin_result_text(legacy_request(), R"({"a":1})"), in_legacy(R"({"a":1})"));
    EXPECT_EQ(builtin_result_text(modern_request(), R"({"a":1})"),
              in_modern(R"({"resultType":"complete","a":1})"));
}

}  // namespace
}  // namespace holdfast::calls
