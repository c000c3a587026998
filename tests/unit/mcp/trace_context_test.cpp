#include "mcp/trace_context.hpp"

#include <gtest/gtest.h>

namespace holdfast::mcp {
namespace {

constexpr std::string_view kParent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

TEST(TraceContextTest, AcceptsOnlyAWellFormedParent) {
    EXPECT_TRUE(is_traceparent(kParent));
    for (const std::string_view text :
         {"", "00", "00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01",
          "00-00000000000000000000000000000000-b7ad6b7169203331-01",
          "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
          "ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
          "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-0\n",
          "00_0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"}) {
        EXPECT_FALSE(is_traceparent(text)) << text;
    }
}

TEST(TraceContextTest, ConvertsHeadersToMembers) {
    EXPECT_EQ(trace_members(kParent, "a=1,b=\"2\""),
              R"("traceparent":"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",)"
              R"("tracestate":"a=1,b=\"2\"")");
    EXPECT_EQ(trace_members("junk", "a=1"), "");
    EXPECT_EQ(trace_members(kParent, "a\r\nX: y").find("tracestate"), std::string::npos);
}

TEST(TraceContextTest, ConvertsMembersToHeadersWithoutLineBreaks) {
    EXPECT_EQ(trace_header_lines(kParent, "a=1"),
              "traceparent: " + std::string{kParent} + "\r\ntracestate: a=1\r\n");
    EXPECT_EQ(trace_header_lines(kParent, "a\r\nX: y"),
              "traceparent: " + std::string{kParent} + "\r\n");
    EXPECT_EQ(trace_header_lines("x\r\nX: y", ""), "");
}

}  // namespace
}  // namespace holdfast::mcp
