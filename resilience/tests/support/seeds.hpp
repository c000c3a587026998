#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <random>
#include <string>

namespace holdfast::resilience::testing {

/// Runs a property with the seeds 1 to `count`; stops at the first that fails and names it.
/// `HOLDFAST_SEED=n` in the environment runs only that seed.
template <class Property>
void for_each_seed(std::uint64_t count, Property&& property) {
    const char* only = std::getenv("HOLDFAST_SEED");
    const std::uint64_t first = only != nullptr ? std::stoull(only) : 1;
    const std::uint64_t last = only != nullptr ? first : count;
    for (std::uint64_t seed = first; seed <= last; ++seed) {
        SCOPED_TRACE("repeat with HOLDFAST_SEED=" + std::to_string(seed));
        std::mt19937_64 generator{seed};
        property(generator);
        if (::testing::Test::HasFailure()) {
            return;
        }
    }
}

/// Returns a whole number from `low` to `high`, both included.
template <class Number>
[[nodiscard]] Number random_between(std::mt19937_64& generator, Number low, Number high) {
    return std::uniform_int_distribution<Number>{low, high}(generator);
}

[[nodiscard]] inline bool chance(std::mt19937_64& generator, double probability) {
    return std::bernoulli_distribution{probability}(generator);
}

}  // namespace holdfast::resilience::testing
