#include "net/loop_snapshot.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <cstdint>
#include <deque>
#include <memory>
#include <thread>
#include <vector>

#include "holdfast/resilience/asio/loop_timekeeper.hpp"
#include "net/per_loop.hpp"

namespace holdfast::net {
namespace {

/// A loop that never runs: it only stands for a thread.
class TestLoop {
public:
    [[nodiscard]] OwningLoop loop() {
        return {.executor = context_.get_executor(), .timekeeper = &timekeeper_};
    }

private:
    boost::asio::io_context context_{1};
    resilience::LoopTimekeeper timekeeper_{context_.get_executor()};
};

/// Two halves that a reader must never see apart.
struct Pair {
    std::uint64_t one = 0;
    std::uint64_t other = 0;
};

std::shared_ptr<const Pair> pair_of(std::uint64_t number) {
    return std::make_shared<const Pair>(Pair{.one = number, .other = number});
}

TEST(PerLoopTest, EachLoopHasAValueOfItsOwn) {
    TestLoop first;
    TestLoop second;
    PerLoop<int> values;

    values.of(first.loop()) = 1;
    values.of(second.loop()) = 2;

    EXPECT_EQ(values.of(first.loop()), 1);
    EXPECT_EQ(values.of(second.loop()), 2);
}

TEST(PerLoopTest, LoopsMayComeAtTheSameTime) {
    constexpr int kLoops = 8;
    constexpr int kRounds = 20'000;
    std::deque<TestLoop> loops(kLoops);
    PerLoop<int> values;
    std::atomic<int> ready = 0;
    std::vector<std::thread> threads;
    for (TestLoop& own : loops) {
        threads.emplace_back([&values, &ready, loop = own.loop()] {
            ++ready;
            while (ready.load() < kLoops) {
            }
            for (int round = 0; round < kRounds; ++round) {
                ++values.of(loop);
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }

    for (TestLoop& own : loops) {
        EXPECT_EQ(values.of(own.loop()), kRounds);
    }
}

TEST(LoopSnapshotTest, ShowsEveryLoopTheLatestValue) {
    TestLoop first;
    TestLoop second;
    LoopSnapshot<Pair> snapshot;
    EXPECT_EQ(snapshot.on(first.loop()), nullptr);

    snapshot.publish(pair_of(1));
    EXPECT_EQ(snapshot.on(first.loop())->one, 1U);
    snapshot.publish(pair_of(2));

    EXPECT_EQ(snapshot.on(first.loop())->one, 2U);
    EXPECT_EQ(snapshot.on(second.loop())->one, 2U);
    EXPECT_EQ(snapshot.latest()->one, 2U);
    EXPECT_EQ(snapshot.on(first.loop()), snapshot.on(second.loop())) << "one value for all";
}

TEST(LoopSnapshotTest, AReaderSeesWholeValuesThatNeverGrowOlder) {
    constexpr std::uint64_t kLast = 20'000;
    std::deque<TestLoop> loops(4);
    LoopSnapshot<Pair> snapshot{pair_of(0)};
    std::atomic<int> faults = 0;
    std::vector<std::thread> readers;
    for (TestLoop& own : loops) {
        readers.emplace_back([&snapshot, &faults, loop = own.loop()] {
            std::uint64_t seen = 0;
            while (seen != kLast) {
                const Pair* const value = snapshot.on(loop);
                faults += value->one != value->other || value->one < seen ? 1 : 0;
                seen = value->one;
            }
        });
    }

    for (std::uint64_t number = 1; number <= kLast; ++number) {
        snapshot.publish(pair_of(number));
    }
    for (std::thread& reader : readers) {
        reader.join();
    }

    EXPECT_EQ(faults.load(), 0);
}

}  // namespace
}  // namespace holdfast::net
