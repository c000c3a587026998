// Requests and answers when a page of another origin calls `/mcp` from a browser.

#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "end_to_end/scene.hpp"
#include "support/test_agent/http_exchange.hpp"

namespace holdfast::test {
namespace {

constexpr std::string_view kOwnPage = "http://localhost:3000";  // of this machine
constexpr std::string_view kNamedPage = "https://ide.example";  // listed in the config
constexpr std::string_view kStranger = "https://evil.example";
constexpr std::string_view kToken = "Authorization: Bearer alice's long secret\r\n";
constexpr std::string_view kInitialize =
    R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25",)"
    R"("capabilities":{},"clientInfo":{"name":"page","version":"1"}}})";

std::string origin_line(std::string_view origin) {
    return "Origin: " + std::string{origin} + "\r\n";
}

std::string preflight_lines(std::string_view origin) {
    return origin_line(origin) +
           "Access-Control-Request-Method: POST\r\n"
           "Access-Control-Request-Headers: authorization,content-type,mcp-param-region\r\n";
}

void expect_readable(const HttpExchange& answer, std::string_view origin) {
    EXPECT_EQ(answer.header("Access-Control-Allow-Origin"), origin) << answer.head();
    EXPECT_EQ(answer.header("Vary"), "Origin") << answer.head();
    EXPECT_EQ(answer.header("Access-Control-Expose-Headers"), "Mcp-Session-Id, WWW-Authenticate")
        << answer.head();
    EXPECT_EQ(answer.head().find("Access-Control-Allow-Credentials"), std::string::npos);
}

void expect_unreadable(const HttpExchange& answer) {
    EXPECT_EQ(answer.head().find("Access-Control-"), std::string::npos) << answer.head();
    EXPECT_EQ(answer.head().find("Vary"), std::string::npos) << answer.head();
}

/// The parameter says whether the config names tokens.
class CrossOriginTest : public testing::TestWithParam<bool> {
protected:
    void SetUp() override {
        scene_.add_fixture("fixture", kServerLegs[0]);
        const std::string tokens = R"(,"tokens":{"alice":"alice's long secret"})";
        scene_.add_section(R"("agents":{"pages":"loopback","origins":["https://ide.example"])" +
                           (has_token() ? tokens : std::string{}) + "}");
        ASSERT_TRUE(scene_.start());
    }
    void TearDown() override { EXPECT_EQ(scene_.gateway().stop(), 0); }

    [[nodiscard]] static bool has_token() { return GetParam(); }
    [[nodiscard]] HttpExchange exchange(const HttpRequest& request) const {
        return http_exchange(scene_.port(), request);
    }
    /// Sends bytes that `http_text` would not write.
    [[nodiscard]] HttpExchange raw_exchange(const std::string& bytes) const {
        HttpExchange answer{scene_.port(), bytes};
        std::ignore = answer.complete();  // the head shows a failure
        return answer;
    }
    [[nodiscard]] HttpExchange preflight(std::string_view origin,
                                         const std::string& path = "/mcp") const {
        return exchange({.method = "OPTIONS", .path = path, .headers = preflight_lines(origin)});
    }
    /// Adds the token if one is needed.
    [[nodiscard]] HttpExchange exchange_of(std::string_view origin, HttpRequest request) const {
        request.headers += origin_line(origin) + std::string{has_token() ? kToken : ""};
        return exchange(request);
    }
    /// Opens a session of a page and returns its header line.
    [[nodiscard]] std::string session_line() const {
        const HttpExchange opened = exchange_of(kOwnPage, {.body = std::string{kInitialize}});
        return "Mcp-Session-Id: " + opened.header("Mcp-Session-Id") + "\r\n";
    }
    [[nodiscard]] Scene& scene() { return scene_; }

private:
    Scene scene_;
};

INSTANTIATE_TEST_SUITE_P(With, CrossOriginTest, testing::Bool(),
                         [](const auto& row) { return row.param ? "AToken" : "NoToken"; });

TEST_P(CrossOriginTest, AnswersAPreflightWithoutAToken) {
    for (const std::string_view origin : {kOwnPage, kNamedPage}) {
        const HttpExchange answer = preflight(origin);

        EXPECT_EQ(answer.status(), 204);
        EXPECT_EQ(answer.body(), "");
        expect_readable(answer, origin);
        EXPECT_EQ(answer.header("Access-Control-Allow-Methods"), "GET, POST, DELETE");
        EXPECT_TRUE(answer.header("Access-Control-Allow-Headers").ends_with(", mcp-param-region"));
        EXPECT_EQ(answer.header("Access-Control-Max-Age"), "7200");
    }
}

TEST_P(CrossOriginTest, RejectsAPreflightOfAnotherOrigin) {
    for (const std::string_view origin : {kStranger, std::string_view{"null"}}) {
        const HttpExchange answer = preflight(origin);
        EXPECT_EQ(answer.status(), 403);
        expect_unreadable(answer);
    }
    const HttpExchange rebound = raw_exchange("OPTIONS /mcp HTTP/1.1\r\nHost: evil.example\r\n" +
                                              preflight_lines(kOwnPage) + "\r\n");
    EXPECT_EQ(rebound.status(), 403);
    EXPECT_EQ(rebound.header("Access-Control-Allow-Methods"), "");
}

TEST_P(CrossOriginTest, AnswersNoPreflightOnOtherPaths) {
    for (const char* path : {"/ws", "/healthz", "/"}) {
        const HttpExchange answer = preflight(kOwnPage, path);
        EXPECT_NE(answer.status(), 204) << path;
        expect_unreadable(answer);
    }
}

TEST_P(CrossOriginTest, LetsAPageReadTheAnswersToItsCalls) {
    const HttpExchange opened = exchange_of(kNamedPage, {.body = std::string{kInitialize}});
    EXPECT_EQ(opened.status(), 200);
    expect_readable(opened, kNamedPage);
    const std::string session = "Mcp-Session-Id: " + opened.header("Mcp-Session-Id") + "\r\n";

    const HttpExchange noted = exchange_of(
        kNamedPage,
        {.headers = session, .body = R"({"jsonrpc":"2.0","method":"notifications/initialized"})"});
    EXPECT_EQ(noted.status(), 202);
    expect_readable(noted, kNamedPage);
    const HttpExchange listed = exchange_of(
        kNamedPage,
        {.headers = session, .body = R"({"jsonrpc":"2.0","id":2,"method":"tools/list"})"});
    EXPECT_EQ(listed.status(), 200);
    expect_readable(listed, kNamedPage);
    const HttpExchange ended = exchange_of(kNamedPage, {.method = "DELETE", .headers = session});
    EXPECT_EQ(ended.status(), 200);
    expect_readable(ended, kNamedPage);
}

TEST_P(CrossOriginTest, LetsAPageReadStreams) {
    const std::string session = session_line();
    TestAgent agent = scene().agent(kAgentLegs[4], std::string{has_token() ? kToken : ""});
    ASSERT_TRUE(agent.open());
    ASSERT_TRUE(agent.finds_tool("test_tool_with_progress"));

    const HttpExchange called = exchange_of(
        kOwnPage, {.headers = session,
                   .body = R"({"jsonrpc":"2.0","id":2,"method":"tools/call","params":{)"
                           R"("name":"test_tool_with_progress","_meta":{"progressToken":7}}})"});
    EXPECT_EQ(called.header("Content-Type"), "text/event-stream");
    EXPECT_NE(called.body().find("executed successfully"), std::string::npos) << called.body();
    expect_readable(called, kOwnPage);

    HttpExchange listening{
        scene().port(),
        http_text(scene().port(), {.method = "GET",
                                   .headers = session + origin_line(kOwnPage) +
                                              std::string{has_token() ? kToken : ""}})};
    while (listening.status() == 0 && listening.advance()) {
    }
    EXPECT_EQ(listening.header("Content-Type"), "text/event-stream");
    expect_readable(listening, kOwnPage);
}

TEST_P(CrossOriginTest, LetsAPageReadWhyItIsRejected) {
    struct Refused {
        int status = 0;
        HttpRequest request = {};
    };
    const std::string ping = R"({"jsonrpc":"2.0","id":1,"method":"ping"})";
    for (const Refused& row : std::vector<Refused>{
             {400, {.body = "no message"}},
             {400, {.body = ping}},
             {404, {.headers = "Mcp-Session-Id: unknown\r\n", .body = ping}},
             {405, {.method = "GET"}},
             {405, {.method = "PUT"}},
             {405, {.method = "OPTIONS"}},  // not a preflight
         }) {
        const HttpExchange answer = exchange_of(kOwnPage, row.request);
        EXPECT_EQ(answer.status(), row.status) << answer.head();
        expect_readable(answer, kOwnPage);
    }
    const HttpExchange too_large = raw_exchange(
        "POST /mcp HTTP/1.1\r\nHost: localhost\r\n" + origin_line(kOwnPage) + std::string{kToken} +
        "Content-Type: application/json\r\nContent-Length: 999999999999\r\n\r\n");
    EXPECT_EQ(too_large.status(), 413);
    expect_readable(too_large, kOwnPage);
}

TEST_P(CrossOriginTest, LetsAPageReadThatItsTokenIsMissing) {
    const HttpExchange answer =
        exchange({.headers = origin_line(kOwnPage), .body = std::string{kInitialize}});

    EXPECT_EQ(answer.status(), has_token() ? 401 : 200);
    EXPECT_EQ(answer.header("WWW-Authenticate"), has_token() ? "Bearer" : "");
    expect_readable(answer, kOwnPage);
}

TEST_P(CrossOriginTest, RejectsOtherPagesWithoutCorsHeaders) {
    const HttpExchange answer = exchange_of(kStranger, {.body = std::string{kInitialize}});

    EXPECT_EQ(answer.status(), 403);
    expect_unreadable(answer);
}

TEST_P(CrossOriginTest, SendsNoCorsHeadersToPrograms) {
    const std::string token{has_token() ? kToken : ""};
    const HttpExchange opened = exchange({.headers = token, .body = std::string{kInitialize}});
    EXPECT_EQ(opened.head(),
              "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: " +
                  std::to_string(opened.body().size()) +
                  "\r\nMcp-Session-Id: " + opened.header("Mcp-Session-Id") + "\r\n");
    const HttpExchange unknown = exchange({.headers = token + "Mcp-Session-Id: unknown\r\n",
                                           .body = R"({"jsonrpc":"2.0","id":1,"method":"ping"})"});
    EXPECT_EQ(unknown.status(), 404);
    expect_unreadable(unknown);
    const HttpExchange options = exchange(
        {.method = "OPTIONS", .headers = token + "Access-Control-Request-Method: POST\r\n"});
    EXPECT_EQ(options.status(), 405);
    expect_unreadable(options);
}

}  // namespace
}  // namespace holdfast::test
