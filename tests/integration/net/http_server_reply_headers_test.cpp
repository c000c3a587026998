// The header lines that a handler adds to every answer, including those of the server itself.
#include <gtest/gtest.h>

#include "net/http_server.hpp"
#include "served_http.hpp"

namespace holdfast::net {
namespace {

class HttpServerReplyHeadersTest : public ServedHttpTest {
protected:
    HttpServerReplyHeadersTest() {
        handler_->keeps = true;
        handler_->echoed_header = "X-Asked";
    }

    /// Sends a request that the server itself answers.
    void expect_echo_in_refusal(const std::string& request, std::string_view status) {
        RawClient from = client();
        from.send(request);
        const std::string text = answer_until_end(from);
        EXPECT_TRUE(text.starts_with("HTTP/1.1 " + std::string{status} + " ")) << text;
        EXPECT_NE(text.find("X-Echo: me\r\n"), std::string::npos) << text;
    }
};

TEST_F(HttpServerReplyHeadersTest, FollowTheHeadersOfAReply) {
    start();
    RawClient from = client();
    from.send(post("x", "X-Asked: me\r\n"));

    next_exchange()->reply({.status = 202, .headers = "X-Own: 1\r\n", .content_type = {}});

    const std::string expected =
        "HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\nX-Own: 1\r\nX-Echo: me\r\n\r\n";
    EXPECT_EQ(answer(from, expected.size()), expected);
}

TEST_F(HttpServerReplyHeadersTest, FollowTheHeadersOfAStream) {
    start();
    RawClient from = client();
    from.send(post("x", "X-Asked: me\r\n"));

    const auto exchange = next_exchange();
    exchange->start_stream("X-Own: 1\r\n");
    exchange->finish_stream();

    const std::string expected =
        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nCache-Control: no-cache\r\n"
        "X-Accel-Buffering: no\r\nTransfer-Encoding: chunked\r\nX-Own: 1\r\nX-Echo: me\r\n\r\n"
        "0\r\n\r\n";
    EXPECT_EQ(answer(from, expected.size()), expected);
}

TEST_F(HttpServerReplyHeadersTest, AreInARefusalOfTheHandler) {
    handler_->refusal = HttpReply{.status = 401, .headers = "X-Own: 1\r\n", .content_type = {}};
    start();
    RawClient from = client();

    expect_answer(from, post("x", "X-Asked: me\r\n"),
                  "HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\nX-Own: 1\r\nX-Echo: me\r\n"
                  "\r\n");
}

TEST_F(HttpServerReplyHeadersTest, AreInARefusalOfTheServer) {
    start({.max_body_bytes = 10});
    const std::string chunked =
        "POST / HTTP/1.1\r\nHost: h\r\nX-Asked: me\r\nTransfer-Encoding: chunked\r\n\r\n";

    expect_echo_in_refusal(post("0123456789A", "X-Asked: me\r\n"), "413");
    expect_echo_in_refusal(chunked + "b\r\n0123456789A\r\n", "413");
    expect_echo_in_refusal(chunked + "zz\r\n", "400");
}

TEST_F(HttpServerReplyHeadersTest, AreInTheAnswerForADroppedExchange) {
    start();
    RawClient from = client();
    from.send(post("x", "X-Asked: me\r\nConnection: close\r\n"));

    next_exchange().reset();

    const std::string text = answer_until_end(from);
    EXPECT_TRUE(text.starts_with("HTTP/1.1 500 ")) << text;
    EXPECT_NE(text.find("X-Echo: me\r\n"), std::string::npos) << text;
}

TEST_F(HttpServerReplyHeadersTest, BelongToTheAnsweredRequest) {
    start();
    RawClient from = client();

    from.send(post("x", "X-Asked: me\r\n"));
    next_exchange()->reply({});
    const std::string with = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nX-Echo: me\r\n\r\n";
    EXPECT_EQ(answer(from, with.size()), with);
    from.send(post("y"));
    next_exchange()->reply({.body = "y"});
    EXPECT_EQ(answer(from, ok("y").size()), ok("y"));
}

TEST_F(HttpServerReplyHeadersTest, AreNotRequestedWithoutARequest) {
    start({.max_header_bytes = 8'192});

    expect_refusal("POST /" + std::string(10'000, 'x'), 431);
    expect_refusal("nonsense\r\n\r\n", 400);
}

}  // namespace
}  // namespace holdfast::net
