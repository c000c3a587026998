#include "holdfast/resilience/synchronized.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <type_traits>
#include <utility>

namespace holdfast::resilience {
namespace {

/// Like the policies: constructed in place, neither copied nor moved.
class Counter {
public:
    Counter(int start, std::unique_ptr<int> step) : count_(start), step_(std::move(step)) {}
    Counter(const Counter&) = delete;
    Counter& operator=(const Counter&) = delete;

    int next() { return count_ += *step_; }
    [[nodiscard]] int count() const { return count_; }

private:
    int count_;
    std::unique_ptr<int> step_;
};

TEST(SynchronizedTest, ConstructsTheValueInPlace) {
    Synchronized<Counter> counter{10, std::make_unique<int>(5)};

    const int next = counter.with([](Counter& value) { return value.next(); });

    EXPECT_EQ(next, 15);
}

TEST(SynchronizedTest, KeepsChangesAndUnlocksAfterEachUse) {
    Synchronized<Counter> counter{0, std::make_unique<int>(1)};

    for (int round = 0; round < 3; ++round) {
        counter.with([](Counter& value) { value.next(); });
    }

    EXPECT_EQ(counter.with([](const Counter& value) { return value.count(); }), 3);
}

TEST(SynchronizedTest, GivesOnlyReadingAccessWhenConst) {
    const Synchronized<std::string> text{"abc"};

    text.with([](auto& value) {
        static_assert(std::is_const_v<std::remove_reference_t<decltype(value)>>);
    });

    EXPECT_EQ(text.with([](const std::string& value) { return value.size(); }), 3U);
}

TEST(SynchronizedTest, ReturnsMoveOnlyValues) {
    Synchronized<std::unique_ptr<int>> owner{std::make_unique<int>(7)};

    const auto taken = owner.with([](std::unique_ptr<int>& value) { return std::move(value); });

    ASSERT_NE(taken, nullptr);
    EXPECT_EQ(*taken, 7);
    EXPECT_TRUE(owner.with([](const auto& value) { return value == nullptr; }));
}

TEST(SynchronizedTest, CannotBeCopiedOrMoved) {
    static_assert(!std::is_copy_constructible_v<Synchronized<int>>);
    static_assert(!std::is_copy_assignable_v<Synchronized<int>>);
    static_assert(!std::is_move_assignable_v<Synchronized<int>>);
}

}  // namespace
}  // namespace holdfast::resilience
