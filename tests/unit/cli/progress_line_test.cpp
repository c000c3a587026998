#include "cli/output/progress_line.hpp"

#include <chrono>
#include <optional>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

namespace holdfast::cli {
namespace {

using namespace std::chrono_literals;

class HandMovedTime final : public resilience::Timekeeper {
public:
    [[nodiscard]] resilience::TimePoint now() const override { return now_; }
    void schedule(resilience::Timer& timer, resilience::TimePoint when) override {
        timers_.schedule(timer, when);
    }
    void cancel(resilience::Timer& timer) override { timers_.cancel(timer); }
    void advance(resilience::Duration by) {
        now_ += by;
        while (resilience::Timer* timer = timers_.take_due(now_)) {
            timer->on_time();
        }
    }

private:
    resilience::TimePoint now_;
    resilience::TimerHeap timers_;
};

TEST(ProgressLineTest, ShowsHowManyServersAreReady) {
    EXPECT_EQ(waiting_text({.done = 1, .total = 4, .missing = "a, b, c"}),
              "waiting for servers [#####---------------] 1 of 4: a, b, c");
    EXPECT_EQ(waiting_text({.done = 2, .total = 2}),
              "waiting for servers [####################] 2 of 2");
    EXPECT_EQ(waiting_text({}), "waiting for servers [--------------------] 0 of 0");
    EXPECT_LE(waiting_text({.done = 0, .total = 9, .missing = std::string(500, 'x')}).size(), 82U);
}

TEST(ProgressLineTest, ShowsNothingOfAShortWaitAndLeavesNothingOfALongOne) {
    HandMovedTime time;
    std::ostringstream terminal;
    std::size_t done = 0;
    std::optional<ProgressLine> bar;
    bar.emplace(time, [&done] { return WaitingProgress{.done = done, .total = 2}; }, terminal);

    time.advance(200ms);
    EXPECT_EQ(terminal.str(), "");
    time.advance(150ms);
    EXPECT_NE(terminal.str().find("0 of 2"), std::string::npos);
    done = 1;
    time.advance(100ms);
    EXPECT_NE(terminal.str().find("1 of 2"), std::string::npos);

    bar.reset();
    EXPECT_TRUE(terminal.str().ends_with("\r\x1b[K"));
}

}  // namespace
}  // namespace holdfast::cli
