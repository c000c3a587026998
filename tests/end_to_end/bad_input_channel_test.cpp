// Invalid messages on the standard streams or a WebSocket. Both have one connection for everything,
// so junk is answered and skipped if possible.

#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "end_to_end/memory_use.hpp"
#include "end_to_end/scene.hpp"
#include "support/test_agent/json_text.hpp"
#include "support/test_agent/websocket_frames.hpp"

namespace holdfast::test {
namespace {

struct BadMessage {
    std::string_view name = {};
    std::string text = {};
    std::string_view code = {};
    std::string_view id = {};  ///< The id of the message, if it could be read.
};

std::string deeply_nested(std::size_t depth) {
    return R"({"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":)" + std::string(depth, '[') +
           std::string(depth, ']') + "}}";
}

std::vector<BadMessage> bad_messages() {
    return {
        {"words", "hello", "-32700", ""},
        {"half a message", R"({"jsonrpc":"2.0",)", "-32700", ""},
        {"a number", "42", "-32600", ""},
        {"another version", R"({"jsonrpc":"1.0","id":1,"method":"ping"})", "-32600", "1"},
        {"an id of null", R"({"jsonrpc":"2.0","id":null,"method":"ping"})", "-32600", ""},
        {"a batch", R"([{"jsonrpc":"2.0","id":1,"method":"ping"}])", "-32600", ""},
        {"an empty batch", "[]", "-32600", ""},
        {"10,000 levels", deeply_nested(10'000), "-32600", ""},
        {"more than the limit", std::string(std::size_t{9} * 1024 * 1024, ' ') + "x", "-32600", ""},
        {"an unknown method", R"({"jsonrpc":"2.0","id":1,"method":"tools/eat"})", "-32601", "1"},
        {"a modern request without capabilities",
         R"({"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{)"
         R"("io.modelcontextprotocol/protocolVersion":"2026-07-28"}}})",
         "-32602", "1"},
        {"a version of the future",
         R"({"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{)"
         R"("io.modelcontextprotocol/protocolVersion":"2099-01-01",)"
         R"("io.modelcontextprotocol/clientCapabilities":{}}}})",
         "-32022", "1"},
    };
}

class BadInputChannelTest : public testing::Test {
protected:
    void SetUp() override {
        scene_.add_fixture("fixture", kServerLegs[0]);
        ASSERT_TRUE(scene_.start({"--stdio"}));
    }

    static void expect_answers(TestAgent& agent, const std::vector<BadMessage>& rows) {
        for (const BadMessage& row : rows) {
            SCOPED_TRACE(row.name);
            agent.send_text(row.text);
            const std::string answer = agent.next_message();
            EXPECT_EQ(member_text(answer, "code"), row.code) << answer;
            EXPECT_EQ(member_text(answer, "id"), row.id) << answer;
        }
    }

    /// Checks that the agent and a new one still work, and that the gateway has not grown.
    void expect_well(TestAgent* agent) {
        TestAgent other = scene_.agent(kAgentLegs[4]);
        for (TestAgent* one : {agent, &other}) {
            if (one != nullptr) {
                EXPECT_TRUE(one->finds_tool("echo"));
                EXPECT_EQ(one->call("echo", R"({"text":"still here"})"), "still here");
            }
        }
        EXPECT_LT(memory_use_bytes(scene_.gateway().program().pid()), kMaxMemoryBytes);
    }

    [[nodiscard]] Scene& scene() { return scene_; }

private:
    Scene scene_;
};

TEST_F(BadInputChannelTest, AnswersJunkOnTheStandardStreamsAndContinues) {
    TestAgent agent = scene().agent(kAgentLegs[0]);
    expect_answers(
        agent, {{"too early", R"({"jsonrpc":"2.0","id":1,"method":"tools/list"})", "-32600", "1"}});
    ASSERT_TRUE(agent.open());

    expect_answers(agent, bad_messages());
    expect_answers(agent, {{"bad UTF-8", "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xC3\x28\"}",
                            "-32700", ""},
                           {"a zero byte", std::string{"{\0}", 3}, "-32700", ""}});
    agent.send_text("\r\n\n  \n");

    expect_well(&agent);
}

TEST_F(BadInputChannelTest, AnswersJunkOnAWebSocketAndContinues) {
    TestAgent agent = scene().agent(kAgentLegs[2]);
    ASSERT_TRUE(agent.open());
    std::vector<BadMessage> rows = bad_messages();
    std::erase_if(rows, [](const BadMessage& row) { return row.name == "more than the limit"; });

    expect_answers(agent, rows);

    expect_well(&agent);
}

TEST_F(BadInputChannelTest, RefusesAnIdThatIsInUse) {
    TestAgent agent = scene().agent(kAgentLegs[0]);
    ASSERT_TRUE(agent.open());
    ASSERT_TRUE(agent.finds_tool("progress"));
    AgentRequest first = tool_call("progress", R"({"steps":100000,"ms":1})");
    first.id = "7";
    first.meta = R"("progressToken":1)";
    AgentRequest second = tool_call("echo", R"({"text":"x"})");
    second.id = "7";

    agent.send(first);
    ASSERT_NE(agent.next_message_of("notifications/progress"), "") << "it runs";
    const std::string answer = agent.request(second);

    EXPECT_EQ(member_text(answer, "code"), "-32600") << answer;
    agent.cancel("7");
    expect_well(&agent);
}

/// Frames that must end a WebSocket according to its specification.
struct BadFrames {
    std::string_view name = {};
    std::string bytes = {};
    int close_code = 0;
};

TEST_F(BadInputChannelTest, ClosesAWebSocketThatBreaksItsRules) {
    const std::string too_long(std::size_t{9} * 1024 * 1024, 'x');
    std::string unmasked = frame_text({.content = "{}"});
    unmasked = unmasked.substr(0, 1) + "\x02{}";
    const std::vector<BadFrames> rows{
        {"binary", frame_text({.kind = FrameKind::binary, .content = "{}"}), 1003},
        {"bad UTF-8", frame_text({.content = "\"\xC3\x28\""}), 1007},
        {"too long", frame_text({.content = too_long}), 1009},
        {"not masked", unmasked, 1002},
        {"an unknown kind", frame_text({.kind = FrameKind{5}, .content = "{}"}), 1002},
        {"a continuation of nothing",
         frame_text({.kind = FrameKind::continuation, .content = "{}"}), 1002},
    };
    for (const BadFrames& row : rows) {
        SCOPED_TRACE(row.name);
        WebSocketFrames frames{scene().port(), {}};
        ASSERT_EQ(frames.status(), 101);

        // the connection may be closed before all is written
        std::ignore = frames.write(row.bytes);

        auto frame = frames.next();
        while (frame && frame->kind != FrameKind::close) {
            frame = frames.next();
        }
        ASSERT_TRUE(frame);
        ASSERT_GE(frame->content.size(), 2U);
        const int code = static_cast<unsigned char>(frame->content[0]) << 8 |
                         static_cast<unsigned char>(frame->content[1]);
        EXPECT_EQ(code, row.close_code);
    }
    expect_well(nullptr);
}

}  // namespace
}  // namespace holdfast::test
