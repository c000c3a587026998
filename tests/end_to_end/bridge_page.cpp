#include "end_to_end/bridge_page.hpp"

#include <gtest/gtest.h>

#include "support/test_agent/json_text.hpp"

namespace holdfast::test {

std::string BridgePage::next_call(std::chrono::milliseconds limit) {
    return member_text(next("tools/call", limit), "id");
}

std::string BridgePage::next(std::string_view method, std::chrono::milliseconds limit) {
    while (const auto frame = frames_.next(limit)) {
        if (frame->kind == FrameKind::ping) {
            EXPECT_TRUE(
                frames_.write(frame_text({.kind = FrameKind::pong, .content = frame->content})));
            continue;
        }
        const std::string got = plain_text(member_text(frame->content, "method"));
        serve(got, member_text(frame->content, "id"));
        if (got == method) {
            return frame->content;
        }
    }
    return {};
}

void BridgePage::serve(const std::string& method, const std::string& id) {
    const std::string begin = R"({"jsonrpc":"2.0","id":)" + id;
    if (method == "server/discover") {
        send(begin + R"(,"error":{"code":-32601,"message":"?"}})");
    } else if (method == "initialize") {
        send(begin + R"(,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},)"
                     R"("serverInfo":{"name":"page","version":"1"}}})");
    } else if (method == "tools/list") {
        send(begin + R"(,"result":{"tools":[)" + list_of_tools() + "]}}");
    }
}

std::string BridgePage::list_of_tools() const {
    std::string list;
    for (const std::string& tool : tools_) {
        list += (list.empty() ? "" : ",") +
                (R"({"name":")" + tool + R"(","inputSchema":{"type":"object"}})");
    }
    return list;
}

void BridgePage::answer(const std::string& id, const std::string& text) {
    send(R"({"jsonrpc":"2.0","id":)" + id + R"(,"result":{"content":[{"type":"text","text":")" +
         text + R"("}]}})");
}

void BridgePage::send(const std::string& text) {
    ASSERT_TRUE(frames_.write(frame_text({.content = text})));
}

std::string BridgePage::reason_of_close() {
    while (const auto frame = frames_.next()) {
        if (frame->kind == FrameKind::close) {
            return frame->content.size() < 2 ? "" : frame->content.substr(2);
        }
    }
    return "no close";
}

}  // namespace holdfast::test
