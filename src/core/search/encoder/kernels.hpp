#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

// The arithmetic of the encoder, in several versions of which the best one for the processor is
// chosen at run time. Weights stay in the 8 bits in which they are published; activations are
// rounded to 14 bits for each row. So a product is exact in 32 bits, all versions give the same
// sums, and the weights of the whole model, read once for each pass, are a quarter of floats.

namespace holdfast::search::encoder {

/// Weights of a dense layer as a kernel reads them. Columns lie in panels of 16; in a panel, for
/// every two rows, there are 16 pairs of bytes, one for each column. A weight is
/// `scale * byte + offset`.
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
    /// With steps up to this, bytes, and up to 1,536 of them, a sum stays within 32 bits.
    static constexpr std::int32_t kMaxStep = 8'191;

    const std::int16_t* steps = nullptr;
    const float* scales = nullptr;                ///< One a row.
    const std::int32_t* sums_of_steps = nullptr;  ///< One a row.
    std::size_t count = 0;
    std::size_t width = 0;
};

struct LayerNorm {
    const float* gain = nullptr;
    const float* bias = nullptr;
};

/// The queries, keys and values of one head and one text: rows of `stride` floats, of which the
/// first `width` belong to the head.
struct AttentionHead {
    const float* queries = nullptr;
    const float* keys = nullptr;
    const float* values = nullptr;
    float* context = nullptr;
    std::size_t count = 0;  ///< Of tokens.
    std::size_t width = 0;
    std::size_t stride = 0;
    float* scratch = nullptr;  ///< (`width` + 1) times `count` rounded up to 16.
};

/// One version of the arithmetic.
struct Kernels {
    std::string_view name = {};
    /// `out` = rows times matrix plus bias; `out` has `count` rows of `columns` floats.
    void (*multiply)(const SteppedRows& rows, const PackedMatrix& matrix, const float* bias,
                     float* out) = nullptr;
    /// Rounds a row to steps, writes scale and sum of the steps.
    void (*round_row)(const float* row, std::size_t width, std::int16_t* steps, float* scale,
                      std::int32_t* sum_of_steps) = nullptr;
    /// `row` = norm(row + residual), in place; the residual may be null.
    void (*normalise)(float* row, const float* residual, std::size_t width,
                      const LayerNorm& norm) = nullptr;
    void (*gelu)(float* values, std::size_t count) = nullptr;
    void (*attend)(const AttentionHead& head) = nullptr;
};

[[nodiscard]] const Kernels& plain_kernels();
/// Null where the processor lacks what they need.
[[nodiscard]] const Kernels* avx2_kernels();
[[nodiscard]] const Kernels* avx512_kernels();

[[nodiscard]] const Kernels& best_kernels();

}  // namespace holdfast::search::encoder
