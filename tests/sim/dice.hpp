#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <random>

#include "holdfast/resilience/time.hpp"

namespace holdfast::sim {

/// The random choices of one inhabitant of a world. Each inhabitant has its own dice, so that an
/// additional choice of one does not change the choices of the others.
class Dice final {
public:
    explicit Dice(std::uint64_t seed) : generator_(seed) {}

    [[nodiscard]] Dice split() { return Dice{generator_()}; }
    [[nodiscard]] std::uint64_t number() { return generator_(); }
    [[nodiscard]] bool chance(double probability) {
        return std::bernoulli_distribution{probability}(generator_);
    }
    /// Both ends are included.
    [[nodiscard]] std::size_t between(std::size_t low, std::size_t high) {
        return std::uniform_int_distribution<std::size_t>{low, high}(generator_);
    }
    /// In microseconds, so that two events rarely happen at the same time.
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
