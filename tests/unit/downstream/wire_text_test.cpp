#include "downstream/wire_text.hpp"

#include <gtest/gtest.h>

namespace holdfast::downstream {
namespace {

using jsonrpc::PaddedText;

CallResult read(std::string_view json, mcp::Era era = mcp::Era::modern) {
    return read_answer(PaddedText{std::string{json}}, era);
}

TEST(DressedRequestTest, OmitsEmptyParamsOfALegacyRequest) {
    EXPECT_EQ(dressed_request({.method = "tools/list"}, {.id = "7"}),
              R"({"jsonrpc":"2.0","id":7,"method":"tools/list"})");
}

TEST(DressedRequestTest, HasLegacyMetaOnlyWhenNeeded) {
    const Request request{.method = "tools/call", .params_members = R"("name":"x")"};
    Request with_meta = request;
    with_meta.meta_members = R"("a":1)";

    EXPECT_EQ(dressed_request(request, {.id = "7"}),
              R"({"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"x"}})");
    EXPECT_EQ(dressed_request(with_meta, {.id = "7", .progress_token = "\"t\""}),
              R"({"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"x",)"
              R"("_meta":{"progressToken":"t","a":1}}})");
}

TEST(DressedRequestTest, CarriesTheAgentsIdentityInTheModernEra) {
    Request request{.method = "tools/list"};
    request.agent = std::make_shared<AgentIdentity>(AgentIdentity{
        .key = "secret", .capabilities = R"({"roots":{}})", .client_info = R"({"name":"a"})"});

    EXPECT_EQ(dressed_request(
                  request,
                  {.id = "7", .revision = mcp::kNewestModern, .client_info = R"({"name":"own"})"}),
              R"({"jsonrpc":"2.0","id":7,"method":"tools/list","params":{"_meta":{)"
              R"("io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
              R"("io.modelcontextprotocol/clientCapabilities":{"roots":{}},)"
              R"("io.modelcontextprotocol/clientInfo":{"name":"a"}}}})");
}

TEST(HandshakeTextTest, PrefersTheAgentsInfoToTheGateways) {
    const LinkPurpose purpose{.client_info = R"({"name":"agent"})"};

    EXPECT_NE(initialize_text("1", purpose, "{}").find(R"("clientInfo":{"name":"agent"})"),
              std::string::npos);
    EXPECT_NE(discover_text("1", purpose, "{}").find(R"(clientInfo":{"name":"agent"})"),
              std::string::npos);
}

TEST(CancelledTextTest, QuotesTheReason) {
    EXPECT_EQ(cancelled_text("7", "a \"b\""),
              R"({"jsonrpc":"2.0","method":"notifications/cancelled",)"
              R"("params":{"requestId":7,"reason":"a \"b\""}})");
}

TEST(ReadAnswerTest, ReadsTheTypeOfAModernResult) {
    const auto asked = read(R"({"jsonrpc":"2.0","id":1,"result":{"resultType":"input_required"}})");
    const auto odd = read(R"({"jsonrpc":"2.0","id":1,"result":{"resultType":7}})");
    const auto plain = read(R"({"jsonrpc":"2.0","id":1,"result":{}})");
    const auto legacy =
        read(R"({"jsonrpc":"2.0","id":1,"result":{"resultType":"task"}})", mcp::Era::legacy);

    EXPECT_EQ(asked->result_type, ResultType::input_required);
    EXPECT_TRUE(asked->has_result_type);
    EXPECT_EQ(odd->result_type, ResultType::unknown);
    EXPECT_FALSE(plain->has_result_type);
    EXPECT_EQ(legacy->result_type, ResultType::complete);
}

TEST(ReadAnswerTest, FindsErrorResultsAtTheTopOnly) {
    const auto says_error = [](const std::string& result) {
        const CallResult answer =
            read_answer(jsonrpc::PaddedText{R"({"jsonrpc":"2.0","id":1,"result":)" + result + "}"},
                        mcp::Era::legacy);
        return answer && answer->says_error;
    };

    EXPECT_TRUE(says_error(R"({"content":[],"isError":true})"));
    EXPECT_FALSE(says_error(R"({"content":[],"isError":false})"));
    EXPECT_FALSE(says_error(R"({"structuredContent":{"isError":true}})"));
    EXPECT_FALSE(says_error(R"({"content":[{"text":"\"isError\":true"}]})"));
}

TEST(ReadAnswerTest, FindsTheMetaOfTheBody) {
    const auto meta_of = [](const std::string& body) {
        CallResult answer = read_answer(
            jsonrpc::PaddedText{R"({"jsonrpc":"2.0","id":1,)" + body + "}"}, mcp::Era::modern);
        const Answer moved = *std::move(answer);
        return std::string{moved.meta()};
    };

    EXPECT_EQ(meta_of(R"("result":{"a":1,"_meta": {"k":"v"} })"), R"({"k":"v"})");
    EXPECT_EQ(meta_of(R"("result":{"a":{"_meta":{"k":"v"}}})"), "");
    EXPECT_EQ(meta_of(R"("result":{"_meta":null})"), "");
    EXPECT_EQ(meta_of(R"("error":{"code":1,"message":"x"})"), "");
}

TEST(ReadAnswerTest, ReadsTheCodeAndMessageOfAnError) {
    const auto answer =
        read(R"( {"jsonrpc":"2.0","id":1,"error":{"code":-32001,"message":"w\u00e4"}} )");
    const auto huge =
        read(R"({"jsonrpc":"2.0","id":1,"error":{"code":99999999999999,"message":""}})");

    EXPECT_TRUE(answer->is_error());
    EXPECT_EQ(answer->error_code, -32001);
    EXPECT_EQ(error_message_of(*answer), "wä");
    EXPECT_EQ(answer->body(), R"({"code":-32001,"message":"w\u00e4"})");
    EXPECT_EQ(huge->error_code, -32603);
}

TEST(ReadAnswerTest, RejectsMessagesThatAreNotResponses) {
    for (const std::string_view text :
         {"", "{", "[]", R"({"jsonrpc":"2.0","method":"x"})", "<html>"}) {
        const auto answer = read(text);
        ASSERT_FALSE(answer) << text;
        EXPECT_EQ(answer.error().kind, CallFault::Kind::malformed);
    }
}

TEST(NegotiatedTest, CutsLongMessagesAtAWholeCharacter) {
    std::string umlauts;
    for (int count = 0; count < 1'000; ++count) {
        umlauts += "ä";
    }

    const auto answer =
        read(R"({"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"x)" + umlauts + "\"}}");

    EXPECT_EQ(error_message_of(*answer), "x" + umlauts.substr(0, 498) + "…");
}

TEST(NegotiatedTest, NeverAcceptsAModernRevisionFromAHandshake) {
    const auto answer = read(
        R"({"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2026-07-28","capabilities":{}}})");

    EXPECT_FALSE(negotiated_by_initialize(*answer));
}

}  // namespace
}  // namespace holdfast::downstream
