// Deadlines, cancellation, lifetimes, and waiting for a connection.

#include <gtest/gtest.h>

#include <boost/asio/ip/tcp.hpp>
#include <string>
#include <vector>

#include "client_loop.hpp"
#include "net/http_client.hpp"
#include "support/scripted_server.hpp"

namespace holdfast::net {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using test::http_answer;
using Answer = resilience::Result<std::unique_ptr<HttpClientResponse>, HttpClientError>;

class HttpClientWaitingTest : public ::testing::Test {
protected:
    asio::awaitable<Fetched> fetching(HttpClientRequest request = {},
                                      resilience::Duration limit = 10s) {
        return fetch(client_, loop_.loop(), std::move(request), loop_.within(limit));
    }
    Fetched fetched(HttpClientRequest request = {}, resilience::Duration limit = 10s) {
        return loop_.run(fetching(std::move(request), limit));
    }
    void use(const HttpClientOptions& options) { client_ = client_of(server_.url(), options); }
    bool server_gets(std::size_t count) {
        return loop_.run_until([&] { return server_.requests().size() == count; });
    }
    bool all_are_closed() {
        return loop_.run_until([&] { return server_.open_count() == 0; });
    }
    std::unique_ptr<HttpClientResponse> head() {
        auto answer = loop_.run(client_->send(loop_.loop(), {}, loop_.within(10s)));
        EXPECT_TRUE(answer);
        return *std::move(answer);
    }

    ClientLoop loop_;
    test::ScriptedServer server_{loop_.context()};
    std::shared_ptr<HttpClient> client_ = client_of(server_.url());
};

TEST_F(HttpClientWaitingTest, EndsAtTheDeadline) {
    const Fetched got = fetched({}, 20ms);

    EXPECT_EQ(got.error, NetErrc::timed_out);
    EXPECT_TRUE(got.may_have_arrived);
    EXPECT_TRUE(all_are_closed());
}

TEST_F(HttpClientWaitingTest, EndsAtTheDeadlineInTheMiddleOfABody) {
    server_.answer("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf");

    const Fetched got = fetched({}, 20ms);

    EXPECT_EQ(got.status, 200);
    EXPECT_EQ(got.error, NetErrc::timed_out);
    EXPECT_TRUE(all_are_closed());
}

TEST_F(HttpClientWaitingTest, SendsNothingAfterTheDeadline) {
    const Fetched got = fetched({}, 0ms);

    EXPECT_EQ(got.error, NetErrc::timed_out);
    EXPECT_FALSE(got.may_have_arrived);
}

TEST_F(HttpClientWaitingTest, CancellingClosesTheConnection) {
    const auto task = loop_.start(fetching());
    EXPECT_TRUE(server_gets(1));

    task->cancel.emit(asio::cancellation_type::terminal);

    EXPECT_EQ(loop_.finish(task).error, NetErrc::cancelled);
    EXPECT_TRUE(all_are_closed());
}

TEST_F(HttpClientWaitingTest, CancellingEndsReadingABody) {
    server_.answer("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf");
    const auto response = head();
    const auto task = loop_.start(response->read_all(100, loop_.within(10s)));
    loop_.settle();

    task->cancel.emit(asio::cancellation_type::terminal);

    const auto body = loop_.finish(task);
    ASSERT_FALSE(body);
    EXPECT_EQ(body.error().code, NetErrc::cancelled);
    EXPECT_TRUE(all_are_closed());
}

TEST_F(HttpClientWaitingTest, DroppingAnAnswerClosesItsConnection) {
    server_.answer("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf");
    auto response = head();
    EXPECT_EQ(server_.open_count(), 1U);

    response.reset();

    EXPECT_TRUE(all_are_closed());
}

TEST_F(HttpClientWaitingTest, AnAnswerKeepsItsHeadAfterItsConnectionIsReused) {
    server_.answer(http_answer("one", "X-Which: first\r\n"));
    server_.answer(http_answer("two", "X-Which: second\r\n"));
    const auto first = head();
    EXPECT_EQ(*loop_.run(first->read_all(100, loop_.within(10s))), "one");
    const auto second = head();

    EXPECT_EQ(server_.accepted_count(), 1U);
    EXPECT_EQ(first->headers().find("x-which"), "first");
    EXPECT_EQ(second->headers().find("x-which"), "second");
}

TEST_F(HttpClientWaitingTest, ReturnsABodyAsItsPiecesArrive) {
    server_.answer({.bytes = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
                             "3\r\none\r\n3\r\ntwo\r\n0\r\n\r\n"});
    const auto response = head();

    std::vector<std::string> pieces;
    for (std::string piece = "-"; !piece.empty(); pieces.push_back(piece)) {
        auto read = loop_.run(response->read_some(loop_.within(10s)));
        ASSERT_TRUE(read);
        piece = *read;
    }

    EXPECT_EQ(pieces, (std::vector<std::string>{"one", "two", ""}));
    server_.answer(http_answer("next"));
    EXPECT_EQ(fetched().body, "next");
    EXPECT_EQ(server_.accepted_count(), 1U);
}

TEST_F(HttpClientWaitingTest, RejectsABodyAboveTheLimit) {
    for (const std::string& bytes :
         {http_answer("12345"),
          std::string{"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n12345\r\n"}}) {
        server_.answer(bytes);
        const auto response = head();

        const auto body = loop_.run(response->read_all(4, loop_.within(10s)));

        ASSERT_FALSE(body);
        EXPECT_EQ(body.error().code, NetErrc::too_large);
        EXPECT_TRUE(all_are_closed());
    }
    server_.answer(http_answer("1234"));
    EXPECT_EQ(*loop_.run(head()->read_all(4, loop_.within(10s))), "1234");
}

TEST_F(HttpClientWaitingTest, ADestroyedClientLetsItsRequestsFinish) {
    const auto task = loop_.start(fetching());
    EXPECT_TRUE(server_gets(1));

    client_.reset();
    server_.answer(http_answer("late"));

    EXPECT_EQ(loop_.finish(task).body, "late");
    EXPECT_TRUE(all_are_closed());
}

TEST_F(HttpClientWaitingTest, ALoopMayEndBeforeItsRequests) {
    auto server_loop = std::make_unique<ClientLoop>();
    auto server = std::make_unique<test::ScriptedServer>(server_loop->context());
    auto client = client_of(server->url());
    const auto task =
        server_loop->start(fetch(client, server_loop->loop(), {}, server_loop->within(10s)));
    EXPECT_TRUE(server_loop->run_until([&] { return server->requests().size() == 1; }));

    server.reset();
    client.reset();
    server_loop.reset();

    EXPECT_FALSE(task->result.has_value());
}

TEST_F(HttpClientWaitingTest, WaitersGetTheConnectionInOrder) {
    use({.max_connections = 1});
    std::vector<std::shared_ptr<Task<Fetched>>> tasks;
    for (const char* target : {"/1", "/2", "/3", "/4"}) {
        tasks.push_back(loop_.start(fetching({.method = "GET", .target = target})));
        loop_.settle();
    }
    EXPECT_TRUE(server_gets(1));

    server_.answer_all(http_answer("x"));

    for (const auto& task : tasks) {
        EXPECT_EQ(loop_.finish(task).body, "x");
    }
    ASSERT_EQ(server_.requests().size(), 4U);
    for (std::size_t index = 0; index < 4; ++index) {
        EXPECT_TRUE(server_.requests()[index].starts_with("GET /" + std::to_string(index + 1)));
    }
    EXPECT_EQ(server_.accepted_count(), 1U);
}

TEST_F(HttpClientWaitingTest, LimitsWaitingForAConnection) {
    use({.max_connections = 1, .max_waiting = 1});
    const auto first = loop_.start(fetching());
    EXPECT_TRUE(server_gets(1));
    const auto second = loop_.start(fetching({}, 20ms));
    loop_.settle();

    const Fetched third = fetched();
    EXPECT_EQ(third.error, NetErrc::overloaded);
    EXPECT_FALSE(third.may_have_arrived);
    const Fetched timed_out = loop_.finish(second);
    EXPECT_EQ(timed_out.error, NetErrc::timed_out);
    EXPECT_FALSE(timed_out.may_have_arrived);

    server_.answer_all(http_answer("x"));
    EXPECT_EQ(loop_.finish(first).body, "x");
    EXPECT_EQ(fetched().body, "x");
}

TEST_F(HttpClientWaitingTest, ACancelledWaiterPassesItsTurnToTheNext) {
    use({.max_connections = 1});
    const auto first = loop_.start(fetching({.target = "/1"}));
    EXPECT_TRUE(server_gets(1));
    const auto second = loop_.start(fetching({.target = "/2"}));
    loop_.settle();
    const auto third = loop_.start(fetching({.target = "/3"}));
    loop_.settle();

    second->cancel.emit(asio::cancellation_type::terminal);
    EXPECT_EQ(loop_.finish(second).error, NetErrc::cancelled);
    server_.answer_all(http_answer("x"));

    EXPECT_EQ(loop_.finish(first).body, "x");
    EXPECT_EQ(loop_.finish(third).body, "x");
    EXPECT_EQ(server_.requests().size(), 2U);
}

TEST_F(HttpClientWaitingTest, AFailedConnectionFreesItsSlot) {
    use({.max_connections = 1});
    for (int round = 0; round < 3; ++round) {
        EXPECT_EQ(fetched({}, 10ms).error, NetErrc::timed_out);
    }
    server_.answer_all(http_answer("x"));

    EXPECT_EQ(fetched().body, "x");
}

TEST_F(HttpClientWaitingTest, ReportsARefusedConnection) {
    tcp::acceptor taken{loop_.context(), {asio::ip::address_v4::loopback(), 0}};
    const std::string url = "http://127.0.0.1:" + std::to_string(taken.local_endpoint().port());
    taken.close();
    client_ = client_of(url);

    const Fetched got = fetched();

    EXPECT_EQ(got.error, NetErrc::closed);
    EXPECT_FALSE(got.may_have_arrived);
    EXPECT_NE(got.message.find("refused"), std::string::npos) << got.message;
}

TEST_F(HttpClientWaitingTest, GivesUpOnADeadHostInTime) {
    // A full backlog drops connections, like a host that is down.
    tcp::acceptor full{loop_.context()};
    full.open(tcp::v4());
    full.bind({asio::ip::address_v4::loopback(), 0});
    full.listen(0);
    std::vector<tcp::socket> fillers;
    for (int count = 0; count < 4; ++count) {
        fillers.emplace_back(loop_.context());
        fillers.back().async_connect(full.local_endpoint(), [](boost::system::error_code) {});
    }
    loop_.settle();
    client_ = client_of("http://127.0.0.1:" + std::to_string(full.local_endpoint().port()),
                        {.connect_wait = 30ms});

    const Fetched got = fetched();

    EXPECT_EQ(got.error, NetErrc::timed_out);
    EXPECT_FALSE(got.may_have_arrived);
}

TEST_F(HttpClientWaitingTest, FindsAHostByName) {
    server_.answer_all(http_answer("home"));
    client_ = client_of("http://localhost:" + std::to_string(server_.port()));
    EXPECT_EQ(fetched().body, "home");

    client_ = client_of("http://no-such-host.invalid");
    const Fetched got = fetched();
    EXPECT_EQ(got.error, NetErrc::closed);
    EXPECT_FALSE(got.may_have_arrived);
    EXPECT_NE(got.message.find("no-such-host.invalid"), std::string::npos);
}

}  // namespace
}  // namespace holdfast::net
