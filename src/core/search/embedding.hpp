#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace holdfast::search {

/// A unit vector that represents the meaning of a text, in steps of 1/32767. It has half the size
/// of floats, and the product of two is exact on every machine.
///
/// Thread-safety: immutable; share it.
class Embedding final {
public:
    Embedding() = default;
    /// Normalises a vector. The zero vector stays zero and is similar to nothing.
    explicit Embedding(std::span<const float> values);
    explicit Embedding(std::vector<std::int16_t> steps) : steps_(std::move(steps)) {}

    [[nodiscard]] std::span<const std::int16_t> steps() const noexcept { return steps_; }
    [[nodiscard]] std::size_t dimension() const noexcept { return steps_.size(); }

    friend bool operator==(const Embedding&, const Embedding&) = default;

private:
    std::vector<std::int16_t> steps_;
};

/// Returns the cosine, from -1 to 1. Returns 0 if the dimensions differ, because the embeddings
/// come from different models.
[[nodiscard]] float cosine(const Embedding& one, const Embedding& other) noexcept;

}  // namespace holdfast::search
