// One client on several loops: one limit for all, and no loop starves.

#include <gtest/gtest.h>

#include <atomic>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <exception>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "client_loop.hpp"
#include "support/scripted_server.hpp"

namespace holdfast::net {
namespace {

namespace asio = boost::asio;

constexpr int kTasksPerLoop = 6;
constexpr int kRequestsPerTask = 60;

/// A loop with its own thread, until it is destroyed.
class LoopThread final {
public:
    LoopThread()
        : timekeeper_(context_.get_executor()),
          work_(context_.get_executor()),
          thread_([this] { context_.run(); }) {}
    LoopThread(const LoopThread&) = delete;
    LoopThread& operator=(const LoopThread&) = delete;
    ~LoopThread() {
        context_.stop();
        thread_.join();
    }

    [[nodiscard]] asio::io_context& context() { return context_; }
    [[nodiscard]] OwningLoop loop() { return {context_.get_executor(), &timekeeper_}; }

    /// Runs the work on the loop and waits for it.
    template <class Work>
    auto call(Work work) {
        std::packaged_task<decltype(work())()> task{std::move(work)};
        auto done = task.get_future();
        asio::post(context_, std::move(task));
        return done.get();
    }

private:
    asio::io_context context_{1};
    resilience::LoopTimekeeper timekeeper_;
    asio::executor_work_guard<asio::io_context::executor_type> work_;
    std::thread thread_;
};

asio::awaitable<int> fetch_many(std::shared_ptr<HttpClient> client, OwningLoop loop, int count) {
    int good = 0;
    for (int index = 0; index < count; ++index) {
        const auto deadline = resilience::Deadline::after(loop.timekeeper->now(), 60s);
        const Fetched got = co_await fetch(client, loop, {.body = "ping"}, deadline);
        EXPECT_EQ(got.error, std::nullopt) << got.message;
        good += got.body == "pong" ? 1 : 0;
    }
    co_return good;
}

std::future<int> start(LoopThread& thread, const std::shared_ptr<HttpClient>& client, int count) {
    auto promise = std::make_shared<std::promise<int>>();
    auto future = promise->get_future();
    asio::co_spawn(thread.context(), fetch_many(client, thread.loop(), count),
                   [promise](const std::exception_ptr&, int good) { promise->set_value(good); });
    return future;
}

class HttpClientLoopsTest : public ::testing::Test {
protected:
    HttpClientLoopsTest() {
        server_ = serving_.call([this] {
            auto server = std::make_unique<test::ScriptedServer>(serving_.context());
            server->answer_all(test::http_answer("pong"));
            return server;
        });
    }
    ~HttpClientLoopsTest() override {
        serving_.call([this] { server_.reset(); });
    }

    LoopThread serving_;
    std::unique_ptr<test::ScriptedServer> server_;
    LoopThread first_;
    LoopThread second_;
};

TEST_F(HttpClientLoopsTest, AnIdleConnectionYieldsToAnotherLoop) {
    const auto client = client_of(server_->url(), {.max_connections = 1});

    EXPECT_EQ(start(first_, client, 1).get(), 1);
    EXPECT_EQ(start(second_, client, 1).get(), 1);
    EXPECT_EQ(start(first_, client, 1).get(), 1);
}

TEST_F(HttpClientLoopsTest, LoopsShareTheLimitAndNoneStarves) {
    constexpr std::size_t kLimit = 3;
    const auto client = client_of(server_->url(), {.max_connections = kLimit});
    std::vector<std::future<int>> tasks;
    for (int count = 0; count < kTasksPerLoop; ++count) {
        tasks.push_back(start(first_, client, kRequestsPerTask));
        tasks.push_back(start(second_, client, kRequestsPerTask));
    }

    int good = 0;
    for (auto& task : tasks) {
        good += task.get();
    }

    EXPECT_EQ(good, 2 * kTasksPerLoop * kRequestsPerTask);
    const auto accepted = serving_.call([this] { return server_->accepted_count(); });
    EXPECT_LT(accepted, static_cast<std::size_t>(good) / 4) << "hardly any connection was reused";
}

TEST_F(HttpClientLoopsTest, MayBeDestroyedWhileRequestsRunOnOtherThreads) {
    for (int round = 0; round < 20; ++round) {
        auto client = client_of(server_->url(), {.max_connections = 2});
        std::vector<std::future<int>> tasks;
        for (int count = 0; count < 4; ++count) {
            tasks.push_back(start(first_, client, 1));
            tasks.push_back(start(second_, client, 1));
        }
        client.reset();
        for (auto& task : tasks) {
            EXPECT_EQ(task.get(), 1);
        }
    }
}

}  // namespace
}  // namespace holdfast::net
