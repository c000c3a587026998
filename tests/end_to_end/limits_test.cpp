// Limits of the config that only the whole gateway can show.

#include <charconv>
#include <cstddef>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "end_to_end/scene.hpp"
#include "support/process_watch.hpp"
#include "support/test_agent/http_exchange.hpp"
#include "support/test_agent/json_text.hpp"

namespace holdfast::test {
namespace {

constexpr AgentLeg kModernAgent = kAgentLegs[4];

std::string modern_call(const std::string& tool, const std::string& arguments) {
    return R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":")" + tool +
           R"(","arguments":)" + arguments +
           R"(,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
           R"("io.modelcontextprotocol/clientCapabilities":{}}}})";
}

std::string modern_headers(const std::string& tool) {
    return "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: " + tool +
           "\r\n";
}

std::string nested(std::size_t depth) {
    return R"({"text":"a","deep":)" + std::string(depth, '[') + std::string(depth, ']') + "}";
}

std::size_t buffered_bytes(const Scene& scene) {
    const HttpExchange status =
        http_exchange(scene.admin_port(), {.method = "GET", .path = "/api/status"});
    const std::string digits = member_text(status.body(), "used_bytes");
    std::size_t bytes = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), bytes);
    return bytes;
}

TEST(LimitsTest, RefusesAMessageThatIsNestedTooDeeply) {
    Scene scene;
    scene.add_fixture("fixture", kServerLegs[0]);
    scene.add_section(R"("limits":{"jsonDepth":16})");
    ASSERT_TRUE(scene.start({"--loops", "2"}));
    TestAgent agent = scene.agent(kModernAgent);
    ASSERT_TRUE(agent.open());
    ASSERT_TRUE(agent.finds_tool("echo"));

    // Each loop has its own reader: a few connections reach both.
    for (int count = 0; count < 4; ++count) {
        const HttpExchange deep = http_exchange(
            scene.port(),
            {.headers = modern_headers("echo"), .body = modern_call("echo", nested(20))});
        EXPECT_EQ(deep.status(), 400) << deep.body();
        EXPECT_NE(deep.body().find("16 levels of nesting"), std::string::npos) << deep.body();
    }
    const HttpExchange flat = http_exchange(
        scene.port(), {.headers = modern_headers("echo"), .body = modern_call("echo", nested(10))});
    EXPECT_EQ(flat.status(), 200) << flat.body();
    EXPECT_EQ(scene.gateway().stop(), 0);
}

TEST(LimitsTest, RefusesLargeBodiesWhenBuffersRunOut) {
    constexpr std::size_t kLarge = std::size_t{700} * 1024;
    Scene scene;
    scene.add_fixture("fixture", kServerLegs[5]);
    scene.add_section(
        R"("limits":{"allBuffers":"1MB","agentMessage":"1MB","downstreamMessage":"1MB"})");
    scene.add_section(R"("admin":{"http":"127.0.0.1:0"})");
    ASSERT_TRUE(scene.start());
    TestAgent agent = scene.agent(kModernAgent);
    ASSERT_TRUE(agent.open());
    ASSERT_TRUE(agent.finds_tool("echo"));
    const std::string request =
        modern_call("whoami", R"({"padding":")" + std::string(kLarge, 'x') + R"("})");

    // An incomplete body keeps its share of the budget.
    HttpExchange first{scene.port(),
                       "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\n"
                       "Content-Type: application/json\r\n"
                       "Accept: application/json, text/event-stream\r\n" +
                           modern_headers("whoami") + "Content-Length: " +
                           std::to_string(request.size() + 1) + "\r\n\r\n" + request};
    ASSERT_TRUE(eventually([&scene] { return buffered_bytes(scene) >= kLarge; }));

    const HttpExchange second =
        http_exchange(scene.port(), {.headers = modern_headers("whoami"), .body = request});
    EXPECT_EQ(second.status(), 503) << second.body();
    EXPECT_EQ(agent.call("echo", R"({"text":"small"})"), "small");
    const std::string answer = agent.request(tool_call("big", R"({"bytes":716800})"));
    EXPECT_NE(answer.find("OVERLOADED"), std::string::npos) << answer.substr(0, 500);

    ASSERT_TRUE(first.stream().write("\n"));
    ASSERT_TRUE(first.complete());
    EXPECT_EQ(first.status(), 200) << first.body().substr(0, 300);
    EXPECT_EQ(scene.gateway().stop(), 0);
}

TEST(LimitsTest, AServerCanDoWithoutAPrefix) {
    Scene scene;
    scene.add_server("plain", R"({"prefix":false,)" + Scene::stdio_entry({}).substr(1));
    scene.add_fixture("other", kServerLegs[0]);
    ASSERT_TRUE(scene.start());
    TestAgent agent = scene.agent(kModernAgent);
    ASSERT_TRUE(agent.open());

    EXPECT_TRUE(agent.finds_tool("other__echo"));
    EXPECT_TRUE(agent.finds_tool("echo"));
    EXPECT_EQ(scene.gateway().stop(), 0);
}

}  // namespace
}  // namespace holdfast::test
