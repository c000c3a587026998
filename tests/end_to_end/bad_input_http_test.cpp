// Invalid HTTP requests and their answers. After each of them the gateway answers the next call and
// has not grown.

#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "end_to_end/memory_use.hpp"
#include "end_to_end/scene.hpp"
#include "support/process_watch.hpp"
#include "support/test_agent/http_exchange.hpp"
#include "support/test_agent/json_text.hpp"
#include "support/test_agent/websocket_frames.hpp"

namespace holdfast::test {
namespace {

constexpr AgentLeg kLegacyAgent = kAgentLegs[1];
constexpr AgentLeg kModernAgent = kAgentLegs[4];
constexpr std::string_view kPing = R"({"jsonrpc":"2.0","id":1,"method":"ping"})";
constexpr std::string_view kToken = "Authorization: Bearer alice's long secret\r\n";

/// A raw request and its expected answer.
struct BadRequest {
    std::string_view name = {};
    std::string headers = {};  ///< In addition to Host, Accept, Content-Type and the token.
    std::string body = {};
    int status = 400;
    std::string_view code = {};  ///< Of the JSON-RPC error; empty = none.
};

std::string deeply_nested(std::size_t depth) {
    return R"({"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":)" + std::string(depth, '[') +
           std::string(depth, ']') + "}}";
}

std::string modern_request(const std::string& method, const std::string& version,
                           const std::string& members = {}) {
    return R"({"jsonrpc":"2.0","id":1,"method":")" + method + R"(","params":{)" + members +
           R"("_meta":{"io.modelcontextprotocol/protocolVersion":")" + version +
           R"(","io.modelcontextprotocol/clientCapabilities":{}}}})";
}

std::string modern_headers(const std::string& method, const std::string& version = "2026-07-28") {
    return "MCP-Protocol-Version: " + version + "\r\nMcp-Method: " + method + "\r\n";
}

class BadInputHttpTest : public testing::Test {
protected:
    void SetUp() override {
        scene_.add_fixture("fixture", kServerLegs[0]);
        scene_.add_section(R"("agents":{"tokens":{"alice":"alice's long secret"}})");
        ASSERT_TRUE(scene_.start());
        agent_ = std::make_unique<TestAgent>(scene_.agent(kLegacyAgent, std::string{kToken}));
        ASSERT_TRUE(agent_->open());
        ASSERT_TRUE(agent_->finds_tool("echo"));
        session_ = new_session("2025-11-25");
        ASSERT_NE(session_, "");
    }

    void TearDown() override {
        EXPECT_EQ(agent_->call("echo", R"({"text":"still here"})"), "still here");
        EXPECT_LT(memory_use_bytes(scene_.gateway().program().pid()), kMaxMemoryBytes);
        EXPECT_EQ(scene_.gateway().stop(), 0);
    }

    /// Returns the header line of a new session.
    [[nodiscard]] std::string new_session(const std::string& revision) const {
        const HttpExchange exchange = http_exchange(
            port(), {.headers = std::string{kToken},
                     .body = R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{)"
                             R"("protocolVersion":")" +
                             revision +
                             R"(","capabilities":{},"clientInfo":{"name":"t","version":"1"}}})"});
        const std::string id = exchange.header("Mcp-Session-Id");
        return id.empty() ? id : "Mcp-Session-Id: " + id + "\r\n";
    }

    void expect_refused(const BadRequest& request) const {
        SCOPED_TRACE(request.name);
        const HttpExchange exchange = http_exchange(
            port(), {.headers = std::string{kToken} + request.headers, .body = request.body});
        EXPECT_EQ(exchange.status(), request.status) << exchange.head() << exchange.body();
        EXPECT_EQ(member_text(exchange.body(), "code"), request.code) << exchange.body();
    }

    /// Returns the status of the answer to bytes that `http_text` would not write.
    [[nodiscard]] int status_of(const std::string& bytes) const {
        HttpExchange exchange{port(), bytes};
        std::ignore = exchange.complete();  // the status shows a failure
        return exchange.status();
    }

    [[nodiscard]] std::string head_with(const std::string& lines,
                                        const std::string& start = "POST /mcp HTTP/1.1") const {
        return start + "\r\n" + lines + std::string{kToken} +
               "Accept: application/json, text/event-stream\r\n";
    }
    [[nodiscard]] std::string host_line() const {
        return "Host: 127.0.0.1:" + std::to_string(port()) + "\r\n";
    }

    [[nodiscard]] std::uint16_t port() const { return scene_.port(); }
    [[nodiscard]] TestAgent& agent() const { return *agent_; }
    [[nodiscard]] Scene& scene() { return scene_; }
    [[nodiscard]] const std::string& session() const noexcept { return session_; }

private:
    Scene scene_;
    std::unique_ptr<TestAgent> agent_;
    std::string session_;
};

TEST_F(BadInputHttpTest, RejectsInvalidMessages) {
    const std::string ping{kPing};
    const std::vector<BadRequest> rows{
        {"nothing", session(), "", 400, "-32700"},
        {"half a message", session(), R"({"jsonrpc":"2.0",)", 400, "-32700"},
        {"words", session(), "hello", 400, "-32700"},
        {"bad UTF-8", session(), "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xC3\x28\"}", 400,
         "-32700"},
        {"a zero byte", session(), std::string{"{\0}", 3}, 400, "-32700"},
        {"two messages", session(), ping + ping, 400, "-32700"},
        {"a number", session(), "42", 400, "-32600"},
        {"a text", session(), R"("ping")", 400, "-32600"},
        {"no version", session(), R"({"id":1,"method":"ping"})", 400, "-32600"},
        {"another version", session(), R"({"jsonrpc":"1.0","id":1,"method":"ping"})", 400,
         "-32600"},
        {"an id of null", session(), R"({"jsonrpc":"2.0","id":null,"method":"ping"})", 400,
         "-32600"},
        {"an id that is an object", session(), R"({"jsonrpc":"2.0","id":{},"method":"ping"})", 400,
         "-32600"},
        {"params in a list", session(), R"({"jsonrpc":"2.0","id":1,"method":"ping","params":[]})",
         400, "-32600"},
        {"a result and an error", session(),
         R"({"jsonrpc":"2.0","id":1,"result":{},"error":{"code":1,"message":""}})", 400, "-32600"},
        {"10,000 levels", session(), deeply_nested(10'000), 400, "-32600"},
        {"1,000,000 levels", session(), deeply_nested(1'000'000), 400, "-32600"},
        {"10,000 levels that do not end", session(), std::string(10'000, '['), 400, "-32600"},
    };
    for (const BadRequest& row : rows) {
        expect_refused(row);
    }
}

TEST_F(BadInputHttpTest, AcceptsBatchesOnlyInRevisionsThatAllowThem) {
    const std::string batch = "[" + std::string{kPing} + "]";
    expect_refused({"in 2025-11-25", session(), batch, 400, "-32600"});
    expect_refused({"in 2025-06-18", new_session("2025-06-18"), batch, 400, "-32600"});
    expect_refused({"without a session", "", batch, 400, "-32600"});
    expect_refused({"of a modern agent", modern_headers("tools/list"),
                    "[" + modern_request("tools/list", "2026-07-28") + "]", 400, "-32600"});
    const std::string old_session = new_session("2025-03-26");
    expect_refused({"an empty one", old_session, "[]", 400, "-32600"});
    expect_refused({"a number in it", old_session, "[1]", 400, "-32600"});

    const HttpExchange allowed =
        http_exchange(port(), {.headers = std::string{kToken} + old_session, .body = batch});
    EXPECT_EQ(allowed.status(), 200);
    EXPECT_NE(allowed.body().find(R"("id":1,"result":{})"), std::string::npos) << allowed.body();
}

TEST_F(BadInputHttpTest, RunsNothingOfABatchWithAnInvalidPart) {
    const std::string old_session = new_session("2025-03-26");
    HttpExchange call{
        port(), http_text(port(), {.headers = std::string{kToken} + old_session,
                                   .body = R"({"jsonrpc":"2.0","id":77,"method":"tools/call",)"
                                           R"("params":{"name":"progress","arguments":)"
                                           R"({"steps":100000,"ms":1},)"
                                           R"("_meta":{"progressToken":1}}})"})};
    while (call.take_message().empty()) {
        ASSERT_TRUE(call.advance());
    }
    const std::string cancellation =
        R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":77}})";

    expect_refused({"a number after it", old_session, "[" + cancellation + ",1]", 400, "-32600"});

    EXPECT_EQ(agent().call("cancel_count"), "0");
    const HttpExchange valid = http_exchange(
        port(), {.headers = std::string{kToken} + old_session, .body = "[" + cancellation + "]"});
    EXPECT_EQ(valid.status(), 202);
    EXPECT_TRUE(eventually([this] { return agent().call("cancel_count") == "1"; }));
}

TEST_F(BadInputHttpTest, RefusesClientsWithoutPermission) {
    const std::string length = "Content-Type: application/json\r\nContent-Length: 0\r\n\r\n";
    EXPECT_EQ(status_of(head_with("Host: evil.example.com\r\n") + length), 403);
    EXPECT_EQ(status_of(head_with("") + length), 400) << "no Host at all";
    EXPECT_EQ(status_of(head_with(host_line() + "Origin: http://evil.example.com\r\n") + length),
              403);
    EXPECT_EQ(status_of(head_with(host_line() + "Origin: null\r\n") + length), 403);
    for (const char* token :
         {"", "Authorization: Bearer wrong\r\n", "Authorization: Basic YQ==\r\n",
          "Authorization: Bearer alice's long secre\r\n", "Authorization: Bearer\r\n"}) {
        EXPECT_EQ(status_of("POST /mcp HTTP/1.1\r\n" + host_line() + token + length), 401) << token;
        EXPECT_EQ(status_of("GET /ws HTTP/1.1\r\n" + host_line() + token + "\r\n"), 401) << token;
    }
    EXPECT_EQ(WebSocketFrames(port(), Upgrade{}).status(), 401);
    EXPECT_EQ(WebSocketFrames(
                  port(), {.headers = std::string{kToken} + "Origin: http://evil.example.com\r\n"})
                  .status(),
              403);
}

TEST_F(BadInputHttpTest, RefusesWrongPathsMethodsAndTypes) {
    EXPECT_EQ(status_of(head_with(host_line(), "GET /elsewhere HTTP/1.1") + "\r\n"), 404);
    EXPECT_EQ(status_of(head_with(host_line(), "GET /mcp/../secret HTTP/1.1") + "\r\n"), 404);
    EXPECT_EQ(status_of(head_with(host_line(), "PUT /mcp HTTP/1.1") + "Content-Length: 0\r\n\r\n"),
              405);
    EXPECT_EQ(status_of(head_with(host_line(), "GET /mcp HTTP/1.1") + "\r\n"), 405)
        << "there is no session";
    const std::string ping =
        "Content-Length: " + std::to_string(kPing.size()) + "\r\n\r\n" + std::string{kPing};
    EXPECT_EQ(status_of(head_with(host_line()) + session() + "Content-Type: text/plain\r\n" + ping),
              415);
    EXPECT_EQ(status_of(head_with(host_line()) + session() + ping), 415) << "no Content-Type";
    EXPECT_EQ(status_of("POST /mcp HTTP/1.1\r\n" + host_line() + std::string{kToken} + session() +
                        "Accept: text/html\r\nContent-Type: application/json\r\n" + ping),
              406);
}

TEST_F(BadInputHttpTest, RefusesUnknownSessionsAndVersions) {
    const std::string ping{kPing};
    expect_refused({"no session", "", ping, 400, "-32000"});
    expect_refused({"an unknown session", "Mcp-Session-Id: 0123456789abcdef0123456789abcdef\r\n",
                    ping, 404, "-32001"});
    expect_refused({"an unknown version", session() + "MCP-Protocol-Version: 1999-01-01\r\n", ping,
                    400, "-32000"});
    const std::string ended = new_session("2025-11-25");
    EXPECT_EQ(status_of(head_with(host_line(), "DELETE /mcp HTTP/1.1") + ended + "\r\n") / 100, 2);
    expect_refused({"a session that has ended", ended, ping, 404, "-32001"});
}

TEST_F(BadInputHttpTest, ReplaysAStreamThatHasEnded) {
    const HttpExchange called = http_exchange(
        port(), {.headers = std::string{kToken} + session(),
                 .body = R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{)"
                         R"("name":"test_tool_with_progress","_meta":{"progressToken":7}}})"});
    ASSERT_NE(called.body().find("executed successfully"), std::string::npos) << called.body();

    const HttpExchange again = http_exchange(
        port(),
        {.method = "GET", .headers = std::string{kToken} + session() + "Last-Event-ID: 1-0\r\n"});

    EXPECT_TRUE(again.is_complete());
    EXPECT_NE(again.body().find("executed successfully"), std::string::npos) << again.body();
}

TEST_F(BadInputHttpTest, AnswersLegacyFaultsInTheMessage) {
    const std::vector<BadRequest> rows{
        {"an unknown method", session(), R"({"jsonrpc":"2.0","id":1,"method":"tools/eat"})", 200,
         "-32601"},
        {"a modern method", session(), R"({"jsonrpc":"2.0","id":1,"method":"server/discover"})",
         200, "-32601"},
        {"an unknown cursor", session(),
         R"({"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":"nonsense"}})", 200,
         "-32602"},
        {"a cursor that is not text", session(),
         R"({"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":7}})", 200, "-32602"},
        {"an unknown tool", session(),
         R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"nothing"}})", 200,
         "-32602"},
        {"arguments in a list", session(),
         R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo",)"
         R"("arguments":[]}})",
         200, "-32602"},
        {"an unknown resource", session(),
         R"({"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"x:y"}})", 200,
         "-32002"},
    };
    for (const BadRequest& row : rows) {
        expect_refused(row);
    }
}

TEST_F(BadInputHttpTest, ChecksModernRequestsAtTheEdge) {
    const std::string now = "2026-07-28";
    const std::string name = R"("name":"echo","arguments":{"text":"x"},)";
    const std::vector<BadRequest> rows{
        {"no version header", "Mcp-Method: tools/list\r\n", modern_request("tools/list", now), 400,
         "-32020"},
        {"another version header", modern_headers("tools/list", "2025-11-25"),
         modern_request("tools/list", now), 400, "-32020"},
        {"no method header", "MCP-Protocol-Version: 2026-07-28\r\n",
         modern_request("tools/list", now), 400, "-32020"},
        {"another method header", modern_headers("tools/call"), modern_request("tools/list", now),
         400, "-32020"},
        {"no name header", modern_headers("tools/call"), modern_request("tools/call", now, name),
         400, "-32020"},
        {"another name header", modern_headers("tools/call") + "Mcp-Name: crash\r\n",
         modern_request("tools/call", now, name), 400, "-32020"},
        {"a name header that cannot be read",
         modern_headers("tools/call") + "Mcp-Name: =?base64?###?=\r\n",
         modern_request("tools/call", now, name), 400, "-32020"},
        {"an argument's header is missing",
         modern_headers("tools/call") + "Mcp-Name: test_x_mcp_header\r\n",
         modern_request("tools/call", now,
                        R"("name":"test_x_mcp_header","arguments":{"region":"eu"},)"),
         400, "-32020"},
        {"no envelope", modern_headers("tools/list"),
         R"({"jsonrpc":"2.0","id":1,"method":"tools/list"})", 400, "-32602"},
        {"half an envelope", modern_headers("tools/list"),
         R"({"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{)"
         R"("io.modelcontextprotocol/protocolVersion":"2026-07-28"}}})",
         400, "-32602"},
        {"a version of the future", modern_headers("tools/list", "2099-01-01"),
         modern_request("tools/list", "2099-01-01"), 400, "-32022"},
        {"an unknown method", modern_headers("tools/eat"), modern_request("tools/eat", now), 404,
         "-32601"},
        {"a legacy method", modern_headers("ping"), modern_request("ping", now), 404, "-32601"},
        {"the legacy opening", modern_headers("initialize"), modern_request("initialize", now), 404,
         "-32601"},
        {"an unknown cursor", modern_headers("tools/list"),
         modern_request("tools/list", now, R"("cursor":"nonsense",)"), 200, "-32602"},
        {"an unknown tool", modern_headers("tools/call") + "Mcp-Name: nothing\r\n",
         modern_request("tools/call", now, R"("name":"nothing",)"), 200, "-32602"},
        {"an unknown resource", modern_headers("resources/read") + "Mcp-Name: x:y\r\n",
         modern_request("resources/read", now, R"("uri":"x:y",)"), 200, "-32602"},
    };
    for (const BadRequest& row : rows) {
        expect_refused(row);
    }
}

TEST_F(BadInputHttpTest, RefusesAHeaderOfAMegabyte) {
    const std::string filler = "X-Filler: " + std::string(1'000'000, 'x') + "\r\n";
    EXPECT_EQ(status_of(head_with(host_line()) + filler + "\r\n"), 431);
    std::string many = head_with(host_line());
    for (int index = 0; index < 50'000; ++index) {
        many += "X-" + std::to_string(index) + ": y\r\n";
    }
    EXPECT_EQ(status_of(many + "\r\n"), 431);
    EXPECT_EQ(
        status_of("POST /" + std::string(1'000'000, 'x') + " HTTP/1.1\r\n" + host_line() + "\r\n") /
            100,
        4);
}

TEST_F(BadInputHttpTest, RefusesABodyWithATooLargeLength) {
    for (const char* length : {"8388609", "1000000000000", "99999999999999999999999"}) {
        const int status =
            status_of(head_with(host_line()) + session() +
                      "Content-Type: application/json\r\nContent-Length: " + length + "\r\n\r\n");
        EXPECT_EQ(status, std::string_view{length}.size() > 20 ? 400 : 413) << length;
    }
    EXPECT_EQ(status_of(head_with(host_line()) + session() +
                        "Content-Type: application/json\r\nContent-Length: -1\r\n\r\n"),
              400);
}

TEST_F(BadInputHttpTest, RejectsAnEndlessBody) {
    const ByteStream stream = ByteStream::connected_to(port());
    const std::string chunk = "10000\r\n" + std::string(0x10000, ' ') + "\r\n";
    ASSERT_TRUE(stream.write(head_with(host_line()) + session() +
                             "Content-Type: application/json\r\n"
                             "Transfer-Encoding: chunked\r\n\r\n"));

    std::string answer;
    std::size_t sent_bytes = 0;
    while (sent_bytes < std::size_t{1'000'000'000} && stream.write(chunk)) {
        sent_bytes += chunk.size();
        if (is_readable(stream.input(), std::chrono::milliseconds{0})) {
            break;
        }
    }

    EXPECT_TRUE(stream.read_into(answer));
    EXPECT_TRUE(answer.starts_with("HTTP/1.1 413")) << answer;
    EXPECT_LT(sent_bytes, std::size_t{100'000'000});
}

TEST_F(BadInputHttpTest, RefusesAnIdThatIsInUse) {
    AgentRequest first = tool_call("progress", R"({"steps":100000,"ms":1})");
    first.id = "7";
    first.meta = R"("progressToken":1)";
    AgentRequest second = tool_call("echo", R"({"text":"x"})");
    second.id = "7";

    agent().send(first);
    ASSERT_NE(agent().next_message_of("notifications/progress"), "") << "it runs";
    const std::string answer = agent().request(second);

    EXPECT_EQ(member_text(answer, "code"), "-32600") << answer;
    agent().cancel("7");
}

TEST_F(BadInputHttpTest, AllowsModernRequestsWithTheSameId) {
    TestAgent modern = scene().agent(kModernAgent, std::string{kToken});
    AgentRequest sleep = tool_call("sleep", R"({"ms":100})");
    sleep.id = "7";

    modern.send(sleep);
    modern.send(sleep);

    EXPECT_NE(modern.answer_to("7").find("Slept 100 ms."), std::string::npos);
    EXPECT_NE(modern.answer_to("7").find("Slept 100 ms."), std::string::npos);
}

}  // namespace
}  // namespace holdfast::test
