#include "calls/repeat_guard.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <string>

namespace holdfast::calls {
namespace {

using namespace std::chrono_literals;

const resilience::TimePoint kNow{1h};
const policy::RepeatGuardRules kRules{.failures = 3, .hold = 60s};

class RepeatGuardTest : public ::testing::Test {
protected:
    void fail(const std::string& call, std::string_view words, resilience::TimePoint at = kNow) {
        guard_.on_failure(call, call == "c" ? "other" : "box", words, kRules, at);
    }

    RepeatGuard guard_{4};
};

TEST_F(RepeatGuardTest, HoldsACallThatFailsTheSameWayThreeTimes) {
    fail("a", "bad");
    fail("a", "bad");
    EXPECT_FALSE(guard_.error_of_held("a", kNow));
    fail("a", "bad");

    EXPECT_EQ(guard_.error_of_held("a", kNow), "bad");
    EXPECT_EQ(guard_.error_of_held("a", kNow + 60s - 1ns), "bad");
    EXPECT_FALSE(guard_.error_of_held("a", kNow + 60s));
    EXPECT_FALSE(guard_.error_of_held("b", kNow));
}

TEST_F(RepeatGuardTest, AChangeAtAServerForgetsAllFailuresThere) {
    for (const std::string call : {"a", "b", "c"}) {
        fail(call, "bad");
        fail(call, "bad");
        fail(call, "bad");
    }

    guard_.on_change("box");

    EXPECT_FALSE(guard_.error_of_held("a", kNow));
    EXPECT_FALSE(guard_.error_of_held("b", kNow));
    EXPECT_TRUE(guard_.error_of_held("c", kNow));
    guard_.on_change("other");
    EXPECT_TRUE(guard_.is_empty());
}

TEST_F(RepeatGuardTest, StoresOnlyTheBeginningOfALongError) {
    const std::string error(10'000, 'x');
    fail("a", error);
    fail("a", error);
    fail("a", error);

    EXPECT_EQ(guard_.error_of_held("a", kNow), std::string(1'000, 'x'));
}

TEST_F(RepeatGuardTest, CountsTheSameFailureOnly) {
    fail("a", "bad");
    fail("a", "bad");
    fail("a", "worse");
    fail("a", "bad");
    fail("a", "bad");

    EXPECT_FALSE(guard_.error_of_held("a", kNow));
}

TEST_F(RepeatGuardTest, ForgetsACallThatSucceeds) {
    fail("a", "bad");
    fail("a", "bad");
    EXPECT_FALSE(guard_.is_empty());
    guard_.on_other_end("a");
    EXPECT_TRUE(guard_.is_empty());
    fail("a", "bad");

    EXPECT_FALSE(guard_.error_of_held("a", kNow));
}

TEST_F(RepeatGuardTest, ForgetsOldFailures) {
    fail("a", "bad");
    fail("a", "bad", kNow + 60s);
    fail("a", "bad", kNow + 120s);

    EXPECT_FALSE(guard_.error_of_held("a", kNow + 120s));
}

TEST_F(RepeatGuardTest, StoresNoMoreCallsThanItsLimit) {
    for (int index = 0; index < 100; ++index) {
        fail(std::to_string(index), "bad");
    }
    fail("last", "bad");
    fail("last", "bad");
    fail("last", "bad");

    EXPECT_TRUE(guard_.error_of_held("last", kNow));
}

}  // namespace
}  // namespace holdfast::calls
