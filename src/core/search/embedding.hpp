#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace holdfast::search {

/// A direction in the space of meanings: a vector of length one, in steps of 1/32767. Half the size
/// of floats, and the product of two is exact on every machine.
///
/// Thread-safety: immutable; share it.
class Embedding final {
public:
    Embedding() = default;
    /// The direction of any vector; that of zeros is no direction, and near to nothing.
    explicit Embedding(std::span<const float> values);
    explicit Embedding(std::vector<std::int16_t> steps) : steps_(std::move(steps)) {}

    [[nodiscard]] std::span<const std::int16_t> steps() const noexcept { return steps_; }
    [[nodiscard]] std::size_t dimension() const noexcept { return steps_.size(); }

    friend bool operator==(const Embedding&, const Embedding&) = default;

private:
    std::vector<std::int16_t> steps_;
};

/// From -1 to 1. 0 when the two come from different spaces, told by their dimension.
[[nodiscard]] float cosine(const Embedding& one, const Embedding& other) noexcept;

}  // namespace holdfast::search
