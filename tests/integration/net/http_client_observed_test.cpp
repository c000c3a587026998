// Requests on an idle connection that are followed without a coroutine.
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "client_loop.hpp"
#include "net/event_loops.hpp"
#include "support/scripted_server.hpp"

namespace holdfast::net {
namespace {

using test::http_answer;

class HttpClientObservedTest : public testing::Test {
protected:
    /// Leaves one idle connection.
    void warm_up() {
        server_.answer(http_answer("warm"));
        EXPECT_EQ(loop_.run(fetch(client_, loop_.loop(), {}, loop_.within(10s))).body, "warm");
    }
    std::shared_ptr<ObservedRequest> start(std::size_t max_body_bytes = 1'000'000) {
        const auto observed = std::make_shared<ObservedRequest>(loop_.loop(), max_body_bytes);
        HttpClientRequest request{.body = "ping"};
        EXPECT_TRUE(observed->try_start(*client_, request));
        return observed;
    }
    Fetched finish(const std::shared_ptr<ObservedRequest>& observed) {
        return loop_.finish(observed->task);
    }

    ClientLoop loop_;
    test::ScriptedServer server_{loop_.context()};
    std::shared_ptr<HttpClient> client_ = client_of(server_.url("/mcp"));
};

TEST_F(HttpClientObservedTest, LeavesTheRequestAloneWithoutAnIdleConnection) {
    const auto observed = std::make_shared<ObservedRequest>(loop_.loop(), 100);
    HttpClientRequest request{.headers = "A: b\r\n", .body = "ping"};

    EXPECT_FALSE(observed->try_start(*client_, request));

    EXPECT_EQ(request.headers, "A: b\r\n");
    EXPECT_EQ(request.body, "ping");
    loop_.settle();
    EXPECT_EQ(server_.accepted_count(), 0U);
}

TEST_F(HttpClientObservedTest, RefusesABrokenRequest) {
    warm_up();
    const auto observed = std::make_shared<ObservedRequest>(loop_.loop(), 100);
    HttpClientRequest request{.headers = "A: b\r\nHost: x\r\n"};

    EXPECT_FALSE(observed->try_start(*client_, request));
}

TEST_F(HttpClientObservedTest, ReportsTheAnswerAndReusesTheConnection) {
    warm_up();
    for (int round = 0; round < 5; ++round) {
        server_.answer(http_answer("pong " + std::to_string(round)));
        const auto observed = start();

        const Fetched got = finish(observed);

        EXPECT_EQ(got.status, 200);
        EXPECT_EQ(got.body, "pong " + std::to_string(round));
        EXPECT_TRUE(observed->had_body_at_hand());
    }
    EXPECT_EQ(server_.accepted_count(), 1U);
    EXPECT_TRUE(server_.requests().back().ends_with("\r\n\r\nping"));
}

TEST_F(HttpClientObservedTest, WaitsForAHeadAndABodyThatArriveByteByByte) {
    warm_up();
    server_.answer({.bytes = "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n"
                             "Transfer-Encoding: chunked\r\n\r\n"
                             "5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n",
                    .piece_bytes = 1});
    const auto observed = start();

    EXPECT_EQ(finish(observed).body, "hello world");

    EXPECT_FALSE(observed->had_body_at_hand());
    EXPECT_EQ(server_.accepted_count(), 1U);
}

TEST_F(HttpClientObservedTest, ReadsALargeBodyToItsEnd) {
    warm_up();
    const std::string body(300'000, 'x');
    server_.answer(http_answer(body));

    EXPECT_EQ(finish(start()).body, body);
}

TEST_F(HttpClientObservedTest, LimitsTheBody) {
    warm_up();
    server_.answer(http_answer("too long"));
    EXPECT_EQ(finish(start(4)).error, NetErrc::too_large);

    server_.answer(http_answer("again"));
    EXPECT_EQ(loop_.run(fetch(client_, loop_.loop(), {}, loop_.within(10s))).body, "again");
    EXPECT_EQ(server_.accepted_count(), 2U);
}

TEST_F(HttpClientObservedTest, ReportsAnAnswerThatIsNotHttp) {
    warm_up();
    server_.answer("SSH-2.0-OpenSSH\r\n");

    const Fetched got = finish(start());

    EXPECT_EQ(got.error, NetErrc::bad_answer);
    EXPECT_TRUE(got.may_have_arrived);
}

TEST_F(HttpClientObservedTest, ReportsAConnectionThatEndsAfterTheRequest) {
    warm_up();
    const auto observed = start();
    ASSERT_TRUE(loop_.run_until([this] { return server_.requests().size() == 2; }));

    server_.close_connections();

    const Fetched got = finish(observed);
    EXPECT_EQ(got.error, NetErrc::closed);
    EXPECT_TRUE(got.may_have_arrived);
}

TEST_F(HttpClientObservedTest, ClosesTheConnectionWhenCancelled) {
    warm_up();
    const auto observed = start();
    ASSERT_TRUE(loop_.run_until([this] { return server_.requests().size() == 2; }));

    observed->cancel();

    const Fetched got = finish(observed);
    EXPECT_EQ(got.error, NetErrc::cancelled);
    EXPECT_TRUE(got.may_have_arrived);
    EXPECT_TRUE(loop_.run_until([this] { return server_.open_count() == 0; }));
}

TEST_F(HttpClientObservedTest, CancelsARequestThatWasNotWrittenYet) {
    warm_up();
    const auto observed = start();

    observed->cancel();

    const Fetched got = finish(observed);
    EXPECT_EQ(got.error, NetErrc::cancelled);
    EXPECT_FALSE(got.may_have_arrived);
    loop_.settle();
    EXPECT_EQ(server_.requests().size(), 1U);
}

TEST_F(HttpClientObservedTest, OutlivesItsClient) {
    warm_up();
    const auto observed = start();
    ASSERT_TRUE(loop_.run_until([this] { return server_.requests().size() == 2; }));

    client_.reset();
    loop_.settle();
    server_.answer(http_answer("late"));

    EXPECT_EQ(finish(observed).body, "late");
    EXPECT_TRUE(loop_.run_until([this] { return server_.open_count() == 0; }));
}

TEST(HttpClientObservedEndTest, ReleasesItsListenerWhenTheLoopIsDestroyed) {
    ClientLoop peer_loop;
    test::ScriptedServer server{peer_loop.context()};
    std::weak_ptr<ObservedRequest> observed;
    {
        EventLoops loops{1};
        const OwningLoop loop = loops.all().front();
        auto& context = static_cast<boost::asio::io_context&>(
            boost::asio::query(loop.executor, boost::asio::execution::context));
        const auto run_both_until = [&](const auto& condition) {
            return peer_loop.run_until([&] {
                context.poll();
                context.restart();
                return condition();
            });
        };
        const auto client = client_of(server.url("/mcp"));
        auto warm = std::make_shared<Task<Fetched>>();
        server.answer(http_answer("warm"));
        boost::asio::co_spawn(
            loop.executor,
            keep_result_of(fetch(client, loop, {}, resilience::Deadline::never()), warm),
            [](const std::exception_ptr& thrown) { EXPECT_EQ(thrown, nullptr); });
        ASSERT_TRUE(run_both_until([&] { return warm->result.has_value(); }));
        auto waiting = std::make_shared<ObservedRequest>(loop, 100);
        HttpClientRequest request{.body = "ping"};
        ASSERT_TRUE(waiting->try_start(*client, request));
        observed = waiting;
        ASSERT_TRUE(run_both_until([&] { return server.requests().size() == 2; }));
    }

    EXPECT_TRUE(observed.expired());
}

}  // namespace
}  // namespace holdfast::net
