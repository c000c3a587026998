#include "process/stop_sequence.hpp"

#include <gtest/gtest.h>

namespace holdfast::process {
namespace {

using namespace std::chrono_literals;

constexpr StopOptions kOptions{.close_wait = 2s, .terminate_wait = 3s, .kill_wait = 4s};
constexpr resilience::TimePoint kStart{std::chrono::hours{1'000}};

StopStep wait_until(resilience::TimePoint until) {
    return {.action = StopAction::wait, .until = until};
}

TEST(StopSequenceTest, StopsStepByStep) {
    StopSequence ladder{kOptions};
    const auto at = [&ladder](resilience::Duration time) {
        return ladder.next(kStart + time, ChildProgress::running);
    };

    EXPECT_EQ(at(0s).action, StopAction::close_input);
    EXPECT_EQ(at(0s), wait_until(kStart + 2s));
    EXPECT_EQ(at(1s), wait_until(kStart + 2s));
    EXPECT_EQ(at(2s).action, StopAction::terminate);
    EXPECT_EQ(at(2s), wait_until(kStart + 5s));
    EXPECT_EQ(at(5s).action, StopAction::kill);
    EXPECT_EQ(at(5s), wait_until(kStart + 9s));
    EXPECT_EQ(at(9s).action, StopAction::given_up);
}

TEST(StopSequenceTest, IsFinishedOnEveryStepWhenNothingIsLeft) {
    for (int steps = 0; steps < 7; ++steps) {
        StopSequence ladder{kOptions};
        resilience::TimePoint now = kStart;
        for (int index = 0; index < steps; ++index) {
            const StopStep step = ladder.next(now, ChildProgress::running);
            now = step.action == StopAction::wait ? step.until : now;
        }

        EXPECT_EQ(ladder.next(now, ChildProgress::cleared).action, StopAction::finished);
    }
}

TEST(StopSequenceTest, SendsNoSignalsToAChildThatHasExited) {
    StopSequence ladder{kOptions};
    EXPECT_EQ(ladder.next(kStart, ChildProgress::running).action, StopAction::close_input);

    EXPECT_EQ(ladder.next(kStart + 1s, ChildProgress::exited), wait_until(kStart + 5s));
    EXPECT_EQ(ladder.next(kStart + 5s, ChildProgress::exited).action, StopAction::given_up);
}

TEST(StopSequenceTest, SkipsTheWaitsThatAreZero) {
    StopSequence ladder{{.close_wait = 0s, .terminate_wait = 0s, .kill_wait = 0s}};

    EXPECT_EQ(ladder.next(kStart, ChildProgress::running).action, StopAction::close_input);
    EXPECT_EQ(ladder.next(kStart, ChildProgress::running).action, StopAction::terminate);
    EXPECT_EQ(ladder.next(kStart, ChildProgress::running).action, StopAction::kill);
    EXPECT_EQ(ladder.next(kStart, ChildProgress::running).action, StopAction::given_up);
}

}  // namespace
}  // namespace holdfast::process
