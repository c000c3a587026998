#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <random>

#include "holdfast/resilience/time.hpp"

namespace holdfast::sim {

/// Every random choice of one inhabitant of a world. Each has dice of its own, so that a choice
/// more of one does not change the choices of all others.
class Dice final {
public:
    explicit Dice(std::uint64_t seed) : generator_(seed) {}

    [[nodiscard]] Dice split() { return Dice{generator_()}; }
    [[nodiscard]] std::uint64_t number() { return generator_(); }
    [[nodiscard]] bool chance(double probability) {
        return std::bernoulli_distribution{probability}(generator_);
    }
    /// Both ends included.
    [[nodiscard]] std::size_t between(std::size_t low, std::size_t high) {
        return std::uniform_int_distribution<std::size_t>{low, high}(generator_);
    }
    /// In microseconds, so that two things seldom happen at one instant.
    [[nodiscard]] resilience::Duration between(resilience::Duration low,
                                               resilience::Duration high) {
        using std::chrono::duration_cast;
        using std::chrono::microseconds;
        return microseconds{std::uniform_int_distribution<std::int64_t>{
            duration_cast<microseconds>(low).count(),
            duration_cast<microseconds>(high).count()}(generator_)};
    }
    template <class Container>
    [[nodiscard]] const auto& pick(const Container& container) {
        return container[between(std::size_t{0}, container.size() - 1)];
    }

private:
    std::mt19937_64 generator_;
};

}  // namespace holdfast::sim
