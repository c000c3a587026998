#include "search/encoder/kernels.hpp"

#if defined(__x86_64__)

#include <immintrin.h>

#include <cstring>

#include "search/encoder/kernel_bodies.hpp"

// An attribute selects the instructions instead of a compiler option, so that functions of headers
// compiled here still run on every processor.
#define HOLDFAST_AVX2 __attribute__((target("avx2,fma")))

namespace holdfast::search::encoder {
namespace {

constexpr std::size_t kPanel = PackedMatrix::kPanelColumns;

/// Broadcasts two adjacent values of a row to all lanes.
HOLDFAST_AVX2 HOLDFAST_INLINE_ALWAYS __m256i two_steps(const std::int16_t* steps) {
    std::int32_t pair = 0;
    std::memcpy(&pair, steps, sizeof pair);
    return _mm256_set1_epi32(pair);
}

HOLDFAST_AVX2 HOLDFAST_INLINE_ALWAYS void store(__m256i sums, std::size_t row, std::size_t column,
                                                const SteppedRows& rows, const PackedMatrix& matrix,
                                                const float* bias, float* out) {
    const float offset =
        rows.scales[row] * matrix.offset * static_cast<float>(rows.sums_of_steps[row]);
    const __m256 base = _mm256_add_ps(_mm256_loadu_ps(bias + column), _mm256_set1_ps(offset));
    const __m256 scale = _mm256_set1_ps(rows.scales[row] * matrix.scale);
    _mm256_storeu_ps(out + row * matrix.columns + column,
                     _mm256_fmadd_ps(_mm256_cvtepi32_ps(sums), scale, base));
}

/// Multiplies a tile of `Rows` rows and one panel; the sums stay in registers.
template <std::size_t Rows>
HOLDFAST_AVX2 HOLDFAST_INLINE_ALWAYS void multiply_tile(const SteppedRows& rows, std::size_t first,
                                                        const PackedMatrix& matrix,
                                                        std::size_t column, const float* bias,
                                                        float* out) {
    const std::int8_t* panel = matrix.bytes.data() + column * matrix.rows;
    const std::int16_t* steps = rows.steps + first * rows.width;
    __m256i low[Rows];
    __m256i high[Rows];
    for (std::size_t row = 0; row < Rows; ++row) {
        low[row] = _mm256_setzero_si256();
        high[row] = _mm256_setzero_si256();
    }
    for (std::size_t index = 0; index < matrix.rows; index += 2) {
        const auto* pairs = reinterpret_cast<const __m128i*>(panel + index * kPanel);
        const __m256i left = _mm256_cvtepi8_epi16(_mm_loadu_si128(pairs));
        const __m256i right = _mm256_cvtepi8_epi16(_mm_loadu_si128(pairs + 1));
        for (std::size_t row = 0; row < Rows; ++row) {
            const __m256i two = two_steps(steps + row * rows.width + index);
            low[row] = _mm256_add_epi32(low[row], _mm256_madd_epi16(two, left));
            high[row] = _mm256_add_epi32(high[row], _mm256_madd_epi16(two, right));
        }
    }
    for (std::size_t row = 0; row < Rows; ++row) {
        store(low[row], first + row, column, rows, matrix, bias, out);
        store(high[row], first + row, column + kPanel / 2, rows, matrix, bias, out);
    }
}

HOLDFAST_AVX2 void multiply(const SteppedRows& rows, const PackedMatrix& matrix, const float* bias,
                            float* out) {
    constexpr std::size_t kTileRows = 6;
    for (std::size_t column = 0; column < matrix.columns; column += kPanel) {
        std::size_t row = 0;
        for (; row + kTileRows <= rows.count; row += kTileRows) {
            multiply_tile<kTileRows>(rows, row, matrix, column, bias, out);
        }
        for (; row + 2 <= rows.count; row += 2) {
            multiply_tile<2>(rows, row, matrix, column, bias, out);
        }
        if (row < rows.count) {
            multiply_tile<1>(rows, row, matrix, column, bias, out);
        }
    }
}

HOLDFAST_AVX2 void round_row(const float* row, std::size_t width, std::int16_t* steps, float* scale,
                             std::int32_t* sum_of_steps) {
    bodies::round_row(row, width, steps, scale, sum_of_steps);
}

HOLDFAST_AVX2 void normalise(float* row, const float* residual, std::size_t width,
                             const LayerNorm& norm) {
    bodies::normalise(row, residual, width, norm);
}

HOLDFAST_AVX2 void gelu(float* values, std::size_t count) {
    bodies::gelu(values, count);
}

HOLDFAST_AVX2 void attend(const AttentionHead& head) {
    bodies::attend(head);
}

constexpr Kernels kKernels{.name = "avx2",
                           .multiply = multiply,
                           .round_row = round_row,
                           .normalise = normalise,
                           .gelu = gelu,
                           .attend = attend};

}  // namespace

const Kernels* avx2_kernels() {
    const bool is_supported = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    return is_supported ? &kKernels : nullptr;
}

}  // namespace holdfast::search::encoder

#else

namespace holdfast::search::encoder {

const Kernels* avx2_kernels() {
    return nullptr;
}

}  // namespace holdfast::search::encoder

#endif
