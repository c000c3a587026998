#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "search/embedder.hpp"
#include "search/encoder/kernels.hpp"
#include "search/encoder/model_file.hpp"
#include "search/encoder/word_piece.hpp"

namespace holdfast::search::encoder {

/// One forward pass through the model for a batch of texts. The rows of all tokens are in one
/// matrix; only attention works on one text at a time.
///
/// Thread-safety: none.
class ForwardPass final {
public:
    /// The arguments must outlive this.
    ForwardPass(const ModelView& model, const Kernels& kernels);

    /// Returns the mean of the last layer over the tokens of each text, not normalised. Polls
    /// `should_stop` before each layer and returns nothing if it is true.
    [[nodiscard]] std::optional<std::vector<std::vector<float>>> run(
        std::span<const std::vector<TokenId>> texts, const StopSignal& should_stop);

private:
    void embed_tokens(std::span<const std::vector<TokenId>> texts);
    void run_layer(const TransformerLayer& layer, std::span<const std::vector<TokenId>> texts);
    void attend(std::span<const std::vector<TokenId>> texts);
    /// `out` = rows of `in` through the layer.
    void apply(const DenseLayer& layer, const std::vector<float>& in, std::vector<float>& out);
    void normalise_rows(std::vector<float>& rows, const std::vector<float>& residual,
                        const LayerNorm& norm) const;

    const ModelView& model_;
    const Kernels& kernels_;
    std::size_t row_count_ = 0;
    std::vector<float> states_;  // one row of `dimension` floats per token, like the following
    std::vector<float> queries_;
    std::vector<float> keys_;
    std::vector<float> values_;
    std::vector<float> context_;
    std::vector<float> inner_;
    std::vector<float> output_;
    std::vector<std::int16_t> steps_;
    std::vector<float> scales_;
    std::vector<std::int32_t> sums_of_steps_;
    std::vector<float> scratch_;
};

}  // namespace holdfast::search::encoder
