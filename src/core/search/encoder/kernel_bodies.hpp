#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "search/encoder/kernels.hpp"

// The common part of all kernel versions: loops without intrinsics that the compiler vectorises for
// the function into which they are inlined. They must always be inlined: an out-of-line copy
// compiled for one processor could be called on another.

namespace holdfast::search::encoder::bodies {

#define HOLDFAST_INLINE_ALWAYS inline __attribute__((always_inline))

/// Returns exp(x) for x <= 0 with an error of about 1e-7, using operations that a loop can
/// vectorise.
HOLDFAST_INLINE_ALWAYS float exp_of_negative(float x) {
    constexpr float kLog2E = 1.44269504F;
    constexpr float kLn2High = 0.693359375F;
    constexpr float kLn2Low = -2.12194440e-4F;
    const float bounded = x < -87.0F ? -87.0F : x;
    const auto exponent = static_cast<std::int32_t>(bounded * kLog2E - 0.5F);
    const auto whole = static_cast<float>(exponent);
    const float rest = (bounded - whole * kLn2High) - whole * kLn2Low;
    float sum = 1.9875691500e-4F;
    sum = sum * rest + 1.3981999507e-3F;
    sum = sum * rest + 8.3334519073e-3F;
    sum = sum * rest + 4.1665795894e-2F;
    sum = sum * rest + 1.6666665459e-1F;
    sum = sum * rest + 5.0000001201e-1F;
    sum = sum * rest * rest + rest + 1.0F;
    return sum * std::bit_cast<float>((exponent + 127) << 23);
}

/// Abramowitz and Stegun 7.1.26; the error is below 2e-7.
HOLDFAST_INLINE_ALWAYS float erf_of(float x) {
    const float size = x < 0.0F ? -x : x;
    const float t = 1.0F / (1.0F + 0.3275911F * size);
    float sum = 1.061405429F;
    sum = sum * t - 1.453152027F;
    sum = sum * t + 1.421413741F;
    sum = sum * t - 0.284496736F;
    sum = sum * t + 0.254829592F;
    const float result = 1.0F - sum * t * exp_of_negative(-size * size);
    return x < 0.0F ? -result : result;
}

HOLDFAST_INLINE_ALWAYS void gelu(float* values, std::size_t count) {
    for (std::size_t index = 0; index < count; ++index) {
        const float value = values[index];
        values[index] = 0.5F * value * (1.0F + erf_of(value * 0.70710678F));
    }
}

HOLDFAST_INLINE_ALWAYS void round_row(const float* row, std::size_t width, std::int16_t* steps,
                                      float* scale, std::int32_t* sum_of_steps) {
    // The bits of non-negative floats have the order of their values, and integer comparisons can
    // be vectorised.
    std::int32_t largest_bits = std::bit_cast<std::int32_t>(1e-30F);
    for (std::size_t index = 0; index < width; ++index) {
        const std::int32_t bits = std::bit_cast<std::int32_t>(row[index]) & 0x7FFFFFFF;
        largest_bits = bits > largest_bits ? bits : largest_bits;
    }
    const float steps_per_unit =
        static_cast<float>(SteppedRows::kMaxStep) / std::bit_cast<float>(largest_bits);
    std::int32_t sum = 0;
    for (std::size_t index = 0; index < width; ++index) {
        const float value = row[index] * steps_per_unit;
        const auto step = static_cast<std::int32_t>(value + (value < 0.0F ? -0.5F : 0.5F));
        steps[index] = static_cast<std::int16_t>(step);
        sum += step;
    }
    *scale = 1.0F / steps_per_unit;
    *sum_of_steps = sum;
}

HOLDFAST_INLINE_ALWAYS void normalise(float* row, const float* residual, std::size_t width,
                                      const LayerNorm& norm) {
#pragma clang fp reassociate(on)
    float sum = 0.0F;
    for (std::size_t index = 0; index < width; ++index) {
        row[index] += residual == nullptr ? 0.0F : residual[index];
        sum += row[index];
    }
    const float mean = sum / static_cast<float>(width);
    float square = 0.0F;
    for (std::size_t index = 0; index < width; ++index) {
        const float distance = row[index] - mean;
        square += distance * distance;
    }
    const float factor = 1.0F / std::sqrt(square / static_cast<float>(width) + 1e-12F);
    for (std::size_t index = 0; index < width; ++index) {
        row[index] = (row[index] - mean) * factor * norm.gain[index] + norm.bias[index];
    }
}

/// Turns scores into weights that add up to 1.
HOLDFAST_INLINE_ALWAYS void softmax(float* scores, std::size_t count) {
#pragma clang fp reassociate(on)
    float largest = scores[0];
    for (std::size_t index = 1; index < count; ++index) {
        largest = scores[index] > largest ? scores[index] : largest;
    }
    float sum = 0.0F;
    for (std::size_t index = 0; index < count; ++index) {
        scores[index] = exp_of_negative(scores[index] - largest);
        sum += scores[index];
    }
    const float factor = 1.0F / sum;
    for (std::size_t index = 0; index < count; ++index) {
        scores[index] *= factor;
    }
}

/// Adds `count` rows, `stride` floats apart, each multiplied by its factor, to `sums`. `Width` sums
/// at a time stay in registers.
template <std::size_t Width>
HOLDFAST_INLINE_ALWAYS void add_rows(const float* factors, const float* rows, std::size_t count,
                                     std::size_t stride, float* sums) {
    float parts[Width] = {};
    for (std::size_t row = 0; row < count; ++row) {
        for (std::size_t index = 0; index < Width; ++index) {
            parts[index] += factors[row] * rows[row * stride + index];
        }
    }
    for (std::size_t index = 0; index < Width; ++index) {
        sums[index] = parts[index];
    }
}

/// The same for any width.
HOLDFAST_INLINE_ALWAYS void add_all_rows(const float* factors, const float* rows, std::size_t count,
                                         std::size_t stride, std::size_t width, float* sums) {
    std::size_t index = 0;
    for (; index + 32 <= width; index += 32) {
        add_rows<32>(factors, rows + index, count, stride, sums + index);
    }
    for (; index + 16 <= width; index += 16) {
        add_rows<16>(factors, rows + index, count, stride, sums + index);
    }
    for (; index < width; ++index) {
        add_rows<1>(factors, rows + index, count, stride, sums + index);
    }
}

HOLDFAST_INLINE_ALWAYS void attend(const AttentionHead& head) {
    const float factor = 1.0F / std::sqrt(static_cast<float>(head.width));
    const std::size_t padded = (head.count + 15) / 16 * 16;
    float* scores = head.scratch;
    float* keys = head.scratch + padded;  // transposed, so that the keys of all tokens are adjacent
    for (std::size_t part = 0; part < head.width; ++part) {
        for (std::size_t token = 0; token < padded; ++token) {
            keys[part * padded + token] =
                token < head.count ? head.keys[token * head.stride + part] * factor : 0.0F;
        }
    }
    for (std::size_t token = 0; token < head.count; ++token) {
        const float* query = head.queries + token * head.stride;
        add_all_rows(query, keys, head.width, padded, padded, scores);
        softmax(scores, head.count);
        float* context = head.context + token * head.stride;
        add_all_rows(scores, head.values, head.count, head.stride, head.width, context);
    }
}

/// Converts a sum of products to a float.
HOLDFAST_INLINE_ALWAYS float value_of(std::int32_t sum, const SteppedRows& rows, std::size_t row,
                                      const PackedMatrix& matrix) {
    const float steps = static_cast<float>(rows.sums_of_steps[row]);
    return rows.scales[row] * (matrix.scale * static_cast<float>(sum) + matrix.offset * steps);
}

}  // namespace holdfast::search::encoder::bodies
