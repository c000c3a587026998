#include "search/encoder/kernels.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

namespace holdfast::search::encoder {
namespace {

constexpr std::size_t kPanel = PackedMatrix::kPanelColumns;

std::vector<const Kernels*> all_kernels() {
    std::vector<const Kernels*> all = {&plain_kernels()};
    for (const Kernels* kernels : {avx2_kernels(), avx512_kernels()}) {
        if (kernels != nullptr) {
            all.push_back(kernels);
        }
    }
    return all;
}

/// A product that is easy to verify: bytes by row and column, and their packed form.
struct Problem {
    std::size_t rows = 0;
    std::size_t columns = 0;
    std::vector<std::int8_t> weights = {};
    std::vector<std::int8_t> packed = {};
    std::vector<float> bias = {};

    PackedMatrix matrix() const {
        return {
            .bytes = packed, .rows = rows, .columns = columns, .scale = 0.01F, .offset = 0.002F};
    }
};

Problem random_problem(std::size_t rows, std::size_t columns, std::minstd_rand& random) {
    Problem problem{.rows = rows, .columns = columns};
    for (std::size_t index = 0; index < rows * columns; ++index) {
        problem.weights.push_back(static_cast<std::int8_t>(static_cast<int>(random() % 256) - 128));
    }
    for (std::size_t first = 0; first < columns; first += kPanel) {
        for (std::size_t row = 0; row < rows; row += 2) {
            for (std::size_t column = first; column < first + kPanel; ++column) {
                problem.packed.push_back(problem.weights[row * columns + column]);
                problem.packed.push_back(problem.weights[(row + 1) * columns + column]);
            }
        }
    }
    for (std::size_t column = 0; column < columns; ++column) {
        problem.bias.push_back(static_cast<float>(column));
    }
    return problem;
}

TEST(KernelsTest, MultiplyAsDefined) {
    std::minstd_rand random{7};
    const Problem problem = random_problem(48, 32, random);
    for (const std::size_t count : {1U, 2U, 3U, 6U, 7U, 17U, 23U}) {
        std::vector<std::int16_t> steps;
        std::vector<std::int32_t> sums(count);
        std::vector<float> scales(count, 0.5F);
        for (std::size_t index = 0; index < count * problem.rows; ++index) {
            steps.push_back(static_cast<std::int16_t>(static_cast<int>(random() % 16'383) - 8'191));
            sums[index / problem.rows] += steps.back();
        }
        for (const Kernels* kernels : all_kernels()) {
            SCOPED_TRACE(std::string{kernels->name} + " " + std::to_string(count));
            std::vector<float> out(count * problem.columns);
            kernels->multiply({.steps = steps.data(),
                               .scales = scales.data(),
                               .sums_of_steps = sums.data(),
                               .count = count,
                               .width = problem.rows},
                              problem.matrix(), problem.bias.data(), out.data());
            for (std::size_t index = 0; index < out.size(); ++index) {
                const std::size_t row = index / problem.columns;
                const std::size_t column = index % problem.columns;
                double expected = problem.bias[column];
                for (std::size_t k = 0; k < problem.rows; ++k) {
                    expected += 0.5 * steps[row * problem.rows + k] *
                                (0.01F * problem.weights[k * problem.columns + column] + 0.002F);
                }
                ASSERT_NEAR(out[index], expected, 1e-3 * (1.0 + std::abs(expected)));
            }
        }
    }
}

TEST(KernelsTest, DoNotOverflowAtTheLargestSums) {
    constexpr std::size_t kRows = 1'536;
    const std::vector<std::int8_t> packed(kRows * kPanel, -128);
    const std::vector<std::int16_t> steps(kRows, SteppedRows::kMaxStep);
    const float scale = 1.0F;
    const std::int32_t sum = SteppedRows::kMaxStep * static_cast<std::int32_t>(kRows);
    const std::vector<float> bias(kPanel);
    for (const Kernels* kernels : all_kernels()) {
        SCOPED_TRACE(std::string{kernels->name});
        std::vector<float> out(kPanel);
        kernels->multiply({.steps = steps.data(),
                           .scales = &scale,
                           .sums_of_steps = &sum,
                           .count = 1,
                           .width = kRows},
                          {.bytes = packed, .rows = kRows, .columns = kPanel}, bias.data(),
                          out.data());
        EXPECT_FLOAT_EQ(out[0], -128.0F * 8'191.0F * 1'536.0F);
    }
}

TEST(KernelsTest, RoundARowToSteps) {
    const std::vector<float> row = {1.0F, -2.0F, 0.0F, 0.5F};
    for (const Kernels* kernels : all_kernels()) {
        SCOPED_TRACE(std::string{kernels->name});
        std::vector<std::int16_t> steps(row.size());
        float scale = 0.0F;
        std::int32_t sum = 0;
        kernels->round_row(row.data(), row.size(), steps.data(), &scale, &sum);

        EXPECT_EQ(steps, (std::vector<std::int16_t>{4'096, -8'191, 0, 2'048}));
        EXPECT_EQ(sum, 4'096 - 8'191 + 2'048);
        EXPECT_FLOAT_EQ(scale, 2.0F / 8'191.0F);
    }
}

TEST(KernelsTest, RoundARowOfZeros) {
    const std::vector<float> row(16);
    for (const Kernels* kernels : all_kernels()) {
        std::vector<std::int16_t> steps(row.size(), 1);
        float scale = 1.0F;
        std::int32_t sum = 1;
        kernels->round_row(row.data(), row.size(), steps.data(), &scale, &sum);
        EXPECT_EQ(steps, std::vector<std::int16_t>(row.size()));
        EXPECT_EQ(sum, 0);
        EXPECT_TRUE(std::isfinite(scale));
    }
}

TEST(KernelsTest, ComputeGelu) {
    for (const Kernels* kernels : all_kernels()) {
        std::vector<float> values;
        for (float value = -12.0F; value <= 12.0F; value += 0.01F) {
            values.push_back(value);
        }
        const std::vector<float> before = values;
        kernels->gelu(values.data(), values.size());
        for (std::size_t index = 0; index < values.size(); ++index) {
            const double x = before[index];
            ASSERT_NEAR(values[index], 0.5 * x * (1 + std::erf(x / std::sqrt(2.0))), 2e-6) << x;
        }
    }
}

TEST(KernelsTest, NormaliseARow) {
    const std::vector<float> gain(4, 2.0F);
    const std::vector<float> bias(4, 1.0F);
    for (const Kernels* kernels : all_kernels()) {
        std::vector<float> row = {1.0F, 2.0F, 3.0F, 4.0F};
        const std::vector<float> residual = {0.0F, 0.0F, 0.0F, 2.0F};
        kernels->normalise(row.data(), residual.data(), 4,
                           {.gain = gain.data(), .bias = bias.data()});
        const double deviation = std::sqrt((4 + 1 + 0 + 9) / 4.0);
        EXPECT_NEAR(row[0], 1 + 2 * -2 / deviation, 1e-5);
        EXPECT_NEAR(row[3], 1 + 2 * 3 / deviation, 1e-5);
    }
}

TEST(KernelsTest, AttendToSimilarTokens) {
    // Two tokens and a head of two numbers: the first token attends to the second.
    const std::vector<float> queries = {0.0F, 40.0F, 0.0F, 0.0F};
    const std::vector<float> keys = {1.0F, 0.0F, 0.0F, 1.0F};
    const std::vector<float> values = {5.0F, 6.0F, 7.0F, 8.0F};
    for (const Kernels* kernels : all_kernels()) {
        std::vector<float> context(4);
        std::vector<float> scratch(16 * 3);
        kernels->attend({.queries = queries.data(),
                         .keys = keys.data(),
                         .values = values.data(),
                         .context = context.data(),
                         .count = 2,
                         .width = 2,
                         .stride = 2,
                         .scratch = scratch.data()});
        EXPECT_NEAR(context[0], 7.0F, 1e-4);
        EXPECT_NEAR(context[1], 8.0F, 1e-4);
        EXPECT_NEAR(context[2], 6.0F, 1e-4);
        EXPECT_NEAR(context[3], 7.0F, 1e-4);
    }
}

}  // namespace
}  // namespace holdfast::search::encoder
