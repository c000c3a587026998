// A server on several loops, each on its own thread.
#include <gtest/gtest.h>
#include <poll.h>

#include <atomic>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <mutex>
#include <set>
#include <thread>
#include <tuple>

#include "net/event_loops.hpp"
#include "served_http.hpp"

namespace holdfast::net {
namespace {

namespace asio = boost::asio;

constexpr std::size_t kLoops = 2;
constexpr int kClients = 8;
constexpr int kRequests = 50;

/// Echoes, some immediately and some later, and records the threads.
class ThreadNotingHandler final : public HttpHandler {
public:
    std::optional<HttpReply> refused(const HttpRequest&) override { return std::nullopt; }
    void on_request(std::shared_ptr<HttpExchange> exchange) override {
        {
            const std::scoped_lock lock{mutex_};
            threads_.insert(std::this_thread::get_id());
        }
        if (count_.fetch_add(1) % 2 == 0) {
            exchange->reply({.body = exchange->take_body()});
            return;
        }
        const auto executor = exchange->loop().executor;
        boost::asio::post(executor, [exchange = std::move(exchange)] {
            exchange->reply({.body = exchange->take_body()});
        });
    }
    [[nodiscard]] std::size_t thread_count() {
        const std::scoped_lock lock{mutex_};
        return threads_.size();
    }

private:
    std::atomic<int> count_ = 0;
    std::mutex mutex_;
    std::set<std::thread::id> threads_;
};

/// Returns true if the client received that answer in time.
bool gets(RawClient& from, const std::string& expected) {
    const auto end = std::chrono::steady_clock::now() + 30s;
    while (from.received().size() < expected.size() && !from.has_ended()) {
        if (!from.receive() && std::chrono::steady_clock::now() > end) {
            return false;
        }
        std::this_thread::yield();
    }
    return from.take_received() == expected;
}

/// Returns what the client has received when it ends with this text; empty if that takes too long.
std::string gets_until(RawClient& from, std::string_view words) {
    const auto end = std::chrono::steady_clock::now() + 30s;
    while (from.received().find(words) == std::string::npos) {
        if (from.has_ended() || (!from.receive() && std::chrono::steady_clock::now() > end)) {
            return {};
        }
        std::this_thread::yield();
    }
    return from.take_received();
}

void call_often(std::uint16_t port, std::atomic<int>* answered_count) {
    RawClient from{port};
    for (int index = 0; index < kRequests; ++index) {
        const std::string body = std::to_string(index);
        from.send(post(body));
        *answered_count += gets(from, ok(body)) ? 1 : 0;
    }
}

TEST(HttpServerThreadedTest, ServesFromAllLoopsAndEndsWithOpenConnections) {
    EventLoops loops{kLoops};
    const auto handler = std::make_shared<ThreadNotingHandler>();
    auto server = HttpServer::listen(loops.all(), {}, handler);
    ASSERT_TRUE(server);
    const std::uint16_t port = (*server)->port();
    std::atomic<int> answered_count = 0;
    RawClient idle{port};

    std::jthread runner{[&loops] { loops.run(); }};
    {
        std::vector<std::jthread> clients;
        for (int index = 0; index < kClients; ++index) {
            clients.emplace_back(call_often, port, &answered_count);
        }
    }

    EXPECT_EQ(answered_count, kClients * kRequests);
    EXPECT_EQ(handler->thread_count(), kLoops);
    // On the first loop, while the other one runs.
    boost::asio::post(loops.all().front().executor, [&] { server->reset(); });
    const auto end = std::chrono::steady_clock::now() + 30s;
    while (!idle.has_ended() && std::chrono::steady_clock::now() < end) {
        idle.receive();
        std::this_thread::yield();
    }
    EXPECT_TRUE(idle.has_ended());
    loops.stop();
}

TEST(HttpServerThreadedTest, DrainsFromAnotherThread) {
    EventLoops loops{kLoops};
    auto server = HttpServer::listen(loops.all(), {}, std::make_shared<ThreadNotingHandler>());
    ASSERT_TRUE(server);
    std::jthread runner{[&loops] { loops.run(); }};
    RawClient first{(*server)->port()};
    RawClient second{(*server)->port()};
    first.send(post("1"));
    second.send(post("2"));
    EXPECT_TRUE(gets(first, ok("1")));
    EXPECT_TRUE(gets(second, ok("2")));

    (*server)->drain();

    const auto end = std::chrono::steady_clock::now() + 30s;
    while ((*server)->connection_count() > 0 && std::chrono::steady_clock::now() < end) {
        std::this_thread::yield();
    }
    EXPECT_EQ((*server)->connection_count(), 0U);
    loops.stop();
    runner.join();
}

asio::awaitable<void> echo_one(asio::awaitable<NetResult<std::unique_ptr<MessageChannel>>> accepted,
                               std::atomic<std::thread::id>* where) {
    auto channel = co_await std::move(accepted);
    if (channel) {
        const auto message = co_await (*channel)->read();
        *where = std::this_thread::get_id();
        std::ignore = (*channel)->try_write(message ? *message : "nothing");
        co_await (*channel)->close();
    }
}

/// Moves every WebSocket to one loop.
class OneLoopHandler final : public HttpHandler {
public:
    explicit OneLoopHandler(OwningLoop home) : home_(std::move(home)) {}

    std::optional<HttpReply> refused(const HttpRequest&) override { return std::nullopt; }
    void on_request(std::shared_ptr<HttpExchange> exchange) override {
        auto accepted = exchange->accept_websocket({.loop = home_});
        asio::co_spawn(home_.executor, echo_one(std::move(accepted), &where),
                       [](const std::exception_ptr& failure) { EXPECT_FALSE(failure); });
    }

    std::atomic<std::thread::id> where;

private:
    const OwningLoop home_;
};

TEST(HttpServerThreadedTest, MovesAWebSocketToAnotherLoop) {
    EventLoops loops{kLoops};
    const auto handler = std::make_shared<OneLoopHandler>(loops.all().front());
    auto server = HttpServer::listen(loops.all(), {}, handler);
    ASSERT_TRUE(server);
    std::jthread runner{[&loops] { loops.run(); }};
    const std::thread::id home = runner.get_id();  // the first loop runs where `run` was called

    // connections are distributed to the loops in turn
    for (int index = 0; index < kClients; ++index) {
        RawClient from{(*server)->port()};
        from.send(
            "GET /ws HTTP/1.1\r\nHost: h\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n");
        EXPECT_TRUE(gets_until(from, "\r\n\r\n").starts_with("HTTP/1.1 101 "));

        from.send(std::string_view{"\x81\x82\0\0\0\0hi", 8});

        EXPECT_TRUE(gets_until(from, "hi").starts_with("\x81\x02hi"));
        EXPECT_EQ(handler->where.load(), home);
    }
    loops.stop();
    runner.join();
}

}  // namespace
}  // namespace holdfast::net
