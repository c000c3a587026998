#include "net/http_client.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "client_loop.hpp"
#include "support/scripted_server.hpp"

namespace holdfast::net {
namespace {

namespace asio = boost::asio;
using test::http_answer;

class HttpClientTest : public ::testing::Test {
protected:
    asio::awaitable<Fetched> fetching(HttpClientRequest request = {},
                                      resilience::Duration limit = 10s) {
        return fetch(client_, loop_.loop(), std::move(request), loop_.within(limit));
    }
    Fetched fetched(HttpClientRequest request = {}, resilience::Duration limit = 10s) {
        return loop_.run(fetching(std::move(request), limit));
    }
    void use(const HttpClientOptions& options) { client_ = client_of(server_.url(), options); }

    ClientLoop loop_;
    test::ScriptedServer server_{loop_.context()};
    std::shared_ptr<HttpClient> client_ = client_of(server_.url("/mcp"));
};

TEST_F(HttpClientTest, SendsHeadAndBody) {
    server_.answer(http_answer("pong", "X-Mark: 1\r\n"));

    const Fetched got = fetched({.headers = "Accept: text/plain\r\n", .body = "ping"});

    EXPECT_EQ(got.status, 200);
    EXPECT_EQ(got.body, "pong");
    ASSERT_EQ(server_.requests().size(), 1U);
    EXPECT_EQ(server_.requests()[0],
              "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(server_.port()) +
                  "\r\nAccept: text/plain\r\nContent-Length: 4\r\n\r\nping");
}

TEST_F(HttpClientTest, ReusesTheConnection) {
    for (int round = 0; round < 5; ++round) {
        server_.answer(http_answer("pong " + std::to_string(round)));
        EXPECT_EQ(fetched({.target = "/a", .body = "x"}).body, "pong " + std::to_string(round));
    }

    EXPECT_EQ(server_.accepted_count(), 1U);
}

TEST_F(HttpClientTest, ReusesTheConnectionAfterAnAnswerWithoutBody) {
    server_.answer("HTTP/1.1 204 No Content\r\n\r\n");
    server_.answer("HTTP/1.1 304 Not Modified\r\nContent-Length: 12\r\n\r\n");
    server_.answer("HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n");

    EXPECT_EQ(fetched().status, 204);
    EXPECT_EQ(fetched().status, 304);
    EXPECT_EQ(fetched().status, 202);

    EXPECT_EQ(server_.accepted_count(), 1U);
}

TEST_F(HttpClientTest, ReplacesAnIdleConnectionThatTheServerHasClosed) {
    server_.answer_all(http_answer("pong"));
    EXPECT_EQ(fetched().body, "pong");

    server_.close_connections();
    loop_.settle();

    EXPECT_EQ(fetched().body, "pong");
    EXPECT_EQ(server_.accepted_count(), 2U);
}

TEST_F(HttpClientTest, ClosesAnIdleConnectionWithUnrequestedBytes) {
    server_.answer(http_answer("pong") + "HTTP/1.1 408 Request Timeout\r\n\r\n");
    EXPECT_EQ(fetched().body, "pong");

    EXPECT_TRUE(loop_.run_until([&] { return server_.open_count() == 0; }));
    server_.answer(http_answer("second"));
    EXPECT_EQ(fetched().body, "second");
}

TEST_F(HttpClientTest, ClosesAConnectionThatIsIdleForTooLong) {
    use({.idle_wait = 20ms});
    server_.answer(http_answer("pong"));
    EXPECT_EQ(fetched().body, "pong");
    EXPECT_EQ(server_.open_count(), 1U);

    EXPECT_TRUE(loop_.run_until([&] { return server_.open_count() == 0; }));
}

TEST_F(HttpClientTest, DoesNotReuseAConnectionThatTheServerWantsToClose) {
    server_.answer(http_answer("one", "Connection: x, Close\r\n"));
    server_.answer("HTTP/1.0 200 OK\r\nContent-Length: 3\r\n\r\ntwo");
    server_.answer({.bytes = "HTTP/1.1 200 OK\r\n\r\nuntil the end", .closes = true});

    EXPECT_EQ(fetched().body, "one");
    EXPECT_EQ(fetched().body, "two");
    EXPECT_EQ(fetched().body, "until the end");

    EXPECT_EQ(server_.accepted_count(), 3U);
    EXPECT_TRUE(loop_.run_until([&] { return server_.open_count() == 0; }));
}

TEST_F(HttpClientTest, SkipsInterimAnswers) {
    server_.answer("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n" +
                   http_answer("at last"));

    EXPECT_EQ(fetched().body, "at last");
}

TEST_F(HttpClientTest, LimitsInterimAnswers) {
    std::string hints;
    for (int count = 0; count < 50; ++count) {
        hints += "HTTP/1.1 103 Early Hints\r\n\r\n";
    }
    server_.answer(hints);

    EXPECT_EQ(fetched().error, NetErrc::bad_answer);
}

TEST_F(HttpClientTest, ReadsAnswersThatArriveByteByByte) {
    server_.answer({.bytes = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
                             "5;x=y\r\nhello\r\n1\r\n \r\nc\r\nother\r\nworld\r\n0\r\nT: 1\r\n\r\n",
                    .piece_bytes = 1});
    server_.answer({.bytes = http_answer("slow"), .piece_bytes = 1});

    EXPECT_EQ(fetched().body, "hello other\r\nworld");
    EXPECT_EQ(fetched().body, "slow");
    EXPECT_EQ(server_.accepted_count(), 1U);
}

TEST_F(HttpClientTest, ReportsAConnectionThatClosesInTheMiddle) {
    const std::vector<std::string> broken{
        "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n",
        "HTTP/1.1 200 OK\r\nContent-Le",
        "",
    };
    for (const std::string& bytes : broken) {
        server_.answer({.bytes = bytes, .closes = true});

        const Fetched got = fetched({.body = "ping"});

        EXPECT_EQ(got.error, NetErrc::closed) << bytes;
        EXPECT_TRUE(got.may_have_arrived);
    }
}

TEST_F(HttpClientTest, RejectsGarbage) {
    const std::vector<std::string> garbage{
        "SSH-2.0-OpenSSH_9.2\r\n",
        "HTTP/2 200 OK\r\n\r\n",
        "HTTP/1.1 abc\r\n\r\n",
        "HTTP/1.1 101 Switching Protocols\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nx",
        "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n",
        "HTTP/1.1 200 OK\r\nno colon\r\n\r\n",
    };
    for (const std::string& bytes : garbage) {
        server_.answer(bytes);

        EXPECT_EQ(fetched().error, NetErrc::bad_answer) << bytes;
        EXPECT_TRUE(loop_.run_until([&] { return server_.open_count() == 0; })) << bytes;
    }
}

TEST_F(HttpClientTest, LimitsTheHead) {
    use({.max_head_bytes = 40'000});
    server_.answer("HTTP/1.1 200 OK\r\nX: " + std::string(39'900, 'x') +
                   "\r\nContent-Length: 2\r\n\r\nok");
    server_.answer("HTTP/1.1 200 OK\r\nX: " + std::string(50'000, 'x'));

    EXPECT_EQ(fetched().body, "ok");
    EXPECT_EQ(fetched().error, NetErrc::bad_answer);
}

TEST_F(HttpClientTest, MovesBodiesLargerThanAllBuffers) {
    const std::string large(8'000'000, 'q');
    server_.answer(http_answer(large));

    const Fetched got = fetched({.body = large});

    EXPECT_EQ(got.body, large);
    ASSERT_EQ(server_.requests().size(), 1U);
    EXPECT_TRUE(server_.requests()[0].ends_with("\r\n\r\n" + large));
    server_.answer(http_answer("small"));
    EXPECT_EQ(fetched().body, "small");
    EXPECT_EQ(server_.accepted_count(), 1U);
}

TEST_F(HttpClientTest, ChecksHeadersThatDifferFromThePreviousRequest) {
    server_.answer_all(http_answer("pong"));
    EXPECT_EQ(fetched({.headers = "A: 1\r\n"}).body, "pong");

    EXPECT_EQ(fetched({.headers = "A: 1\r\nHost: x\r\n"}).error, NetErrc::invalid_request);
    EXPECT_EQ(fetched({.headers = "A: 1\r\n"}).body, "pong");
    EXPECT_EQ(fetched({.headers = "A: 1\r\nB"}).error, NetErrc::invalid_request);
    EXPECT_EQ(fetched({.target = "/a b", .headers = "A: 1\r\n"}).error, NetErrc::invalid_request);
    EXPECT_EQ(server_.requests().size(), 2U);
}

TEST_F(HttpClientTest, RejectsValuesThatWouldBeginAnotherLine) {
    const std::vector<HttpClientRequest> tricks{
        {.target = "/a\r\nX: y"},
        {.target = "/a b"},
        {.target = "relative"},
        {.method = "PO ST"},
        {.method = "HEAD"},
        {.headers = "X: a\r\n\r\nGET / HTTP/1.1\r\n"},
        {.headers = "X: a\nY: b\r\n"},
        {.headers = "X: a"},
        {.headers = "X : a\r\n"},
        {.headers = "content-length: 3\r\n"},
        {.headers = "Transfer-Encoding: chunked\r\n"},
        {.headers = "HOST: elsewhere\r\n"},
    };
    for (const HttpClientRequest& trick : tricks) {
        const Fetched got = fetched(trick);

        EXPECT_EQ(got.error, NetErrc::invalid_request) << trick.target << trick.headers;
        EXPECT_FALSE(got.may_have_arrived);
    }
    EXPECT_EQ(server_.accepted_count(), 0U);
}

}  // namespace
}  // namespace holdfast::net
