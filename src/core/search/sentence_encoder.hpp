#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "search/embedder.hpp"
#include "search/encoder/kernels.hpp"
#include "search/encoder/model_file.hpp"
#include "search/encoder/word_piece.hpp"

namespace holdfast::search::encoder {

struct EncoderOptions {
    /// The maximum number of tokens of texts that are encoded together: enough to read the weights
    /// once for many tokens, and small enough to stay in the cache of a core.
    std::size_t max_tokens_per_pass = 256;
};

/// all-MiniLM-L6-v2: six layers of attention over the tokens of a text, then the normalised mean of
/// the last layer.
///
/// Thread-safety: immutable; any number of threads may encode.
class SentenceEncoder final : public Embedder {
public:
    /// The model's bytes must outlive this.
    explicit SentenceEncoder(ModelView model, const Kernels& kernels = best_kernels(),
                             const EncoderOptions& options = {});

    [[nodiscard]] std::string_view model_name() const override { return model_name_; }
    [[nodiscard]] Embeddings embed(std::span<const std::string> texts,
                                   const StopSignal& should_stop) const override;

    [[nodiscard]] std::string_view kernel_name() const noexcept { return kernels_.name; }

private:
    const ModelView model_;
    const Kernels& kernels_;
    const EncoderOptions options_;
    const WordPiece word_piece_;
    std::string model_name_;
};

}  // namespace holdfast::search::encoder
