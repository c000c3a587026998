#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <cstdint>
#include <memory>
#include <random>
#include <thread>

#include "holdfast/resilience/asio/asio_pipeline.hpp"
#include "holdfast/resilience/asio/loop_timekeeper.hpp"

namespace holdfast::resilience {
namespace {

using namespace std::chrono_literals;

/// A thread with its own loop, timekeeper and generator; a gateway has one per core.
struct Loop {
    explicit Loop(std::uint64_t seed) : random(seed) {}

    boost::asio::io_context context{1};
    LoopTimekeeper timekeeper{context.get_executor()};
    std::mt19937_64 random;
};

struct Counts {
    std::atomic<std::uint32_t> answered{0};
    std::atomic<std::uint32_t> ended_otherwise{0};
    std::atomic<std::uint32_t> in_flight{0};
    std::atomic<std::uint32_t> most_in_flight{0};
};

boost::asio::awaitable<AttemptReply<int>> attempt(Loop& loop, Counts& counts, Duration takes) {
    const std::uint32_t now_in_flight = ++counts.in_flight;
    std::uint32_t most = counts.most_in_flight.load();
    while (most < now_in_flight &&
           !counts.most_in_flight.compare_exchange_weak(most, now_in_flight)) {
    }
    OneShot work{loop.timekeeper};
    co_await work.wait_until(loop.timekeeper.now() + takes);
    --counts.in_flight;
    co_return AttemptReply<int>{.value = 1};
}

boost::asio::awaitable<void> call(std::shared_ptr<AsioPipeline> pipeline, Loop& loop,
                                  Counts& counts) {
    const Duration takes = std::chrono::microseconds{loop.random() % 200};
    const auto reply = co_await pipeline->run<int>(
        {}, {loop.timekeeper, loop.random},
        [&loop, &counts, takes](const AttemptContext&) { return attempt(loop, counts, takes); });
    ++(reply.verdict.ending == CallEnding::answered ? counts.answered : counts.ended_otherwise);
}

TEST(AsioPipelineThreadedTest, ServesSeveralLoopsWithoutLosingAWaiter) {
    constexpr std::uint32_t kCallsPerLoop = 300;
    const auto pipeline = AsioPipeline::make(
        {.name = "shared",
         .options = {.timeout = 60s, .attempt_timeout = 60s},
         .bulkhead = BulkheadOptions{.max_in_flight = 2, .max_queue = 1'000, .max_wait = 60s}});
    std::array<std::unique_ptr<Loop>, 3> loops;
    Counts counts;
    for (std::size_t index = 0; index < loops.size(); ++index) {
        loops[index] = std::make_unique<Loop>(index);
        for (std::uint32_t round = 0; round < kCallsPerLoop; ++round) {
            boost::asio::co_spawn(
                loops[index]->context, call(pipeline, *loops[index], counts),
                [](const std::exception_ptr& failure) { EXPECT_TRUE(failure == nullptr); });
        }
    }

    {
        std::array<std::jthread, 3> threads;
        for (std::size_t index = 0; index < loops.size(); ++index) {
            threads[index] = std::jthread{[&loop = *loops[index]] { loop.context.run(); }};
        }
    }

    EXPECT_EQ(counts.answered, loops.size() * kCallsPerLoop);
    EXPECT_EQ(counts.ended_otherwise, 0U);
    EXPECT_EQ(counts.most_in_flight, 2U);
    pipeline->shared().with([](const PipelineParts& parts) {
        EXPECT_EQ(parts.bulkhead->in_flight(), 0U);
        EXPECT_EQ(parts.bulkhead->queued(), 0U);
        EXPECT_EQ(parts.circuit->permits_outstanding(), 0U);
    });
}

}  // namespace
}  // namespace holdfast::resilience
