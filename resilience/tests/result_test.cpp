#include "holdfast/resilience/result.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "support/seeds.hpp"

namespace holdfast::resilience {
namespace {

using testing::for_each_seed;
using testing::random_between;

// Both sides share one allocation, so that the count reveals a value that is lost or destroyed
// twice.
using Share = std::shared_ptr<int>;

struct ShareError {
    Share share;
};

using SharedResult = Result<Share, ShareError>;

Result<int> half_of(int number) {
    if (number % 2 != 0) {
        return Error{Errc::invalid_options, "number must be even"};
    }
    return number / 2;
}

TEST(ResultTest, HoldsTheValueOfASuccess) {
    const auto result = half_of(8);

    EXPECT_TRUE(result.has_value());
    EXPECT_TRUE(static_cast<bool>(result));
    EXPECT_EQ(result.value(), 4);
    EXPECT_EQ(*result, 4);
}

TEST(ResultTest, HoldsTheErrorOfAFailure) {
    const auto result = half_of(7);

    EXPECT_FALSE(result.has_value());
    EXPECT_FALSE(static_cast<bool>(result));
    EXPECT_EQ(result.error(), (Error{Errc::invalid_options, "number must be even"}));
}

TEST(ResultTest, GivesAccessToMembersOfTheValue) {
    Result<std::string> result{std::string{"abc"}};
    const auto& unchanging = result;

    result->push_back('d');

    EXPECT_EQ(unchanging->size(), 4U);
    EXPECT_EQ(*result, "abcd");
}

TEST(ResultTest, AllowsChangingEitherSideInPlace) {
    Result<int> success{1};
    Result<int> failure{Error{Errc::unknown_name, "a"}};

    *success = 2;
    failure.error().message = "b";

    EXPECT_EQ(success.value(), 2);
    EXPECT_EQ(failure.error().message, "b");
}

TEST(ResultTest, ValueOrFallsBackOnlyOnFailure) {
    EXPECT_EQ(half_of(8).value_or(-1), 4);
    EXPECT_EQ(half_of(7).value_or(-1), -1);
}

TEST(ResultTest, MovesOutValuesThatCannotBeCopied) {
    Result<std::unique_ptr<int>> result{std::make_unique<int>(5)};

    auto moved = std::move(result);
    const std::unique_ptr<int> owned = std::move(moved).value();

    ASSERT_NE(owned, nullptr);
    EXPECT_EQ(*owned, 5);
}

TEST(ResultTest, MovesOutTheError) {
    Result<int> result{Error{Errc::limit_reached, "full"}};

    const Error error = std::move(result).error();

    EXPECT_EQ(error, (Error{Errc::limit_reached, "full"}));
}

TEST(ResultTest, CopiesOnlyWhatCanBeCopied) {
    static_assert(std::is_copy_constructible_v<Result<int>>);
    static_assert(!std::is_copy_constructible_v<Result<std::unique_ptr<int>>>);
    static_assert(!std::is_copy_assignable_v<Result<std::unique_ptr<int>>>);
    static_assert(std::is_nothrow_move_constructible_v<Result<std::unique_ptr<int>>>);

    const Result<std::string> original{std::string{"kept"}};
    auto copy = original;
    copy->clear();

    EXPECT_EQ(*original, "kept");
}

TEST(ResultTest, KeepsItsContentsWhenAssignedToItself) {
    Result<std::string> success{std::string(100, 'x')};
    Result<std::string> failure{Error{Errc::unknown_name, std::string(100, 'y')}};

    auto& same_success = success;
    auto& same_failure = failure;
    success = same_success;
    failure = std::move(same_failure);

    EXPECT_EQ(*success, std::string(100, 'x'));
    EXPECT_EQ(failure.error().message, std::string(100, 'y'));
}

TEST(ResultTest, CanBeUsedAtCompileTime) {
    constexpr Result<int, char> kSuccess{3};
    constexpr Result<int, char> kFailure{'x'};

    static_assert(*kSuccess == 3);
    static_assert(kFailure.error() == 'x');
    static_assert(kFailure.value_or(9) == 9);
}

TEST(ResultTest, OwnsItsContentsThroughAnyAssignments) {
    for_each_seed(1'000, [](std::mt19937_64& generator) {
        constexpr std::size_t kSlots = 4;
        const auto good = std::make_shared<int>(1);
        const auto bad = std::make_shared<int>(2);
        std::vector<SharedResult> results{good, ShareError{bad}, good, ShareError{bad}};
        std::array<bool, kSlots> is_good{true, false, true, false};
        for (int step = 0; step < 30; ++step) {
            const auto to = random_between<std::size_t>(generator, 0, kSlots - 1);
            const auto from = random_between<std::size_t>(generator, 0, kSlots - 1);

            switch (random_between(generator, 0, 2)) {
                case 0:
                    results[to] = results[from];
                    is_good[to] = is_good[from];
                    break;
                case 1:
                    results[to] = SharedResult{results[from]};
                    is_good[to] = is_good[from];
                    break;
                default:
                    std::swap(results[to], results[from]);
                    std::swap(is_good[to], is_good[from]);
                    break;
            }

            for (std::size_t slot = 0; slot < kSlots; ++slot) {
                ASSERT_EQ(results[slot].has_value(), is_good[slot]);
                ASSERT_EQ(is_good[slot] ? results[slot].value() : results[slot].error().share,
                          is_good[slot] ? good : bad);
            }
            const auto goods = std::count(is_good.begin(), is_good.end(), true);
            ASSERT_EQ(good.use_count(), 1 + goods);
            ASSERT_EQ(bad.use_count(), 1 + static_cast<long>(kSlots) - goods);
        }
        results.clear();
        ASSERT_EQ(good.use_count(), 1);
        ASSERT_EQ(bad.use_count(), 1);
    });
}

TEST(ResultTest, ResultOfVoidIsASuccessUnlessItHoldsAnError) {
    const Result<void> success;
    const Result<void> failure{Error{Errc::limit_reached, "full"}};

    EXPECT_TRUE(success.has_value());
    EXPECT_TRUE(static_cast<bool>(success));
    EXPECT_FALSE(failure.has_value());
    EXPECT_EQ(failure.error().message, "full");
}

TEST(ResultDeathTest, ReadingTheSideThatIsNotSetAborts) {
    const auto success = half_of(8);
    const auto failure = half_of(7);
    const Result<void> done;

    EXPECT_DEATH(std::ignore = failure.value(), "expectation failed: has_value_");
    EXPECT_DEATH(std::ignore = *failure, "expectation failed: has_value_");
    EXPECT_DEATH(std::ignore = success.error(), "expectation failed: !has_value_");
    EXPECT_DEATH(std::ignore = done.error(), "expectation failed");
}

}  // namespace
}  // namespace holdfast::resilience
