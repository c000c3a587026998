#include "dispatch/request_params.hpp"

#include <gtest/gtest.h>

#include <string>

#include "jsonrpc/thread_reader.hpp"

namespace holdfast::dispatch {
namespace {

/// A request of an agent; the message is a view of it.
class RequestParamsTest : public ::testing::Test {
protected:
    const jsonrpc::Message& read(const std::string& params,
                                 std::string_view method = "tools/call") {
        std::string whole = R"({"jsonrpc":"2.0","id":1,"method":")";
        whole.append(method).append("\"");
        whole += params.empty() ? "}" : R"(,"params":)" + params + "}";
        text_ = jsonrpc::PaddedText{std::move(whole)};
        auto result = jsonrpc::thread_reader().read(text_);
        EXPECT_TRUE(result.has_value());
        message_ = *result;
        return message_;
    }

private:
    jsonrpc::PaddedText text_;
    jsonrpc::Message message_;
};

TEST_F(RequestParamsTest, ReadsOnlyStrings) {
    const auto& message = read(R"({"a":"x\u0041","b":7,"c":null})");

    EXPECT_EQ(string_param(message, "a"), "xA");
    EXPECT_FALSE(string_param(message, "b"));
    EXPECT_FALSE(string_param(message, "c"));
    EXPECT_FALSE(string_param(message, "d"));
    EXPECT_FALSE(string_param(read(""), "a"));
}

TEST_F(RequestParamsTest, PassesOnAllMembersAsWritten) {
    const auto& message = read(
        R"({ "na\u006de" : "t", "arguments":{"n": 1.0e5,"b":18446744073709551616},"x":[ 1 ]})");

    EXPECT_EQ(params_members(message, {}),
              R"("na\u006de":"t","arguments":{"n": 1.0e5,"b":18446744073709551616},"x":[ 1 ])");
}

TEST_F(RequestParamsTest, ReplacesTheNameAndKeepsItsPosition) {
    EXPECT_EQ(params_members(read(R"({"x":1,"name":"a__b","_meta":{},"y":2})"),
                             {.key = "name", .text = "b"}),
              R"("x":1,"name":"b","y":2)");
}

TEST_F(RequestParamsTest, ReplacesAMemberByJson) {
    EXPECT_EQ(params_members(read(R"({"ref":{"name":"a__b"},"y":2})"),
                             {.key = "ref", .json = R"({"name":"b"})"}),
              R"("ref":{"name":"b"},"y":2)");
}

TEST_F(RequestParamsTest, QuotesATextThatReplacesAMember) {
    EXPECT_EQ(params_members(read(R"({"name":"a__b"})"), {.key = "name", .text = "a\"b"}),
              R"("name":"a\"b")");
}

TEST_F(RequestParamsTest, AddsArgumentsIfTheyAreMissing) {
    const ParamEdit edit{.key = "name", .text = "b", .adds_arguments = true};

    EXPECT_EQ(params_members(read(R"({"name":"a"})"), edit), R"("name":"b","arguments":{})");
    EXPECT_EQ(params_members(read(R"({"arguments":{},"name":"a"})"), edit),
              R"("arguments":{},"name":"b")");
    EXPECT_EQ(params_members(read("{}"), edit), R"("arguments":{})");
}

TEST_F(RequestParamsTest, HasNoMembersWithoutParams) {
    EXPECT_EQ(params_members(read(""), {}), "");
    EXPECT_EQ(meta_members(read("")), "");
}

TEST_F(RequestParamsTest, PassesOnWhatTheLegsDoNotNegotiate) {
    EXPECT_EQ(meta_members(read(
                  R"({"_meta":{"progressToken":1,"traceparent":"00-a","io.modelcontextprotocol/)"
                  R"(protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{},)"
                  R"("io.modelcontextprotocol/clientCapabilities":{},"own": 1.0,)"
                  R"("io.modelcontextprotocol/logLevel":"info",)"
                  R"("io.modelcontextprotocol/related-task":{}}})")),
              R"("traceparent":"00-a","own":1.0)");
}

TEST_F(RequestParamsTest, ReportsWhetherProgressIsWanted) {
    EXPECT_TRUE(relayed_request(read(R"({"_meta":{"progressToken":0}})"), {}).wants_progress);
    EXPECT_TRUE(relayed_request(read(R"({"_meta":{"progressToken":""}})"), {}).wants_progress);
    EXPECT_FALSE(relayed_request(read(R"({"_meta":{}})"), {}).wants_progress);
}

TEST_F(RequestParamsTest, UsesTheLevelOfTheRequest) {
    const auto level_of = [this](const std::string& level) {
        return relayed_request(
                   read(R"({"_meta":{"io.modelcontextprotocol/logLevel":)" + level + "}}"), {})
            .log_level;
    };

    EXPECT_EQ(level_of("\"warning\""), "warning");
    EXPECT_EQ(level_of("\"loud\""), "");
    EXPECT_EQ(level_of("7"), "");
}

TEST_F(RequestParamsTest, KeepsTheMethodNameBeyondTheMessage) {
    const auto& message = read("{}", "prompts/get");

    const downstream::Request request = relayed_request(message, {});

    EXPECT_EQ(request.method, "prompts/get");
    EXPECT_NE(request.method.data(), message.method.data());
}

}  // namespace
}  // namespace holdfast::dispatch
