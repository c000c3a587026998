#include "cli/output/start_text.hpp"

#include <chrono>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

namespace holdfast::cli {
namespace {

using namespace std::chrono_literals;
using downstream::DownstreamStatus;
using downstream::LinkState;
using downstream::StartPhase;
using downstream::StartProgress;

const resilience::TimePoint kStart{1h};

DownstreamStatus starting(StartPhase phase, resilience::TimePoint last_progress_at = kStart) {
    return {.state = LinkState::connecting,
            .start = StartProgress{.phase = phase,
                                   .package = "@scope/server",
                                   .since = kStart,
                                   .last_progress_at = last_progress_at}};
}

TEST(StartTextTest, NamesThePhaseAndItsAge) {
    const auto text = [](StartPhase phase) {
        return start_text(*starting(phase).start, kStart + 12'900ms);
    };

    EXPECT_EQ(text(StartPhase::installing), "installing @scope/server, 12 s");
    EXPECT_EQ(text(StartPhase::starting), "starting, 12 s");
    EXPECT_EQ(text(StartPhase::waiting_for_slot), "waiting for other first starts");
}

TEST(StartTextTest, WaitsForWhatMakesProgress) {
    const auto now = kStart + 60s;

    EXPECT_TRUE(makes_progress(starting(StartPhase::installing, now - 9s), now, 10s));
    EXPECT_FALSE(makes_progress(starting(StartPhase::installing, now - 10s), now, 10s));
    EXPECT_TRUE(makes_progress(starting(StartPhase::waiting_for_slot), now, 10s));
    EXPECT_TRUE(makes_progress(
        {.state = LinkState::ready, .ready_since = now - 1s, .unread_lists = 1}, now, 10s));
    EXPECT_FALSE(makes_progress(
        {.state = LinkState::ready, .ready_since = now - 11s, .unread_lists = 1}, now, 10s));
    EXPECT_FALSE(makes_progress({.state = LinkState::ready, .ready_since = now}, now, 10s));
    EXPECT_FALSE(makes_progress({.state = LinkState::waiting}, now, 10s));
}

TEST(StartTextTest, ReportsOnlyStartsThatTakeLong) {
    std::ostringstream lines;
    StartReports reports{&lines};

    for (auto age = 0s; age <= 40s; age += 1s) {
        reports.on_status("a", starting(StartPhase::installing), kStart + age);
        if (age < 4s) {
            reports.on_status("quick", starting(StartPhase::starting), kStart + age);
        }
    }

    EXPECT_EQ(lines.str(), "a: installing @scope/server, 5 s\na: installing @scope/server, 35 s\n");
}

TEST(StartTextTest, ReportsANewPhaseOnceItTakesLong) {
    std::ostringstream lines;
    StartReports reports{&lines};

    for (auto age = 0s; age <= 12s; age += 1s) {
        reports.on_status("a",
                          starting(age < 6s ? StartPhase::waiting_for_slot : StartPhase::starting),
                          kStart + age);
    }

    EXPECT_EQ(lines.str(), "a: waiting for other first starts\na: starting, 11 s\n");
}

}  // namespace
}  // namespace holdfast::cli
