#include "net/http_server.hpp"

#include <gtest/gtest.h>

#include "served_http.hpp"

namespace holdfast::net {
namespace {

class HttpServerTest : public ServedHttpTest {};

TEST_F(HttpServerTest, AnswersRequestsOfAPersistentConnection) {
    start();
    RawClient from = client();

    expect_answer(from, post("one"), ok("one"));
    expect_answer(from, post("two"), ok("two"));

    EXPECT_EQ(server_->connection_count(), 1U);
}

TEST_F(HttpServerTest, PassesTheRequestAsWritten) {
    start();
    handler_->keeps = true;
    RawClient from = client();
    from.send(post("body", "X-Mark:  a b \r\nx-mark: c\r\n"));

    const auto exchange = next_exchange();

    const HttpRequest& request = exchange->request();
    EXPECT_EQ(request.method, "POST");
    EXPECT_EQ(request.target, "/mcp?x=1");
    EXPECT_EQ(request.path, "/mcp");
    EXPECT_EQ(request.headers.find("X-MARK"), "a b");
    EXPECT_EQ(request.headers.count("x-mark"), 2U);
    EXPECT_EQ(request.headers.find("missing"), std::nullopt);
    EXPECT_EQ(request.body, "body");
    EXPECT_GE(request.body.capacity(), request.body.size() + HttpRequest::kBodyPadding);
}

TEST_F(HttpServerTest, KeepsTheRequestValidWhileItsExchangeIsHeld) {
    start();
    handler_->keeps = true;
    RawClient from = client();
    from.send(post("first"));
    const auto first = next_exchange();
    first->reply({});
    from.send(post("other", "X-Other: 1\r\n"));

    const auto second = next_exchange();

    EXPECT_EQ(first->request().target, "/mcp?x=1");
    EXPECT_EQ(first->request().headers.find("host"), "here");
    second->reply({});
}

TEST_F(HttpServerTest, AnswersPipelinedRequestsInOrderOneAtATime) {
    start();
    handler_->keeps = true;
    RawClient from = client();
    from.send(post("a") + post("b") + post("c"));

    for (const std::string body : {"a", "b", "c"}) {
        const auto exchange = next_exchange();
        settle();
        EXPECT_TRUE(handler_->kept.empty());
        exchange->reply({.body = exchange->request().body});
    }

    const std::string expected = ok("a") + ok("b") + ok("c");
    EXPECT_EQ(answer(from, expected.size()), expected);
}

TEST_F(HttpServerTest, AnswersAFloodOfPipelinedRequests) {
    start();
    RawClient from = client();
    std::string requests;
    std::string expected;
    for (int index = 0; index < 2'000; ++index) {
        requests += post(std::to_string(index));
        expected += ok(std::to_string(index));
    }

    std::size_t sent = 0;
    std::string received;
    run_until([&] {
        sent += from.send(std::string_view{requests}.substr(sent));
        from.receive();
        return from.received().size() >= expected.size();
    });

    EXPECT_EQ(from.received(), expected);
}

TEST_F(HttpServerTest, ReadsARequestThatIsCutAtEveryByte) {
    start();
    const std::string chunked =
        "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
        "3;x=y\r\nabc\r\nA\r\n0123456789\r\n0\r\nTrailer: t\r\n\r\n";
    const std::string requests = post("{\"a\":1}") + chunked + "\r\n" + post("");
    RawClient from = client();

    for (const char byte : requests) {
        from.send({&byte, 1});
        settle();
    }

    const std::string expected =
        ok("{\"a\":1}") + ok("abc0123456789") + "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
    EXPECT_EQ(answer(from, expected.size()), expected);
}

TEST_F(HttpServerTest, ReadsARequestThatIsCutInTwoAnywhere) {
    start();
    const std::string request = post("0123456789", "X: y\r\n");
    const std::string expected = ok("0123456789");
    RawClient from = client();

    for (std::size_t cut = 1; cut < request.size(); ++cut) {
        from.send(request.substr(0, cut));
        settle();
        expect_answer(from, request.substr(cut), expected);
    }
}

TEST_F(HttpServerTest, AcceptsLargeBodiesOfBothKinds) {
    start({.max_body_bytes = 3'000'000});
    const std::string body(2'000'000, 'x');
    std::string chunked = "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n";
    chunked += "1E8480\r\n" + body + "\r\n0\r\n\r\n";

    for (const std::string& request : {post(body), chunked}) {
        RawClient from = client();
        std::size_t sent = 0;
        run_until([&] {
            sent += from.send(std::string_view{request}.substr(sent));
            from.receive();
            return from.received().size() >= ok(body).size() || from.has_ended();
        });
        EXPECT_EQ(from.received(), ok(body));
    }
}

TEST_F(HttpServerTest, WritesTheHeadersAndTheStatusOfAReply) {
    start();
    handler_->keeps = true;
    RawClient from = client();
    from.send(post("x"));

    next_exchange()->reply(
        {.status = 404, .headers = "X-A: b\r\n", .content_type = "text/plain", .body = "no"});

    const std::string expected =
        "HTTP/1.1 404 Not Found\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n"
        "X-A: b\r\n\r\nno";
    EXPECT_EQ(answer(from, expected.size()), expected);
}

TEST_F(HttpServerTest, OmitsTheBodyForStatusesWithoutOne) {
    start();
    handler_->keeps = true;
    RawClient from = client();
    from.send("HEAD / HTTP/1.1\r\nHost: h\r\n\r\n");
    next_exchange()->reply({.body = "text"});
    from.send("DELETE / HTTP/1.1\r\nHost: h\r\n\r\n");
    next_exchange()->reply({.status = 204, .body = "text"});

    const std::string expected =
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 4\r\n\r\n"
        "HTTP/1.1 204 No Content\r\nContent-Type: application/json\r\n\r\n";
    EXPECT_EQ(answer(from, expected.size()), expected);
}

TEST_F(HttpServerTest, ClosesIfTheClientRequestsIt) {
    start();
    RawClient from = client();
    from.send(post("x", "Connection: Close\r\n") + post("y"));

    const std::string text = answer_until_end(from);

    EXPECT_NE(text.find("Connection: close\r\n\r\nx"), std::string::npos) << text;
    EXPECT_EQ(text.find("\r\n\r\ny"), std::string::npos) << text;
    from.close();
    run_until([&] { return server_->connection_count() == 0; });
}

TEST_F(HttpServerTest, ServesVersion10) {
    start();
    RawClient once = client();
    once.send("POST / HTTP/1.0\r\nContent-Length: 1\r\n\r\nx");
    const std::string text = answer_until_end(once);
    RawClient kept = client();

    kept.send("POST / HTTP/1.0\r\nConnection: keep-alive\r\nContent-Length: 1\r\n\r\nx");

    EXPECT_NE(text.find("Connection: close\r\n\r\nx"), std::string::npos) << text;
    const std::string expected =
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 1\r\n"
        "Connection: keep-alive\r\n\r\nx";
    EXPECT_EQ(answer(kept, expected.size()), expected);
}

TEST_F(HttpServerTest, SendsContinueToAClientThatExpectsIt) {
    start();
    RawClient from = client();
    const std::string continued = "HTTP/1.1 100 Continue\r\n\r\n";
    expect_answer(from,
                  "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n",
                  continued);

    expect_answer(from, "ab", ok("ab"));
}

TEST_F(HttpServerTest, LetsTheHandlerRefuseBeforeTheBody) {
    start();
    handler_->refusal = HttpReply{.status = 401, .body = "no"};
    RawClient waiting = client();
    RawClient complete = client();

    waiting.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\n");
    complete.send(post("ab") + post("cd"));

    // The server does not wait for a body that did not arrive, and skips one that did.
    EXPECT_NE(answer_until_end(waiting).find("Connection: close"), std::string::npos);
    const std::string refused =
        "HTTP/1.1 401 Unauthorized\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n"
        "no";
    EXPECT_EQ(answer(complete, refused.size() * 2), refused + refused);
    EXPECT_EQ(handler_->asked_count, 3);
}

TEST_F(HttpServerTest, ListensOnIpv6) {
    auto server = HttpServer::listen({loop()}, {.address = "::1"}, handler_);
    if (!server && server.error().system_code == EADDRNOTAVAIL) {
        GTEST_SKIP() << "this machine has no IPv6";
    }
    ASSERT_TRUE(server) << server.error().message;

    EXPECT_NE((*server)->port(), 0);
}

TEST_F(HttpServerTest, ReportsWhyItCannotListen) {
    start();

    const auto taken = HttpServer::listen({loop()}, {.port = server_->port()}, handler_);
    const auto name = HttpServer::listen({loop()}, {.address = "nowhere.example"}, handler_);

    ASSERT_FALSE(taken);
    EXPECT_NE(taken.error().message.find("127.0.0.1 port " + std::to_string(server_->port())),
              std::string::npos);
    ASSERT_FALSE(name);
    EXPECT_EQ(name.error().code, NetErrc::invalid_request);
    EXPECT_NE(name.error().message.find("nowhere.example"), std::string::npos);
}

}  // namespace
}  // namespace holdfast::net
