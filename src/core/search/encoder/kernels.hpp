#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

// The arithmetic of the encoder, in several versions; the best one for the processor is chosen at
// run time. Weights keep the 8 bits in which they are published; activations are rounded to 14 bits
// per row. So a product is exact in 32 bits, all versions give the same sums, and the weights,
// which each pass reads once, take a quarter of the size of floats.

namespace holdfast::search::encoder {

/// The weights of a dense layer in the layout of the kernels. Columns are in panels of 16. A panel
/// has 16 pairs of bytes for every two rows, one pair for each column. A weight is `scale * byte +
/// offset`.
struct PackedMatrix {
    static constexpr std::size_t kPanelColumns = 16;

    std::span<const std::int8_t> bytes = {};
    std::size_t rows = 0;     ///< Even.
    std::size_t columns = 0;  ///< A multiple of `kPanelColumns`.
    float scale = 1.0F;
    float offset = 0.0F;
};

/// Rows of activations in steps: a value is `scale * step`.
struct SteppedRows {
    /// With steps up to this limit, bytes, and at most 1,536 products, a sum fits into 32 bits.
    static constexpr std::int32_t kMaxStep = 8'191;

    const std::int16_t* steps = nullptr;
    const float* scales = nullptr;                ///< One per row.
    const std::int32_t* sums_of_steps = nullptr;  ///< One per row.
    std::size_t count = 0;
    std::size_t width = 0;
};

struct LayerNorm {
    const float* gain = nullptr;
    const float* bias = nullptr;
};

/// The queries, keys and values of one head for one text: rows of `stride` floats; the first
/// `width` of each row belong to the head.
struct AttentionHead {
    const float* queries = nullptr;
    const float* keys = nullptr;
    const float* values = nullptr;
    float* context = nullptr;
    std::size_t count = 0;  ///< The number of tokens.
    std::size_t width = 0;
    std::size_t stride = 0;
    float* scratch = nullptr;  ///< (`width` + 1) times `count` rounded up to 16.
};

/// One version of the arithmetic.
struct Kernels {
    std::string_view name = {};
    /// Sets `out` to rows times matrix plus bias; `out` has `count` rows of `columns` floats.
    void (*multiply)(const SteppedRows& rows, const PackedMatrix& matrix, const float* bias,
                     float* out) = nullptr;
    /// Rounds a row to steps, and writes the scale and the sum of the steps.
    void (*round_row)(const float* row, std::size_t width, std::int16_t* steps, float* scale,
                      std::int32_t* sum_of_steps) = nullptr;
    /// Sets `row` to norm(row + residual); the residual may be null.
    void (*normalise)(float* row, const float* residual, std::size_t width,
                      const LayerNorm& norm) = nullptr;
    void (*gelu)(float* values, std::size_t count) = nullptr;
    void (*attend)(const AttentionHead& head) = nullptr;
};

[[nodiscard]] const Kernels& plain_kernels();
/// Null if the processor lacks the instructions.
[[nodiscard]] const Kernels* avx2_kernels();
[[nodiscard]] const Kernels* avx512_kernels();

[[nodiscard]] const Kernels& best_kernels();

}  // namespace holdfast::search::encoder
