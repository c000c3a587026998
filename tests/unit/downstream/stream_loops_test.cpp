// Calls from several loops, each on its own thread, to a link on another loop.

#include <gtest/gtest.h>

#include <atomic>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <chrono>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "downstream/stream/stream_link.hpp"
#include "holdfast/resilience/asio/loop_timekeeper.hpp"
#include "support/memory_channel.hpp"

namespace holdfast::downstream {
namespace {

using namespace std::chrono_literals;

constexpr int kCallers = 3;
constexpr int kCallsPerCaller = 200;

/// A loop that runs on its own thread.
class ThreadLoop {
public:
    ThreadLoop() : timekeeper_(context_.get_executor()), work_(context_.get_executor()) {}
    ~ThreadLoop() { stop(); }

    [[nodiscard]] net::OwningLoop loop() { return {context_.get_executor(), &timekeeper_}; }
    void stop() {
        context_.stop();
        if (thread_.joinable()) {
            thread_.join();
        }
    }
    /// Runs work on the loop and waits for it.
    template <class Work>
    void run(Work work) {
        std::promise<void> done;
        boost::asio::post(context_, [&] {
            work();
            done.set_value();
        });
        done.get_future().wait();
    }

private:
    boost::asio::io_context context_{1};
    resilience::LoopTimekeeper timekeeper_;
    boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_;
    std::thread thread_{[this] { context_.run(); }};
};

/// Sends progress, then answers; every tenth call gets no answer.
boost::asio::awaitable<void> serve(std::shared_ptr<test::MemoryChannel> peer) {
    while (true) {
        const auto message = co_await peer->read();
        if (!message) {
            co_return;
        }
        const std::string text{*message};
        const std::size_t at = text.find(R"("id":)");
        if (at == std::string::npos) {
            continue;
        }
        const std::string id = std::to_string(std::stoul(text.substr(at + 5)));
        EXPECT_TRUE(peer->try_write(
            R"({"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":)" +
            id + R"(,"progress":1}})"));
        if (text.find("hang") == std::string::npos) {
            EXPECT_TRUE(peer->try_write(R"({"jsonrpc":"2.0","id":)" + id + R"(,"result":{"id":)" +
                                        id + "}}"));
        }
    }
}

class CountingListener final : public CallListener {
public:
    explicit CountingListener(std::thread::id thread) : thread_(thread) {}
    void on_notification(Notification) override {
        EXPECT_EQ(std::this_thread::get_id(), thread_) << "delivered on another loop";
        ++count;
    }
    void on_question(Question) override {}

    int count = 0;

private:
    std::thread::id thread_;
};

struct Tally {
    std::atomic<int> answered = 0;
    std::atomic<int> timed_out = 0;
    std::atomic<int> received = 0;
    std::promise<void> all_done = {};
    std::atomic<int> left = kCallers;
};

boost::asio::awaitable<void> call_often(std::shared_ptr<StreamLink> link, net::OwningLoop caller,
                                        std::shared_ptr<Tally> tally) {
    const auto listener = std::make_shared<CountingListener>(std::this_thread::get_id());
    for (int index = 0; index < kCallsPerCaller; ++index) {
        const bool hangs = index % 10 == 9;
        Request request{.method = hangs ? "test/hang" : "test/echo", .wants_progress = true};
        request.deadline =
            resilience::Deadline::after(caller.timekeeper->now(), hangs ? 20ms : 60s);
        const auto result = co_await link->call(caller, std::move(request), listener);
        if (result) {
            ++tally->answered;
        } else if (result.error().kind == CallFault::Kind::timed_out) {
            ++tally->timed_out;
        }
    }
    tally->received += listener->count;
    if (--tally->left == 0) {
        tally->all_done.set_value();
    }
}

boost::asio::awaitable<void> keep_kind(std::weak_ptr<StreamLink> link, net::OwningLoop caller,
                                       std::shared_ptr<std::promise<CallFault::Kind>> kept) {
    auto work = link.lock()->call(caller, {.method = "test/hang"}, nullptr);
    const auto result = co_await std::move(work);
    kept->set_value(result.error().kind);
}

TEST(StreamLinkLoopsTest, AnswersCallsOfOtherLoops) {
    ThreadLoop home;
    std::vector<std::unique_ptr<ThreadLoop>> callers;
    std::shared_ptr<StreamLink> link;
    std::shared_ptr<test::MemoryChannel> peer;
    const auto tally = std::make_shared<Tally>();
    home.run([&] {
        auto channels = test::make_memory_channels(home.loop());
        peer = std::move(channels.far);
        link = StreamLink::make(home.loop(), std::move(channels.near), StreamLinkOptions{});
        link->serve({}, {});
        boost::asio::co_spawn(home.loop().executor, serve(peer), [](const std::exception_ptr&) {});
    });

    for (int index = 0; index < kCallers; ++index) {
        callers.push_back(std::make_unique<ThreadLoop>());
        boost::asio::co_spawn(callers.back()->loop().executor,
                              call_often(link, callers.back()->loop(), tally),
                              [](const std::exception_ptr&) {});
    }
    const auto waited = tally->all_done.get_future().wait_for(60s);

    EXPECT_EQ(waited, std::future_status::ready);
    EXPECT_EQ(tally->answered, kCallers * kCallsPerCaller * 9 / 10);
    EXPECT_EQ(tally->timed_out, kCallers * kCallsPerCaller / 10);
    EXPECT_EQ(tally->received, kCallers * kCallsPerCaller);
    for (const auto& caller : callers) {
        caller->run([] {});  // releases what a finished call holds
    }
    home.run([&] {
        link.reset();
        peer.reset();
    });
}

TEST(StreamLinkLoopsTest, FailsCallsOfOtherLoopsWhenDestroyed) {
    ThreadLoop home;
    ThreadLoop caller;
    std::shared_ptr<StreamLink> link;
    std::shared_ptr<test::MemoryChannel> peer;
    home.run([&] {
        auto channels = test::make_memory_channels(home.loop());
        peer = std::move(channels.far);
        link = StreamLink::make(home.loop(), std::move(channels.near), StreamLinkOptions{});
        link->serve({}, {});
    });
    const auto ended = std::make_shared<std::promise<CallFault::Kind>>();
    boost::asio::co_spawn(caller.loop().executor, keep_kind(link, caller.loop(), ended),
                          [](const std::exception_ptr&) {});
    caller.run([] {});  // the call is in flight

    home.run([&] { link.reset(); });

    auto kind = ended->get_future();
    ASSERT_EQ(kind.wait_for(60s), std::future_status::ready);
    EXPECT_EQ(kind.get(), CallFault::Kind::stopping);
    home.run([&] { peer.reset(); });
}

}  // namespace
}  // namespace holdfast::downstream
