#include "search/embedding.hpp"

#include <cmath>

namespace holdfast::search {
namespace {

constexpr float kStepsPerUnit = 32'767.0F;

}  // namespace

Embedding::Embedding(std::span<const float> values) : steps_(values.size()) {
    double square = 0.0;
    for (const float value : values) {
        square += static_cast<double>(value) * static_cast<double>(value);
    }
    if (!(square > 0.0) || !std::isfinite(square)) {
        return;
    }
    const float scale = kStepsPerUnit / static_cast<float>(std::sqrt(square));
    for (std::size_t index = 0; index < values.size(); ++index) {
        steps_[index] = static_cast<std::int16_t>(std::lround(values[index] * scale));
    }
}

float cosine(const Embedding& one, const Embedding& other) noexcept {
    if (one.dimension() != other.dimension()) {
        return 0.0F;
    }
    // No partial sum exceeds the product of two equal vectors, about 2^30.
    std::int32_t sum = 0;
    const std::int16_t* left = one.steps().data();
    const std::int16_t* right = other.steps().data();
    for (std::size_t index = 0; index < one.dimension(); ++index) {
        sum += static_cast<std::int32_t>(left[index]) * static_cast<std::int32_t>(right[index]);
    }
    return static_cast<float>(sum) / (kStepsPerUnit * kStepsPerUnit);
}

}  // namespace holdfast::search
