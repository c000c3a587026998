// Streams that move from one connection to another. Each connection belongs to the loop that
// accepted it; the log that connects them belongs to no loop.
#include <gtest/gtest.h>

#include <atomic>
#include <boost/asio/post.hpp>
#include <chrono>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "front/http_port.hpp"
#include "integration/net/raw_client.hpp"
#include "net/event_loops.hpp"
#include "net/http_server.hpp"
#include "support/gateway/fake_exchange.hpp"

namespace holdfast::front {
namespace {

using namespace std::chrono_literals;
using net::RawClient;

constexpr std::size_t kLoops = 2;
constexpr int kEventsPerMove = 20;
constexpr std::string_view kEndOfHead = "\r\n\r\n";
constexpr std::string_view kEndOfStream = "\r\n0\r\n\r\n";
constexpr std::string_view kEndOfEmptyStream = "\r\n\r\n0\r\n\r\n";

std::string resume_after(std::string_view last_id) {
    return "GET /mcp HTTP/1.1\r\nHost: here\r\nLast-Event-ID: " + std::string{last_id} + "\r\n\r\n";
}

/// Resumes the stream that a request names and records the threads.
class ResumingHandler final : public net::HttpHandler {
public:
    explicit ResumingHandler(const std::shared_ptr<agents::ReplayLog>& log) : log_(log) {}

    std::optional<net::HttpReply> refused(const net::HttpRequest& /*request*/) override {
        return std::nullopt;
    }
    void on_request(std::shared_ptr<net::HttpExchange> exchange) override {
        {
            const std::scoped_lock lock{mutex_};
            threads_.insert(std::this_thread::get_id());
        }
        const auto log = log_.lock();
        const auto last_id = exchange->request().headers.find("Last-Event-ID");
        if (!log || !resume_stream(exchange, *log, last_id.value_or(""))) {
            exchange->reply({.status = 404});
        }
    }
    [[nodiscard]] std::size_t thread_count() {
        const std::scoped_lock lock{mutex_};
        return threads_.size();
    }

private:
    const std::weak_ptr<agents::ReplayLog> log_;
    std::mutex mutex_;
    std::set<std::thread::id> threads_;
};

template <class Condition>
bool waits_until(RawClient& client, Condition condition) {
    const auto end = std::chrono::steady_clock::now() + 30s;
    while (!condition()) {
        if (!client.receive() && std::chrono::steady_clock::now() > end) {
            return false;
        }
        std::this_thread::yield();
    }
    return true;
}

bool gets(RawClient& client, std::string_view words) {
    const auto has_got = [&] { return client.received().find(words) != std::string::npos; };
    return waits_until(client, [&] { return has_got() || client.has_ended(); }) && has_got();
}

bool is_cut_off(RawClient& client) {
    return waits_until(client, [&] { return client.has_ended(); });
}

/// The loops accept connections in turn, so each client is on another loop than the previous one.
class ResumedStreamLoopsTest : public ::testing::Test {
protected:
    void SetUp() override {
        auto listening = net::HttpServer::listen(loops.all(), {}, handler);
        ASSERT_TRUE(listening) << listening.error().message;
        server = std::move(*listening);
        runner = std::jthread{[this] { loops.run(); }};
    }
    void TearDown() override {
        loops.stop();
        runner.join();
    }

    net::EventLoops loops{kLoops};
    // Large enough for all events of a test.
    std::shared_ptr<agents::ReplayLog> log =
        std::make_shared<agents::ReplayLog>(agents::ReplayLimits{.max_events = 10'000});
    const std::shared_ptr<ResumingHandler> handler = std::make_shared<ResumingHandler>(log);
    std::unique_ptr<net::HttpServer> server;
    const std::uint64_t stream = log->open().value();
    const resilience::TimePoint now = loops.all().front().timekeeper->now();
    std::jthread runner;
};

TEST_F(ResumedStreamLoopsTest, MovesAStreamToAConnectionOnAnotherLoop) {
    RawClient first{server->port()};
    first.send(resume_after("1-0"));
    ASSERT_TRUE(gets(first, kEndOfHead));
    RawClient second{server->port()};

    second.send(resume_after("1-0"));

    ASSERT_TRUE(gets(second, kEndOfHead));
    EXPECT_TRUE(gets(first, kEndOfEmptyStream)) << first.received();
    log->add(stream, "{1}", true, now);
    EXPECT_TRUE(gets(second, kEndOfStream)) << second.received();
    EXPECT_NE(second.received().find("data: {1}\n"), std::string::npos);
    EXPECT_EQ(handler->thread_count(), kLoops);
    // The connection that lost the stream can still be used.
    std::ignore = first.take_received();
    first.send(resume_after("1-0"));
    EXPECT_TRUE(gets(first, kEndOfStream)) << first.received();
    EXPECT_NE(first.received().find("data: {1}\n"), std::string::npos);
}

TEST_F(ResumedStreamLoopsTest, MovesAStreamBackAndForthWhileItContinues) {
    constexpr int kMoves = 200;
    std::vector<RawClient> clients;
    clients.reserve(kLoops);
    for (std::size_t index = 0; index < kLoops; ++index) {
        clients.emplace_back(server->port());
    }
    std::atomic<int> move = 0;
    std::jthread talker{[this, &move](const std::stop_token& stop) {
        for (int said = 0; !stop.stop_requested(); std::this_thread::yield()) {
            for (; said < move * kEventsPerMove; ++said) {
                log->add(stream, "{}", false, now);
            }
        }
    }};

    int moved = 0;
    while (move < kMoves) {
        RawClient& client = clients[static_cast<std::size_t>(move) % kLoops];
        RawClient& other = clients[static_cast<std::size_t>(move + 1) % kLoops];
        std::ignore = client.take_received();
        client.send(resume_after(log->add(stream, "{}", false, now)));
        ++move;
        log->add(stream, "{}", false, now);
        moved += gets(client, "data: {}\n") && (move == 1 || gets(other, kEndOfStream)) ? 1 : 0;
    }

    EXPECT_EQ(moved, kMoves);
    EXPECT_EQ(handler->thread_count(), kLoops);
}

TEST_F(ResumedStreamLoopsTest, EndsStreamsWhenTheirLogIsDestroyed) {
    RawClient client{server->port()};
    client.send(resume_after("1-0"));
    ASSERT_TRUE(gets(client, kEndOfHead));

    log.reset();

    EXPECT_TRUE(is_cut_off(client));
    EXPECT_TRUE(client.received().ends_with(kEndOfHead)) << client.received();
}

TEST_F(ResumedStreamLoopsTest, DestroysAnExchangeOnItsOwnLoop) {
    // Shared with the loop, which may still use them after the test has ended.
    const auto destroyed = std::make_shared<std::promise<std::thread::id>>();
    const auto resumed = std::make_shared<std::promise<std::thread::id>>();
    const net::OwningLoop home = loops.all().back();
    auto exchange = std::make_shared<test::FakeExchange>(home);
    exchange->on_destroyed = [destroyed] { destroyed->set_value(std::this_thread::get_id()); };
    boost::asio::post(home.executor, [this, resumed, exchange = std::move(exchange)]() mutable {
        EXPECT_TRUE(resume_stream(std::exchange(exchange, nullptr), *log, "1-0"));
        resumed->set_value(std::this_thread::get_id());
    });
    const std::thread::id home_thread = resumed->get_future().get();

    log.reset();

    auto where = destroyed->get_future();
    ASSERT_EQ(where.wait_for(30s), std::future_status::ready);
    EXPECT_EQ(where.get(), home_thread);
}

}  // namespace
}  // namespace holdfast::front
