#include "net/http/server/http_request_head.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace holdfast::net {
namespace {

/// Returns the status with which the head is refused; 0 if it is accepted.
int refusal_of(std::string_view head) {
    HttpRequest request;
    const auto framing = parse_request_head(head, request);
    return framing ? 0 : framing.error().status;
}

HttpFraming framing_of(std::string_view head) {
    HttpRequest request;
    const auto framing = parse_request_head(head, request);
    EXPECT_TRUE(framing) << framing.error().message << "\n" << head;
    return framing ? *framing : HttpFraming{};
}

std::string with_lines(std::string_view lines) {
    return "POST /mcp HTTP/1.1\r\nHost: h\r\n" + std::string{lines} + "\r\n";
}

TEST(HttpRequestHeadTest, ParsesARequest) {
    HttpRequest request;

    const auto framing = parse_request_head(
        "POST /a/b?c=d HTTP/1.1\r\nHost: h:1\r\nEmpty:\r\nX-Y: \t z \xc3\xa9\t \r\n"
        "content-length: 12\r\n\r\n",
        request);

    ASSERT_TRUE(framing);
    EXPECT_EQ(request.method, "POST");
    EXPECT_EQ(request.target, "/a/b?c=d");
    EXPECT_EQ(request.path, "/a/b");
    EXPECT_EQ(request.headers.lines().size(), 4U);
    EXPECT_EQ(request.headers.find("empty"), "");
    EXPECT_EQ(request.headers.find("x-y"), "z \xc3\xa9");
    EXPECT_EQ(framing->content_length, 12U);
    EXPECT_TRUE(framing->keeps_alive);
    EXPECT_FALSE(framing->is_chunked);
}

TEST(HttpRequestHeadTest, FindsThePathOfEveryKindOfTarget) {
    struct Case {
        std::string target;
        std::string_view path;
    };
    for (const Case& example : {Case{"/", "/"}, Case{"*", "*"}, Case{"/a?b/c", "/a"},
                                Case{"http://h/a?b", "/a"}, Case{"http://h?x", "/"}}) {
        HttpRequest request;
        const std::string head = "GET " + example.target + " HTTP/1.1\r\nHost: h\r\n\r\n";
        EXPECT_TRUE(parse_request_head(head, request)) << example.target;
        EXPECT_EQ(request.path, example.path) << example.target;
    }
}

TEST(HttpRequestHeadTest, DeterminesWhetherTheConnectionStaysOpen) {
    EXPECT_TRUE(framing_of(with_lines("")).keeps_alive);
    EXPECT_TRUE(framing_of(with_lines("Connection: x, keep-alive\r\n")).keeps_alive);
    EXPECT_FALSE(framing_of(with_lines("Connection: x ,CLOSE\r\n")).keeps_alive);
    EXPECT_FALSE(framing_of(with_lines("Connection: x\r\nConnection: close\r\n")).keeps_alive);
    EXPECT_FALSE(framing_of("GET / HTTP/1.0\r\n\r\n").keeps_alive);
    EXPECT_TRUE(framing_of("GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n").keeps_alive);
}

TEST(HttpRequestHeadTest, RecognisesAWebSocketRequest) {
    const std::string good =
        "GET / HTTP/1.1\r\nHost: h\r\nUpgrade: WebSocket\r\nConnection: keep-alive, Upgrade\r\n"
        "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n";
    EXPECT_TRUE(framing_of(good).wants_websocket);

    for (const std::string_view missing :
         {"Upgrade: WebSocket\r\n", "Connection: keep-alive, Upgrade\r\n",
          "Sec-WebSocket-Version: 13\r\n", "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"}) {
        std::string head = good;
        head.erase(head.find(missing), missing.size());
        EXPECT_FALSE(framing_of(head).wants_websocket) << missing;
    }
    EXPECT_FALSE(framing_of("POST" + good.substr(3)).wants_websocket);
}

TEST(HttpRequestHeadTest, RecognisesChunkedBodiesAndExpectations) {
    EXPECT_TRUE(framing_of(with_lines("Transfer-Encoding: Chunked\r\n")).is_chunked);
    EXPECT_TRUE(framing_of(with_lines("Expect: 100-Continue\r\n")).expects_continue);
    EXPECT_EQ(refusal_of(with_lines("Expect: something\r\n")), 417);
}

TEST(HttpRequestHeadTest, RejectsInvalidRequestLines) {
    for (const std::string_view line :
         {"", " ", "GET", "GET /", "GET  HTTP/1.1", "GET / HTTP/1.1 ", " GET / HTTP/1.1",
          "GET / / HTTP/1.1", "GET\t/ HTTP/1.1", "G@T / HTTP/1.1", "GET /\x7f HTTP/1.1",
          "GET /\xc3\xa9 HTTP/1.1", "GET name HTTP/1.1", "GET / http/1.1", "GET / HTTP",
          "GET /\r HTTP/1.1"}) {
        EXPECT_EQ(refusal_of(std::string{line} + "\r\nHost: h\r\n\r\n"), 400) << line;
    }
    EXPECT_EQ(refusal_of("GET / HTTP/2.0\r\nHost: h\r\n\r\n"), 505);
    EXPECT_EQ(refusal_of("GET / HTTP/1.12\r\nHost: h\r\n\r\n"), 505);
}

// Some pair of servers reads each of these in two ways.
TEST(HttpRequestHeadTest, RejectsRequestSmuggling) {
    for (const std::string_view lines : {
             "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n",
             "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n",
             "Content-Length: 5\r\nContent-Length: 5\r\n",
             "Content-Length: 5\r\nContent-Length: 6\r\n",
             "Content-Length: 5, 5\r\n",
             "Content-Length: +5\r\n",
             "Content-Length: -5\r\n",
             "Content-Length: 0x5\r\n",
             "Content-Length: 5 5\r\n",
             "Content-Length: 5a\r\n",
             "Content-Length:\r\n",
             "Content-Length: 18446744073709551616\r\n",
             "Content-Length : 5\r\n",
             "Content-Length\t: 5\r\n",
             "Transfer-Encoding : chunked\r\n",
             "X: y\r\n Content-Length: 5\r\n",
             "X: y\r\n\tfolded\r\n",
             " X: y\r\n",
             "X: y\rContent-Length: 5\r\n",
             "X: y\nContent-Length: 5\r\n",
             "X: y\r\r\n",
             "X\r\n",
             ": y\r\n",
             "X y: z\r\n",
             "X\x01: z\r\n",
             "X: a\x0bz\r\n",
             "X: a\x7fz\r\n",
             "Host: other\r\n",
             "Transfer-Encoding: chunked\r\nContent-Length: 0\r\n",
         }) {
        EXPECT_EQ(refusal_of(with_lines(lines)), 400) << lines;
    }
    EXPECT_EQ(refusal_of(with_lines({"X: a\0b\r\n", 8})), 400);
    for (const std::string_view lines :
         {"Transfer-Encoding: identity\r\n", "Transfer-Encoding: gzip, chunked\r\n",
          "Transfer-Encoding: chunked, chunked\r\n", "Transfer-Encoding: xchunked\r\n",
          "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n",
          "Transfer-Encoding: \"chunked\"\r\n", "Transfer-Encoding:\r\n",
          "Transfer-Encoding: chunked;q=1\r\n"}) {
        EXPECT_EQ(refusal_of(with_lines(lines)), 501) << lines;
    }
    EXPECT_EQ(refusal_of("POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n"), 400);
    EXPECT_EQ(refusal_of("POST / HTTP/1.1\r\n\r\n"), 400);
}

TEST(HttpRequestHeadTest, RejectsTooManyLines) {
    std::string lines;
    for (int count = 0; count < 127; ++count) {
        lines += "X: y\r\n";
    }

    EXPECT_EQ(refusal_of(with_lines(lines)), 0);
    EXPECT_EQ(refusal_of(with_lines(lines + "X: y\r\n")), 431);
}

TEST(HttpHeadEndTest, FindsTheEmptyLineInAnyPieces) {
    const std::string head = "GET / HTTP/1.1\r\nHost: h\r\n\r\n";
    const std::string bytes = head + "body\r\n\r\n";
    for (std::size_t cut = 0; cut <= bytes.size(); ++cut) {
        HttpHeadEnd end;
        const auto early = end.find(bytes.substr(0, cut));
        EXPECT_EQ(early.has_value(), cut >= head.size()) << cut;
        EXPECT_EQ(early ? early : end.find(bytes), head.size()) << cut;
    }
}

TEST(HttpHeadEndTest, AcceptsABareLineFeedAsTheEnd) {
    HttpHeadEnd end;

    EXPECT_EQ(end.find("GET / HTTP/1.1\nHost: h\n\nrest"), 24U);
}

}  // namespace
}  // namespace holdfast::net
