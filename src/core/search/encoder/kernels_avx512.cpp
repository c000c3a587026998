#include "search/encoder/kernels.hpp"

#if defined(__x86_64__)

#include <immintrin.h>

#include <cstring>

#include "search/encoder/kernel_bodies.hpp"

// An attribute selects the instructions instead of a compiler option, so that functions of headers
// compiled here still run on every processor.
#define HOLDFAST_AVX512 __attribute__((target("fma,avx512f,avx512bw,avx512vl,avx512dq,avx512vnni")))

namespace holdfast::search::encoder {
namespace {

constexpr std::size_t kPanel = PackedMatrix::kPanelColumns;

/// Broadcasts two adjacent values of a row to all lanes.
HOLDFAST_AVX512 HOLDFAST_INLINE_ALWAYS __m512i two_steps(const std::int16_t* steps) {
    std::int32_t pair = 0;
    std::memcpy(&pair, steps, sizeof pair);
    return _mm512_set1_epi32(pair);
}

HOLDFAST_AVX512 HOLDFAST_INLINE_ALWAYS void store(__m512i sums, std::size_t row, std::size_t column,
                                                  const SteppedRows& rows,
                                                  const PackedMatrix& matrix, const float* bias,
                                                  float* out) {
    const float offset =
        rows.scales[row] * matrix.offset * static_cast<float>(rows.sums_of_steps[row]);
    const __m512 base = _mm512_add_ps(_mm512_loadu_ps(bias + column), _mm512_set1_ps(offset));
    const __m512 scale = _mm512_set1_ps(rows.scales[row] * matrix.scale);
    _mm512_storeu_ps(out + row * matrix.columns + column,
                     _mm512_fmadd_ps(_mm512_cvtepi32_ps(sums), scale, base));
}

/// Multiplies a tile of `Rows` rows and one panel; the sums stay in registers.
template <std::size_t Rows>
HOLDFAST_AVX512 HOLDFAST_INLINE_ALWAYS void multiply_tile(const SteppedRows& rows,
                                                          std::size_t first,
                                                          const PackedMatrix& matrix,
                                                          std::size_t column, const float* bias,
                                                          float* out) {
    const std::int8_t* panel = matrix.bytes.data() + column * matrix.rows;
    const std::int16_t* steps = rows.steps + first * rows.width;
    __m512i sums[Rows];
    for (std::size_t row = 0; row < Rows; ++row) {
        sums[row] = _mm512_setzero_si512();
    }
    for (std::size_t index = 0; index < matrix.rows; index += 2) {
        const auto* pairs = reinterpret_cast<const __m256i*>(panel + index * kPanel);
        const __m512i weights = _mm512_cvtepi8_epi16(_mm256_loadu_si256(pairs));
        for (std::size_t row = 0; row < Rows; ++row) {
            const __m512i two = two_steps(steps + row * rows.width + index);
            sums[row] = _mm512_dpwssd_epi32(sums[row], two, weights);
        }
    }
    for (std::size_t row = 0; row < Rows; ++row) {
        store(sums[row], first + row, column, rows, matrix, bias, out);
    }
}

HOLDFAST_AVX512 void multiply(const SteppedRows& rows, const PackedMatrix& matrix,
                              const float* bias, float* out) {
    constexpr std::size_t kTileRows = 16;
    for (std::size_t column = 0; column < matrix.columns; column += kPanel) {
        std::size_t row = 0;
        for (; row + kTileRows <= rows.count; row += kTileRows) {
            multiply_tile<kTileRows>(rows, row, matrix, column, bias, out);
        }
        for (; row + 4 <= rows.count; row += 4) {
            multiply_tile<4>(rows, row, matrix, column, bias, out);
        }
        for (; row < rows.count; ++row) {
            multiply_tile<1>(rows, row, matrix, column, bias, out);
        }
    }
}

HOLDFAST_AVX512 void round_row(const float* row, std::size_t width, std::int16_t* steps,
                               float* scale, std::int32_t* sum_of_steps) {
    bodies::round_row(row, width, steps, scale, sum_of_steps);
}

HOLDFAST_AVX512 void normalise(float* row, const float* residual, std::size_t width,
                               const LayerNorm& norm) {
    bodies::normalise(row, residual, width, norm);
}

HOLDFAST_AVX512 void gelu(float* values, std::size_t count) {
    bodies::gelu(values, count);
}

HOLDFAST_AVX512 void attend(const AttentionHead& head) {
    bodies::attend(head);
}

constexpr Kernels kKernels{.name = "avx512",
                           .multiply = multiply,
                           .round_row = round_row,
                           .normalise = normalise,
                           .gelu = gelu,
                           .attend = attend};

}  // namespace

const Kernels* avx512_kernels() {
    const bool is_supported =
        __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vnni") && __builtin_cpu_supports("fma");
    return is_supported ? &kKernels : nullptr;
}

}  // namespace holdfast::search::encoder

#else

namespace holdfast::search::encoder {

const Kernels* avx512_kernels() {
    return nullptr;
}

}  // namespace holdfast::search::encoder

#endif
