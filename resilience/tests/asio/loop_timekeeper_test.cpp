#include "holdfast/resilience/asio/loop_timekeeper.hpp"

#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <optional>
#include <string>

namespace holdfast::resilience {
namespace {

using namespace std::chrono_literals;

class NamedTimer final : public Timer {
public:
    NamedTimer(std::string& log, char name) : log_(log), name_(name) {}
    void on_time() override { log_.push_back(name_); }

private:
    std::string& log_;
    char name_;
};

TEST(LoopTimekeeperTest, FiresTimersInTheOrderOfTheirInstants) {
    boost::asio::io_context loop{1};
    LoopTimekeeper timekeeper{loop.get_executor()};
    std::string log;
    NamedTimer late{log, 'c'};
    NamedTimer early{log, 'a'};
    NamedTimer middle{log, 'b'};
    const TimePoint now = timekeeper.now();

    timekeeper.schedule(late, now - 1ms);
    timekeeper.schedule(early, now - 3ms);
    timekeeper.schedule(middle, now - 2ms);
    loop.run();

    EXPECT_EQ(log, "abc");
}

/// Until the clock shows another instant.
void let_time_pass() {
    const auto before = std::chrono::steady_clock::now();
    while (std::chrono::steady_clock::now() == before) {
    }
}

TEST(LoopTimekeeperTest, ReadsTheClockOnceInAnEvent) {
    boost::asio::io_context loop{1};
    LoopTimekeeper timekeeper{loop.get_executor()};
    const TimePoint before = timekeeper.now();
    let_time_pass();
    TimePoint in_event;
    {
        const LoopTimekeeper::Event event{&timekeeper};
        in_event = timekeeper.now();
        let_time_pass();
        EXPECT_EQ(timekeeper.now(), in_event);
    }
    let_time_pass();

    EXPECT_GT(in_event, before);
    EXPECT_GT(timekeeper.now(), in_event);
}

TEST(LoopTimekeeperTest, ReadsTheClockAgainInTheNextEvent) {
    boost::asio::io_context loop{1};
    LoopTimekeeper timekeeper{loop.get_executor()};
    TimePoint first;
    {
        const LoopTimekeeper::Event event{&timekeeper};
        first = timekeeper.now();
    }
    let_time_pass();

    const LoopTimekeeper::Event event{&timekeeper};
    EXPECT_GT(timekeeper.now(), first);
}

TEST(LoopTimekeeperTest, DoesNotKeepALoopRunningForACancelledTimer) {
    boost::asio::io_context loop{1};
    LoopTimekeeper timekeeper{loop.get_executor()};
    std::string log;
    NamedTimer first{log, 'a'};
    NamedTimer second{log, 'b'};
    timekeeper.schedule(first, timekeeper.now() + 24h);
    timekeeper.schedule(second, timekeeper.now() + 48h);

    timekeeper.cancel(second);
    loop.poll();
    EXPECT_FALSE(loop.stopped());
    timekeeper.cancel(first);
    loop.poll();

    EXPECT_TRUE(loop.stopped());
    EXPECT_EQ(log, "");
}

TEST(LoopTimekeeperTest, WakesForAnEarlierTimerThatIsScheduledLater) {
    boost::asio::io_context loop{1};
    LoopTimekeeper timekeeper{loop.get_executor()};
    std::string log;
    NamedTimer distant{log, 'a'};
    NamedTimer due{log, 'b'};
    timekeeper.schedule(distant, timekeeper.now() + 24h);

    timekeeper.schedule(due, timekeeper.now());
    loop.run_one();
    loop.poll();

    EXPECT_EQ(log, "b");
    timekeeper.cancel(distant);
}

TEST(LoopTimekeeperTest, MayBeDestroyedBeforeScheduledTimers) {
    boost::asio::io_context loop{1};
    std::string log;
    NamedTimer orphan{log, 'a'};
    {
        LoopTimekeeper timekeeper{loop.get_executor()};
        timekeeper.schedule(orphan, timekeeper.now());
    }

    loop.run();

    EXPECT_FALSE(orphan.is_scheduled());
    EXPECT_EQ(log, "");
}

}  // namespace
}  // namespace holdfast::resilience
