// Bytes that are not UTF-8, from a program's log and from an API, never damage what the gateway
// writes: each answer, status, event and line of the log stays valid JSON.

#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>

#include "end_to_end/http_backend.hpp"
#include "end_to_end/scene.hpp"
#include "support/process_watch.hpp"
#include "support/test_agent/http_exchange.hpp"

namespace holdfast::test {
namespace {

constexpr AgentLeg kHttp = kAgentLegs[1];
// Literals: a reply refers to its content type.
#define HOLDFAST_FOREIGN "\xff\xc3(\xed\xa0\x80\xf0\x9f"
const std::string kForeign = HOLDFAST_FOREIGN;
constexpr std::string_view kForeignPicture = "image/" HOLDFAST_FOREIGN;
constexpr std::string_view kForeignApplication = "application/" HOLDFAST_FOREIGN;
#undef HOLDFAST_FOREIGN

bool is_json(std::string_view text) {
    boost::system::error_code error;
    std::ignore = boost::json::parse({text.data(), text.size()}, error);
    return !error;
}

class ForeignBytes : public testing::Test {
protected:
    void SetUp() override {
        backend.answer_with("GET /picture",
                            {.status = 200, .content_type = kForeignPicture, .body = "bytes"});
        backend.answer_with("GET /list",
                            {.status = 200, .content_type = kForeignApplication, .body = "[]"});
        backend.answer("GET /wrong", 500, "broken: " + kForeign);
        scene.add_server("api", R"({"type":"rest","url":")" + backend.url() +
                                    R"(","tools":[{"name":"picture","path":"/picture"},)"
                                    R"({"name":"list","path":"/list","text":"{{.}}"},)"
                                    R"({"name":"wrong","path":"/wrong"}]})");
        // The bytes in octal, for the printf of the shell.
        scene.add_server("dying", R"({"command":"sh","args":["-c",)"
                                  R"("printf 'Error: \\377\\303( is gone\\n' >&2; exit 3"]})");
        scene.add_section(R"("admin":{"http":"127.0.0.1:0"})");
        ASSERT_TRUE(scene.start({"--log-format", "json"}));
    }
    [[nodiscard]] std::string read(const std::string& path) const {
        return http_exchange(scene.admin_port(), {.method = "GET", .path = path}).body();
    }
    [[nodiscard]] TestAgent opened_agent() {
        TestAgent agent = scene.agent(kHttp);
        EXPECT_TRUE(agent.open());
        EXPECT_TRUE(agent.finds_tool("api__wrong"));
        return agent;
    }

    HttpBackend backend;
    Scene scene;
};

TEST_F(ForeignBytes, DoNotDamageAnswers) {
    TestAgent agent = opened_agent();

    for (const std::string tool : {"api__picture", "api__list", "api__wrong", "gateway_status"}) {
        const std::string answer = agent.request(tool_call(tool));
        EXPECT_TRUE(is_json(answer)) << tool << answer;
        EXPECT_FALSE(answer.empty()) << tool;
    }
    EXPECT_NE(agent.request(tool_call("api__picture")).find("image/\ufffd\ufffd(\ufffd"),
              std::string::npos);
}

TEST_F(ForeignBytes, DoNotDamageStatusEventsAndCalls) {
    TestAgent agent = opened_agent();
    for (const std::string tool : {"api__picture", "api__list", "api__wrong"}) {
        std::ignore = agent.request(tool_call(tool));
    }
    std::string status;
    ASSERT_TRUE(eventually([&] {
        status = read("/api/status");
        return status.find("( is gone") != std::string::npos;
    })) << status;

    EXPECT_TRUE(is_json(status)) << status;
    for (const std::string path :
         {"/api/events", "/api/calls", "/api/tools", "/api/series", "/api/circuits/timeline"}) {
        const std::string body = read(path);
        EXPECT_TRUE(is_json(body)) << path << body;
    }
}

TEST_F(ForeignBytes, DoNotDamageTheLog) {
    TestAgent agent = opened_agent();
    std::ignore = agent.request(tool_call("api__picture"));
    ASSERT_TRUE(
        eventually([&] { return read("/api/status").find("( is gone") != std::string::npos; }));

    EXPECT_EQ(scene.gateway().stop(), 0);

    std::istringstream log{scene.gateway().program().all_error_text()};
    for (std::string line; std::getline(log, line);) {
        EXPECT_TRUE(is_json(line)) << line;
    }
}

TEST_F(ForeignBytes, OfAnAgentDoNotDamageTheRefusal) {
    for (const std::string name : {"Mcp-Name", "Mcp-Method", "MCP-Protocol-Version", "Origin",
                                   "Mcp-Session-Id", "Content-Type"}) {
        const HttpExchange exchange = http_exchange(
            scene.port(), {.headers = name + ": " + kForeign + "\r\n",
                           .body = R"({"jsonrpc":"2.0","id":1,"method":"tools/list"})"});
        EXPECT_TRUE(exchange.body().empty() || is_json(exchange.body())) << name << exchange.body();
    }
    const HttpExchange exchange =
        http_exchange(scene.port(), {.body = R"({"id":")" + kForeign + "\"}"});
    EXPECT_TRUE(is_json(exchange.body())) << exchange.body();
}

}  // namespace
}  // namespace holdfast::test
