#include "downstream/tool_headers.hpp"

#include <gtest/gtest.h>

namespace holdfast::downstream {
namespace {

ListedEntry tool(std::string name, std::string_view property) {
    return {.key = name,
            .definition = R"({"name":")" + name +
                          R"(","inputSchema":{"type":"object","properties":{"p":)" +
                          std::string{property} + "}}}"};
}

TEST(ToolHeadersTest, KeepsOnlyToolsWithAnnotations) {
    const std::vector<ListedEntry> tools{
        tool("plain", R"({"type":"string"})"),
        tool("annotated", R"({"type":"string","x-mcp-header":"Region"})"),
        {.key = "bare", .definition = R"({"name":"bare"})"}};

    const ToolHeaders headers = tool_headers_of(tools);

    EXPECT_TRUE(headers.invalid.empty());
    ASSERT_EQ(headers.table.params.size(), 1U);
    const auto& params = headers.table.params.at("annotated");
    ASSERT_EQ(params.size(), 1U);
    EXPECT_EQ(params[0].header, "Mcp-Param-Region");
    EXPECT_EQ(params[0].path, std::vector<std::string>{"p"});
}

TEST(ToolHeadersTest, NamesToolsThatMustNotBeOffered) {
    const std::vector<ListedEntry> tools{tool("good", R"({"type":"integer","x-mcp-header":"N"})"),
                                         tool("number", R"({"type":"number","x-mcp-header":"N"})"),
                                         tool("empty", R"({"type":"string","x-mcp-header":""})")};

    const ToolHeaders headers = tool_headers_of(tools);

    ASSERT_EQ(headers.invalid.size(), 2U);
    EXPECT_EQ(headers.invalid[0].name, "number");
    EXPECT_FALSE(headers.invalid[0].reason.empty());
    EXPECT_EQ(headers.invalid[1].name, "empty");
    EXPECT_EQ(headers.table.params.size(), 1U);
}

TEST(ToolHeadersTest, WritesLinesForPresentArguments) {
    const std::vector<mcp::HeaderParam> params{{.path = {"s"}, .header = "Mcp-Param-S"},
                                               {.path = {"n"}, .header = "Mcp-Param-N"},
                                               {.path = {"b"}, .header = "Mcp-Param-B"},
                                               {.path = {"z"}, .header = "Mcp-Param-Z"}};
    std::string head = "A: 1\r\n";

    append_tool_headers(head, params,
                        R"("name":"t","arguments":{"s":"x\r\ny","n":42,"b":false,"z":null})");

    EXPECT_EQ(head,
              "A: 1\r\nMcp-Param-S: =?base64?eA0KeQ==?=\r\nMcp-Param-N: 42\r\n"
              "Mcp-Param-B: false\r\n");
}

TEST(ToolHeadersTest, WritesNothingWithoutArguments) {
    const std::vector<mcp::HeaderParam> params{{.path = {"s"}, .header = "Mcp-Param-S"}};
    std::string head;

    append_tool_headers(head, params, R"("name":"t")");

    EXPECT_EQ(head, "");
}

}  // namespace
}  // namespace holdfast::downstream
