#pragma once

#include <cstdint>
#include <limits>
#include <random>

namespace holdfast::resilience::detail {

/// Mixes a seed and a counter (the finaliser of SplitMix64), for choices that must be repeatable
/// without storing a generator.
[[nodiscard]] constexpr std::uint64_t mixed(std::uint64_t seed, std::uint64_t counter) noexcept {
    std::uint64_t bits = seed + (counter + 1) * 0x9e3779b97f4a7c15ULL;
    bits = (bits ^ (bits >> 30U)) * 0xbf58476d1ce4e5b9ULL;
    bits = (bits ^ (bits >> 27U)) * 0x94d049bb133111ebULL;
    return bits ^ (bits >> 31U);
}

/// Converts 64 random bits to a number in [0, 1).
[[nodiscard]] constexpr double unit_interval(std::uint64_t bits) noexcept {
    return static_cast<double>(bits >> 11U) * 0x1.0p-53;
}

/// Draws 64 random bits from any standard generator.
template <std::uniform_random_bit_generator Generator>
[[nodiscard]] std::uint64_t random_bits(Generator& generator) {
    if constexpr (Generator::min() == 0 &&
                  Generator::max() == std::numeric_limits<std::uint64_t>::max()) {
        return generator();
    } else {
        return std::uniform_int_distribution<std::uint64_t>{}(generator);
    }
}

}  // namespace holdfast::resilience::detail
