#include "mcp/incoming.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "jsonrpc/message_reader.hpp"

namespace holdfast::mcp {
namespace {

using jsonrpc::Message;

const std::string kEnvelope = R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
                              R"("io.modelcontextprotocol/clientCapabilities":{}})";

std::string modern_request(const std::string& method, const std::string& members = "") {
    return R"({"jsonrpc":"2.0","id":1,"method":")" + method + R"(","params":{)" + members +
           (members.empty() ? "" : ",") + kEnvelope + "}}";
}

std::string request(const std::string& method, const std::string& params) {
    return R"({"jsonrpc":"2.0","id":1,"method":")" + method + R"(","params":)" + params + "}";
}

class IncomingTest : public ::testing::Test {
protected:
    Message message(const std::string& text) {
        text_ = jsonrpc::PaddedText{text};
        return reader_.read(text_).value();
    }
    std::variant<Era, ProtocolError> classify(
        const std::string& text, std::optional<std::string_view> version = std::nullopt) {
        const StandardHeaders headers{.protocol_version = version};
        return classified(message(text), &headers);
    }
    std::optional<ProtocolError> fault(const std::string& text, const StandardHeaders* headers) {
        return fault_in_modern_request(message(text), headers);
    }

    jsonrpc::PaddedText text_;
    jsonrpc::MessageReader reader_;
};

TEST_F(IncomingTest, DeterminesTheEraFromTheBody) {
    struct Row {
        std::string text;
        std::optional<std::string_view> version_header;
        Era era;
    };
    const std::vector<Row> rows = {
        {modern_request("tools/list"), std::nullopt, Era::modern},
        {modern_request("initialize"), std::nullopt, Era::modern},
        {modern_request("tools/list"), "2025-11-25", Era::modern},
        {request("initialize", R"({"protocolVersion":"2025-11-25"})"), std::nullopt, Era::legacy},
        {request("initialize", "{}"), "2026-07-28", Era::legacy},
        {request("tools/list", "{}"), std::nullopt, Era::legacy},
        {request("tools/list", "{}"), "2025-06-18", Era::legacy},
        {request("tools/list", "{}"), "2030-01-01", Era::legacy},
        {R"({"jsonrpc":"2.0","method":"notifications/cancelled"})", "2026-07-28", Era::modern},
        {R"({"jsonrpc":"2.0","method":"notifications/cancelled"})", std::nullopt, Era::legacy},
        {R"({"jsonrpc":"2.0","id":1,"result":{}})", "2026-07-28", Era::legacy},
    };
    for (const Row& row : rows) {
        SCOPED_TRACE(row.text);
        const auto verdict = classify(row.text, row.version_header);
        ASSERT_TRUE(std::holds_alternative<Era>(verdict));
        EXPECT_EQ(std::get<Era>(verdict), row.era);
    }
}

TEST_F(IncomingTest, AModernHeaderWithoutAnEnvelopeIsAFault) {
    const auto verdict = classify(request("tools/list", "{}"), "2026-07-28");

    ASSERT_TRUE(std::holds_alternative<ProtocolError>(verdict));
    EXPECT_EQ(std::get<ProtocolError>(verdict).http_status, 400);
    EXPECT_EQ(std::get<ProtocolError>(verdict).code, kInvalidParams);
}

TEST_F(IncomingTest, ReportsFaultsInTheOrderThatPeersExpect) {
    struct Row {
        const char* what;
        std::string text;
        StandardHeaders headers;
        int status;
        int code;
    };
    const std::string no_capabilities =
        R"({"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}})";
    const std::string other_version =
        R"({"_meta":{"io.modelcontextprotocol/protocolVersion":"v999.0.0",)"
        R"("io.modelcontextprotocol/clientCapabilities":{}}})";
    const std::vector<Row> rows = {
        {"header and body differ, and the envelope is incomplete",
         request("tools/list", no_capabilities),
         {.protocol_version = "2025-11-25"},
         400,
         kHeaderMismatch},
        {"envelope incomplete", request("tools/list", no_capabilities), {}, 400, kInvalidParams},
        {"version unknown, and no other header",
         request("tools/list", other_version),
         {},
         400,
         kUnsupportedVersion},
        {"no version header", modern_request("nope"), {.method = "nope"}, 400, kHeaderMismatch},
        {"no method header",
         modern_request("nope"),
         {.protocol_version = "2026-07-28"},
         400,
         kHeaderMismatch},
        {"method header differs in case",
         modern_request("tools/list"),
         {.protocol_version = "2026-07-28", .method = "Tools/List"},
         400,
         kHeaderMismatch},
        {"no name header",
         modern_request("tools/call", R"("name":"a")"),
         {.protocol_version = "2026-07-28", .method = "tools/call"},
         400,
         kHeaderMismatch},
        {"name header differs",
         modern_request("resources/read", R"("uri":"a")"),
         {.protocol_version = "2026-07-28", .method = "resources/read", .name = "b"},
         400,
         kHeaderMismatch},
        {"method unknown",
         modern_request("nope"),
         {.protocol_version = "2026-07-28", .method = "nope"},
         404,
         kMethodNotFound},
        {"method removed",
         modern_request("ping"),
         {.protocol_version = "2026-07-28", .method = "ping"},
         404,
         kMethodNotFound},
    };
    for (const Row& row : rows) {
        SCOPED_TRACE(row.what);
        const auto found = fault(row.text, &row.headers);
        ASSERT_TRUE(found.has_value());
        EXPECT_EQ(found->http_status, row.status);
        EXPECT_EQ(found->code, row.code);
    }
}

TEST_F(IncomingTest, AcceptsValidRequests) {
    const StandardHeaders headers{
        .protocol_version = "2026-07-28", .method = " tools/call ", .name = "=?base64?w6k=?="};

    EXPECT_FALSE(fault(modern_request("tools/call", "\"name\":\"\\u00e9\""), &headers));
    EXPECT_FALSE(fault(modern_request("tools/call", R"("name":"x")"), nullptr))
        << "other transports have no headers";
}

TEST_F(IncomingTest, ReportsSupportedVersionsWithAnUnsupportedOne) {
    const auto found =
        fault(request("server/discover",
                      R"({"_meta":{"io.modelcontextprotocol/protocolVersion":"2027-02-01",)"
                      R"("io.modelcontextprotocol/clientCapabilities":{}}})"),
              nullptr);

    ASSERT_TRUE(found.has_value());
    EXPECT_EQ(found->data, R"({"supported":["2026-07-28"],"requested":"2027-02-01"})");
}

}  // namespace
}  // namespace holdfast::mcp
