#include "search/encoder/forward_pass.hpp"

#include <algorithm>

namespace holdfast::search::encoder {

ForwardPass::ForwardPass(const ModelView& model, const Kernels& kernels)
    : model_(model), kernels_(kernels) {}

std::optional<std::vector<std::vector<float>>> ForwardPass::run(
    std::span<const std::vector<TokenId>> texts, const StopSignal& should_stop) {
    embed_tokens(texts);
    for (const TransformerLayer& layer : model_.layers) {
        if (should_stop && should_stop()) {
            return std::nullopt;
        }
        run_layer(layer, texts);
    }
    const std::size_t width = model_.header.dimension;
    std::vector<std::vector<float>> means;
    means.reserve(texts.size());
    const float* row = states_.data();
    for (const std::vector<TokenId>& text : texts) {
        std::vector<float> mean(width);
        for (std::size_t token = 0; token < text.size(); ++token, row += width) {
            for (std::size_t index = 0; index < width; ++index) {
                mean[index] += row[index] / static_cast<float>(text.size());
            }
        }
        means.push_back(std::move(mean));
    }
    return means;
}

void ForwardPass::embed_tokens(std::span<const std::vector<TokenId>> texts) {
    const std::size_t width = model_.header.dimension;
    row_count_ = 0;
    for (const std::vector<TokenId>& text : texts) {
        row_count_ += text.size();
    }
    states_.resize(row_count_ * width);
    float* row = states_.data();
    for (const std::vector<TokenId>& text : texts) {
        for (std::size_t token = 0; token < text.size(); ++token, row += width) {
            const std::int8_t* word = model_.words.data() + text[token] * width;
            const float* position = model_.positions + token * width;
            for (std::size_t index = 0; index < width; ++index) {
                row[index] = model_.word_scale * static_cast<float>(word[index]) +
                             model_.word_offset + position[index];
            }
            kernels_.normalise(row, nullptr, width, model_.embedding_norm);
        }
    }
}

void ForwardPass::run_layer(const TransformerLayer& layer,
                            std::span<const std::vector<TokenId>> texts) {
    apply(layer.query_key_value[0], states_, queries_);
    apply(layer.query_key_value[1], states_, keys_);
    apply(layer.query_key_value[2], states_, values_);
    attend(texts);
    apply(layer.output, context_, output_);
    normalise_rows(output_, states_, layer.attention_norm);
    states_.swap(output_);

    apply(layer.inner, states_, inner_);
    kernels_.gelu(inner_.data(), inner_.size());
    apply(layer.outer, inner_, output_);
    normalise_rows(output_, states_, layer.output_norm);
    states_.swap(output_);
}

void ForwardPass::attend(std::span<const std::vector<TokenId>> texts) {
    const std::size_t width = model_.header.dimension;
    const std::size_t head_width = width / model_.header.heads;
    context_.resize(states_.size());
    std::size_t start = 0;
    for (const std::vector<TokenId>& text : texts) {
        scratch_.resize((text.size() + 15) / 16 * 16 * (head_width + 1));
        for (std::size_t head = 0; head < model_.header.heads; ++head) {
            const std::size_t first = start * width + head * head_width;
            kernels_.attend({.queries = queries_.data() + first,
                             .keys = keys_.data() + first,
                             .values = values_.data() + first,
                             .context = context_.data() + first,
                             .count = text.size(),
                             .width = head_width,
                             .stride = width,
                             .scratch = scratch_.data()});
        }
        start += text.size();
    }
}

void ForwardPass::apply(const DenseLayer& layer, const std::vector<float>& in,
                        std::vector<float>& out) {
    const std::size_t width = layer.matrix.rows;
    steps_.resize(row_count_ * width);
    scales_.resize(row_count_);
    sums_of_steps_.resize(row_count_);
    for (std::size_t row = 0; row < row_count_; ++row) {
        kernels_.round_row(in.data() + row * width, width, steps_.data() + row * width,
                           &scales_[row], &sums_of_steps_[row]);
    }
    out.resize(row_count_ * layer.matrix.columns);
    kernels_.multiply({.steps = steps_.data(),
                       .scales = scales_.data(),
                       .sums_of_steps = sums_of_steps_.data(),
                       .count = row_count_,
                       .width = width},
                      layer.matrix, layer.bias, out.data());
}

void ForwardPass::normalise_rows(std::vector<float>& rows, const std::vector<float>& residual,
                                 const LayerNorm& norm) const {
    const std::size_t width = model_.header.dimension;
    for (std::size_t row = 0; row < row_count_; ++row) {
        kernels_.normalise(rows.data() + row * width, residual.data() + row * width, width, norm);
    }
}

}  // namespace holdfast::search::encoder
