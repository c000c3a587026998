#include "jsonrpc/message_writer.hpp"

#include <gtest/gtest.h>

namespace holdfast::jsonrpc {
namespace {

TEST(MessageWriterTest, InsertsBytesUnchanged) {
    EXPECT_EQ(request_text(R"("a")", "tools/call", R"({ "n" : 1.0 })"),
              R"({"jsonrpc":"2.0","id":"a","method":"tools/call","params":{ "n" : 1.0 }})");
    EXPECT_EQ(notification_text("notifications/progress", "{}"),
              R"({"jsonrpc":"2.0","method":"notifications/progress","params":{}})");
    EXPECT_EQ(result_text("12", R"({"content":[]})"),
              R"({"jsonrpc":"2.0","id":12,"result":{"content":[]}})");
}

TEST(MessageWriterTest, OmitsEmptyMembers) {
    EXPECT_EQ(request_text("1", "ping", ""), R"({"jsonrpc":"2.0","id":1,"method":"ping"})");
    EXPECT_EQ(error_text("", {.code = -32700, .message = "Parse error"}),
              R"({"jsonrpc":"2.0","error":{"code":-32700,"message":"Parse error"}})");
}

TEST(MessageWriterTest, QuotesPlainText) {
    EXPECT_EQ(
        error_text("1", {.code = -32603, .message = "he said \"no\"\n", .data = R"({"a":1})"}),
        R"({"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"he said \"no\"\n","data":{"a":1}}})");
}

TEST(MessageWriterTest, PassesAnErrorOnUnchanged) {
    EXPECT_EQ(relayed_error_text("1", R"({"code": -1, "message":"", "data":[]})"),
              R"({"jsonrpc":"2.0","id":1,"error":{"code": -1, "message":"", "data":[]}})");
}

}  // namespace
}  // namespace holdfast::jsonrpc
