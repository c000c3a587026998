#include <array>

#include "search/encoder/kernel_bodies.hpp"
#include "search/encoder/kernels.hpp"

namespace holdfast::search::encoder {
namespace {

constexpr std::size_t kPanel = PackedMatrix::kPanelColumns;

void multiply(const SteppedRows& rows, const PackedMatrix& matrix, const float* bias, float* out) {
    for (std::size_t column = 0; column < matrix.columns; column += kPanel) {
        const std::int8_t* panel = matrix.bytes.data() + column * matrix.rows;
        for (std::size_t row = 0; row < rows.count; ++row) {
            const std::int16_t* steps = rows.steps + row * rows.width;
            std::array<std::int32_t, kPanel> sums{};
            for (std::size_t index = 0; index < matrix.rows; index += 2) {
                const std::int8_t* pairs = panel + index * kPanel;
                for (std::size_t offset = 0; offset < kPanel; ++offset) {
                    sums[offset] +=
                        steps[index] * pairs[2 * offset] + steps[index + 1] * pairs[2 * offset + 1];
                }
            }
            for (std::size_t offset = 0; offset < kPanel; ++offset) {
                out[row * matrix.columns + column + offset] =
                    bodies::value_of(sums[offset], rows, row, matrix) + bias[column + offset];
            }
        }
    }
}

void round_row(const float* row, std::size_t width, std::int16_t* steps, float* scale,
               std::int32_t* sum_of_steps) {
    bodies::round_row(row, width, steps, scale, sum_of_steps);
}

void normalise(float* row, const float* residual, std::size_t width, const LayerNorm& norm) {
    bodies::normalise(row, residual, width, norm);
}

void gelu(float* values, std::size_t count) {
    bodies::gelu(values, count);
}

void attend(const AttentionHead& head) {
    bodies::attend(head);
}

}  // namespace

const Kernels& plain_kernels() {
    static constexpr Kernels kKernels{.name = "plain",
                                      .multiply = multiply,
                                      .round_row = round_row,
                                      .normalise = normalise,
                                      .gelu = gelu,
                                      .attend = attend};
    return kKernels;
}

const Kernels& best_kernels() {
    if (const Kernels* kernels = avx512_kernels()) {
        return *kernels;
    }
    const Kernels* kernels = avx2_kernels();
    return kernels == nullptr ? plain_kernels() : *kernels;
}

}  // namespace holdfast::search::encoder
