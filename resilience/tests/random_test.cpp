#include "holdfast/resilience/detail/random.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <limits>
#include <random>

namespace holdfast::resilience::detail {
namespace {

constexpr auto kAllBits = std::numeric_limits<std::uint64_t>::max();

TEST(RandomTest, MixesLikeTheReferenceGenerator) {
    // The first outputs of SplitMix64 seeded with 0, as published with it.
    constexpr std::array<std::uint64_t, 3> kReference{0xe220a8397b1dcdafULL, 0x6e789e6aa1b965f4ULL,
                                                      0x06c45d188009454fULL};

    for (std::uint64_t counter = 0; counter < kReference.size(); ++counter) {
        EXPECT_EQ(mixed(0, counter), kReference.at(counter));
    }
}

TEST(RandomTest, UnitIntervalIncludesZeroAndExcludesOne) {
    EXPECT_EQ(unit_interval(0), 0.0);
    EXPECT_EQ(unit_interval(std::uint64_t{1} << 63U), 0.5);
    EXPECT_LT(unit_interval(kAllBits), 1.0);
    EXPECT_GT(unit_interval(kAllBits), 0.999'999);
}

TEST(RandomTest, UsesAFullWidthGeneratorUnchanged) {
    std::mt19937_64 used{7};
    std::mt19937_64 expected{7};

    EXPECT_EQ(random_bits(used), expected());
}

template <class Generator>
void expect_every_bit_moves() {
    Generator generator{7};
    std::uint64_t ever_set = 0;
    std::uint64_t always_set = kAllBits;
    for (int draw = 0; draw < 200; ++draw) {
        const std::uint64_t bits = random_bits(generator);
        ever_set |= bits;
        always_set &= bits;
    }
    EXPECT_EQ(ever_set, kAllBits);
    EXPECT_EQ(always_set, 0U);
}

TEST(RandomTest, NarrowGeneratorsFillAllBits) {
    expect_every_bit_moves<std::mt19937>();
    expect_every_bit_moves<std::minstd_rand>();  // neither from zero nor a power of two
    expect_every_bit_moves<std::mt19937_64>();
}

}  // namespace
}  // namespace holdfast::resilience::detail
