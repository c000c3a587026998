#include "holdfast/resilience/expect.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <cstdio>
#include <string>

namespace holdfast::resilience {
namespace {

void report_as_mine(const ExpectationFailure& failure) {
    std::fprintf(stderr, "mine: %s at line %u\n", failure.condition,
                 static_cast<unsigned>(failure.where.line()));
}

void ignore_failure(const ExpectationFailure&) {}

void expect_small(int number) {
    HOLDFAST_EXPECT(number < 10);
}

const auto kAborted = ::testing::KilledBySignal(SIGABRT);

TEST(ExpectTest, PassesWhenTheConditionHolds) {
    expect_small(9);
}

TEST(ExpectTest, EvaluatesTheConditionOnce) {
    int looks = 0;

    HOLDFAST_EXPECT(++looks > 0);

    EXPECT_EQ(looks, 1);
}

TEST(ExpectTest, IsOneStatement) {
    bool reached_else = false;

    // NOLINTNEXTLINE(readability-braces-around-statements): that it needs none is the point.
    if (!reached_else) {
        HOLDFAST_EXPECT(!reached_else);
    } else {
        reached_else = true;
    }

    EXPECT_FALSE(reached_else);
}

TEST(ExpectTest, ReturnsThePreviousHandler) {
    const ExpectationHandler original = set_expectation_handler(&report_as_mine);
    const ExpectationHandler first = set_expectation_handler(&ignore_failure);
    const ExpectationHandler second = set_expectation_handler(nullptr);
    const ExpectationHandler restored = set_expectation_handler(original);

    EXPECT_EQ(first, &report_as_mine);
    EXPECT_EQ(second, &ignore_failure);
    EXPECT_EQ(restored, original);
}

TEST(ExpectDeathTest, ReportsPositionAndConditionThenAborts) {
    EXPECT_EXIT(expect_small(10), kAborted,
                "expect_test.cpp:[0-9]+: expectation failed: number < 10 .*expect_small");
}

TEST(ExpectDeathTest, CallsTheConfiguredHandlerInsteadOfTheDefault) {
    const auto fail_with_handler = [] {
        set_expectation_handler(&report_as_mine);
        expect_small(10);
    };

    EXPECT_EXIT(fail_with_handler(), kAborted, "^mine: number < 10 at line [0-9]+\n$");
}

TEST(ExpectDeathTest, AbortsEvenIfTheHandlerReturns) {
    const auto fail_with_handler = [] {
        set_expectation_handler(&ignore_failure);
        expect_small(10);
    };

    EXPECT_EXIT(fail_with_handler(), kAborted, "^$");
}

TEST(ExpectDeathTest, NullRestoresTheDefaultHandler) {
    const auto fail_with_default = [] {
        set_expectation_handler(&ignore_failure);
        set_expectation_handler(nullptr);
        expect_small(10);
    };

    EXPECT_EXIT(fail_with_default(), kAborted, "expectation failed: number < 10");
}

TEST(ExpectDeathTest, DebugCheckIsOnInDebugBuildsOnly) {
    const auto check = [](bool holds) {
        HOLDFAST_DEBUG_EXPECT(holds);
        static_cast<void>(holds);
    };

    check(true);
#ifdef NDEBUG
    check(false);
#else
    EXPECT_EXIT(check(false), kAborted, "expectation failed: holds");
#endif
}

}  // namespace
}  // namespace holdfast::resilience
