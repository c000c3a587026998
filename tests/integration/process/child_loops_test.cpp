// Several loops, each on its own thread, share one guardian.

#include <gtest/gtest.h>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <chrono>
#include <exception>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "holdfast/resilience/asio/loop_timekeeper.hpp"
#include "process/child_process.hpp"
#include "process/guardian.hpp"
#include "support/process_watch.hpp"

namespace holdfast::process {
namespace {

using namespace std::chrono_literals;

constexpr int kLoops = 4;
constexpr int kChildrenPerLoop = 5;

boost::asio::awaitable<void> talk(std::shared_ptr<ChildProcess> child, int* echoed_count) {
    const bool is_sent = child->try_write("{}").has_value();
    const auto ready = co_await child->read();
    const bool is_ready = ready && *ready == "ready";
    const auto line = co_await child->read();
    const bool is_echoed = line && *line == "{}";
    const auto stopped =
        co_await child->stop({.close_wait = 20s, .terminate_wait = 20s, .kill_wait = 20s});
    *echoed_count += is_sent && is_ready && is_echoed && stopped ? 1 : 0;
}

// Returns the number of children that have echoed and stopped.
int run_loop(const Guardian& guardian, const std::string& program) {
    boost::asio::io_context context{1};
    resilience::LoopTimekeeper timekeeper{context.get_executor()};
    int echoed_count = 0;
    for (int index = 0; index < kChildrenPerLoop; ++index) {
        auto child = ChildProcess::launch({context.get_executor(), &timekeeper}, guardian,
                                          {.arguments = {program, "echo"}});
        if (!child) {
            continue;
        }
        boost::asio::co_spawn(context,
                              talk(std::shared_ptr<ChildProcess>{std::move(*child)}, &echoed_count),
                              [](const std::exception_ptr&) {});
    }
    context.run_for(60s);
    return echoed_count;
}

TEST(ChildLoopsTest, EveryLoopHasItsOwnChildren) {
    auto guardian = Guardian::start();
    ASSERT_TRUE(guardian);
    const std::string program = test::program_next_to_test("troubled_child");
    std::vector<int> echoed_counts(kLoops, 0);
    std::vector<std::thread> threads;
    threads.reserve(kLoops);

    for (int& echoed_count : echoed_counts) {
        threads.emplace_back(
            [&guardian, &program, &echoed_count] { echoed_count = run_loop(*guardian, program); });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }

    EXPECT_EQ(echoed_counts, std::vector<int>(kLoops, kChildrenPerLoop));
    EXPECT_TRUE(test::descendants_of(guardian->pid()).empty());
}

}  // namespace
}  // namespace holdfast::process
