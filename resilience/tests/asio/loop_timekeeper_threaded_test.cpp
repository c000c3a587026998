#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <thread>

#include "holdfast/resilience/asio/loop_timekeeper.hpp"

namespace holdfast::resilience {
namespace {

TEST(LoopTimekeeperThreadedTest, AnEventStopsTheClockOnItsThreadOnly) {
    boost::asio::io_context loop{1};
    const LoopTimekeeper timekeeper{loop.get_executor()};
    const LoopTimekeeper::Event event{&timekeeper};
    const TimePoint here = timekeeper.now();
    TimePoint elsewhere;

    std::thread{[&] {
        while (std::chrono::steady_clock::now() == here) {
        }
        elsewhere = timekeeper.now();
    }}.join();

    EXPECT_GT(elsewhere, here);
    EXPECT_EQ(timekeeper.now(), here);
}

}  // namespace
}  // namespace holdfast::resilience
