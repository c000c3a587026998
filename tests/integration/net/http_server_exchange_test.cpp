// Streams, and how exchanges, clients and servers end.
#include <gtest/gtest.h>

#include "net/http_server.hpp"
#include "served_http.hpp"

namespace holdfast::net {
namespace {

class HttpServerExchangeTest : public ServedHttpTest {
protected:
    HttpServerExchangeTest() { handler_->keeps = true; }

    static constexpr std::string_view kStreamHead =
        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nCache-Control: no-cache\r\n"
        "X-Accel-Buffering: no\r\nTransfer-Encoding: chunked\r\nX-A: b\r\n\r\n";

    /// Counts the notifications.
    static std::shared_ptr<int> count_gone(HttpExchange& exchange) {
        auto count = std::make_shared<int>(0);
        exchange.on_gone([count] { ++*count; });
        return count;
    }
};

TEST_F(HttpServerExchangeTest, StreamsEventsImmediatelyAndKeepsTheConnection) {
    start();
    RawClient from = client();
    from.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
    const auto exchange = next_exchange();

    exchange->start_stream("X-A: b\r\n");
    EXPECT_EQ(answer(from, kStreamHead.size()), kStreamHead);
    EXPECT_TRUE(exchange->is_streaming());
    EXPECT_TRUE(exchange->send("data: 1\n\n", Importance::must_arrive));
    EXPECT_EQ(answer(from, 14), "9\r\ndata: 1\n\n\r\n");
    EXPECT_TRUE(exchange->send(std::string(26, 'x'), Importance::droppable));
    EXPECT_EQ(answer(from, 32), "1a\r\n" + std::string(26, 'x') + "\r\n");
    exchange->finish_stream();
    EXPECT_EQ(answer(from, 5), "0\r\n\r\n");

    from.send(post("next"));
    next_exchange()->reply({.body = "next"});
    EXPECT_EQ(answer(from, ok("next").size()), ok("next"));
}

TEST_F(HttpServerExchangeTest, StreamsToVersion10UntilTheEndOfTheConnection) {
    start();
    RawClient from = client();
    from.send("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
    const auto exchange = next_exchange();
    exchange->start_stream({});
    EXPECT_TRUE(exchange->send("data: 1\n\n", Importance::must_arrive));
    exchange->finish_stream();

    const std::string text = answer_until_end(from);

    EXPECT_EQ(text.find("Transfer-Encoding"), std::string::npos) << text;
    EXPECT_TRUE(text.ends_with("Connection: close\r\n\r\ndata: 1\n\n")) << text;
}

TEST_F(HttpServerExchangeTest, DropsEventsOfASlowReaderAndThenTheReader) {
    start({.max_stream_bytes = 100'000});
    RawClient from = client(4'096);
    from.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
    const auto exchange = next_exchange();
    const auto gone = count_gone(*exchange);
    exchange->start_stream({});
    const std::string event(10'000, 'x');

    // The system accepts some at first; when its buffers are full, the limits apply.
    int droppable_count = 0;
    while (exchange->send(event, Importance::droppable)) {
        settle();
        ASSERT_LT(++droppable_count, 10'000);
    }
    EXPECT_FALSE(exchange->is_gone());
    int important_count = 0;
    while (exchange->send(event, Importance::must_arrive)) {
        settle();
        ASSERT_LT(++important_count, 100);
    }

    EXPECT_TRUE(exchange->is_gone());
    EXPECT_GE(important_count, 25);
    EXPECT_LE(important_count, 40);
    EXPECT_EQ(*gone, 0);
    settle();
    EXPECT_EQ(*gone, 1);
}

TEST_F(HttpServerExchangeTest, ALargeAnswerAfterAWaitingEventReachesASlowReader) {
    start({.max_stream_bytes = 100'000});
    RawClient from = client(4'096);
    from.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
    const auto exchange = next_exchange();
    exchange->start_stream({});
    const std::string event(10'000, 'x');
    while (exchange->send(event, Importance::droppable)) {
        settle();
    }

    EXPECT_TRUE(exchange->send(std::string(1'000'000, 'y'), Importance::must_arrive));
    exchange->finish_stream();

    EXPECT_FALSE(exchange->is_gone());
    run_until([&] {
        from.receive();
        return from.received().ends_with("yyyy\r\n0\r\n\r\n");
    });
}

TEST_F(HttpServerExchangeTest, WritesTheWholeStreamToASlowReader) {
    start();
    RawClient from = client(4'096);
    from.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
    const auto exchange = next_exchange();
    exchange->start_stream("X-A: b\r\n");
    std::string expected{kStreamHead};
    for (int index = 0; index < 3'000; ++index) {
        const std::string event =
            "data: " + std::to_string(1'000'000 + index) + std::string(1'000, 'x') + "\n\n";
        EXPECT_TRUE(exchange->send(event, Importance::must_arrive));
        expected += "3f7\r\n" + event + "\r\n";
    }
    exchange->finish_stream();
    expected += "0\r\n\r\n";

    EXPECT_EQ(answer(from, expected.size()), expected);
}

TEST_F(HttpServerExchangeTest, ReportsOnceThatTheClientHasGone) {
    start();
    for (const bool is_reset : {false, true}) {
        RawClient from = client();
        from.send(post("x"));
        const auto exchange = next_exchange();
        const auto gone = count_gone(*exchange);
        settle();
        EXPECT_EQ(*gone, 0);

        is_reset ? from.abort() : from.close();

        run_until([&] { return *gone > 0; });
        EXPECT_TRUE(exchange->is_gone());
        exchange->reply({.body = "nobody reads this"});
        settle();
        EXPECT_EQ(*gone, 1);
        EXPECT_EQ(server_->connection_count(), 0U);
    }
}

TEST_F(HttpServerExchangeTest, ReportsThatTheClientOfAStreamHasGone) {
    start();
    RawClient from = client();
    from.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
    const auto exchange = next_exchange();
    const auto gone = count_gone(*exchange);
    exchange->start_stream({});

    from.close();

    run_until([&] { return *gone > 0; });
    EXPECT_FALSE(exchange->send("x", Importance::must_arrive));
    exchange->finish_stream();
    settle();
    EXPECT_EQ(*gone, 1);
}

TEST_F(HttpServerExchangeTest, NotifiesALateListener) {
    start();
    RawClient from = client();
    from.send(post("x"));
    const auto exchange = next_exchange();
    from.close();
    run_until([&] { return exchange->is_gone(); });

    const auto gone = count_gone(*exchange);

    EXPECT_EQ(*gone, 0);
    settle();
    EXPECT_EQ(*gone, 1);
}

TEST_F(HttpServerExchangeTest, NotifiesNoListenerAfterTheAnswer) {
    start();
    RawClient from = client();
    from.send(post("x"));
    const auto exchange = next_exchange();
    const auto gone = count_gone(*exchange);
    exchange->reply({.body = "x"});
    answer(from, ok("x").size());

    from.close();

    run_until([&] { return server_->connection_count() == 0; });
    settle();
    EXPECT_EQ(*gone, 0);
}

TEST_F(HttpServerExchangeTest, NoticesACloseThatArrivedWithTheRequest) {
    start();
    RawClient from = client();
    from.send(post("a"));
    next_exchange()->reply({.body = "a"});
    answer(from, ok("a").size());
    settle();
    from.send(post("b"));
    from.end_sending();
    const auto exchange = next_exchange();

    const auto gone = count_gone(*exchange);

    run_until([&] { return *gone == 1; });
    EXPECT_TRUE(exchange->is_gone());
}

TEST_F(HttpServerExchangeTest, NoticesACloseAfterPipelinedBytes) {
    start();
    RawClient from = client();
    from.send(post("x"));
    const auto exchange = next_exchange();
    const auto gone = count_gone(*exchange);
    from.send(post("y"));
    settle();

    from.close();

    run_until([&] { return *gone == 1; });
    EXPECT_TRUE(handler_->kept.empty());
}

TEST_F(HttpServerExchangeTest, AnswersForADroppedExchange) {
    start();
    RawClient from = client();
    from.send(post("x"));
    next_exchange().reset();
    run_until([&] { return from.receive(); });
    EXPECT_TRUE(from.take_received().starts_with("HTTP/1.1 500 "));

    from.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
    auto streaming = next_exchange();
    streaming->start_stream({});
    streaming.reset();

    const std::string text = answer_until_end(from);
    EXPECT_EQ(text.find("0\r\n\r\n"), std::string::npos) << text;
}

TEST_F(HttpServerExchangeTest, DrainClosesIdleConnectionsAndOthersAfterTheirAnswer) {
    start();
    RawClient idle = client();
    idle.send(post("a"));
    next_exchange()->reply({});
    answer(idle, 38);
    RawClient busy = client();
    busy.send(post("b"));
    const auto exchange = next_exchange();
    const std::uint16_t port = server_->port();

    server_->drain();
    settle();
    advance(1s);

    EXPECT_EQ(answer_until_end(idle), "");
    EXPECT_FALSE(RawClient{port}.is_connected());
    exchange->reply({.body = "b"});
    const std::string text = answer_until_end(busy);
    EXPECT_NE(text.find("Connection: close\r\n\r\nb"), std::string::npos) << text;
    busy.close();
    run_until([&] { return server_->connection_count() == 0; });
}

TEST_F(HttpServerExchangeTest, ClosesAllConnectionsWhenDestroyed) {
    start();
    RawClient idle = client();
    RawClient busy = client();
    RawClient partial = client();
    partial.send("POST / HT");
    busy.send(post("b"));
    const auto exchange = next_exchange();
    const auto gone = count_gone(*exchange);

    server_.reset();

    EXPECT_EQ(answer_until_end(idle), "");
    EXPECT_EQ(answer_until_end(busy), "");
    EXPECT_EQ(answer_until_end(partial), "");
    run_until([&] { return *gone == 1; });
    exchange->reply({});
}

TEST_F(HttpServerExchangeTest, SendsAnswersOfOneTurn) {
    start();
    RawClient first = client();
    RawClient second = client();
    first.send(post("a"));
    const auto to_first = next_exchange();
    second.send(post("b"));
    const auto to_second = next_exchange();

    to_second->reply({.body = "2"});
    to_first->reply({.body = "1"});

    EXPECT_EQ(answer(first, ok("1").size()), ok("1"));
    EXPECT_EQ(answer(second, ok("2").size()), ok("2"));
}

TEST_F(HttpServerExchangeTest, SendsAnAnswerGivenJustBeforeDestruction) {
    start();
    RawClient from = client();
    from.send(post("a"));
    next_exchange()->reply({.body = "a"});

    server_.reset();

    EXPECT_EQ(answer_until_end(from), ok("a"));
}

TEST_F(HttpServerExchangeTest, MayBeDestroyedWithItsLoopBeforeAnAnswerIsSent) {
    auto handler = std::make_shared<TestHandler>();
    boost::asio::io_context context{1};
    resilience::testing::ManualTimekeeper timekeeper;
    auto server = HttpServer::listen({{context.get_executor(), &timekeeper}}, {}, handler);
    ASSERT_TRUE(server);
    RawClient from{(*server)->port()};
    from.send(post("x"));
    while (handler->asked_count == 0) {
        context.run_one();
    }
    // The address sanitizer sees whether anything is left of the connection.
}

TEST_F(HttpServerExchangeTest, SurvivesTheEndOfItsLoop) {
    auto handler = std::make_shared<TestHandler>();
    handler->keeps = true;
    std::shared_ptr<HttpExchange> left;
    {
        boost::asio::io_context context{1};
        resilience::testing::ManualTimekeeper timekeeper;
        auto server = HttpServer::listen({{context.get_executor(), &timekeeper}}, {}, handler);
        ASSERT_TRUE(server);
        RawClient from{(*server)->port()};
        RawClient idle{(*server)->port()};
        from.send(post("x"));
        while (handler->kept.empty()) {
            context.run_one();
        }
        left = std::move(handler->kept.front());
        handler->kept.clear();
        left->on_gone([] { ADD_FAILURE() << "notified after its loop was destroyed"; });
        left->start_stream({});
    }

    // The timekeeper, the loop and the server are destroyed; the exchange is only memory.
    EXPECT_EQ(left->request().body, "x");
    EXPECT_TRUE(left->is_gone());
    left.reset();
}

}  // namespace
}  // namespace holdfast::net
