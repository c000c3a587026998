#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "search/embedder.hpp"

namespace holdfast::search {

struct FittedEmbedderOptions {
    std::size_t max_bytes = 4'096;     ///< Of all texts together.
    std::size_t max_text_bytes = 600;  ///< Of one text; an encoder reads no further.
    std::size_t min_text_bytes = 24;   ///< A shorter part of a longer text carries no meaning.
};

/// Embeds as much of the texts as a budget in bytes allows. The first text comes first; it gets at
/// most half of the budget if there are other texts and half of it is enough to carry meaning. Then
/// the others follow as long as they fit. A text that does not fit gets a zero embedding, which is
/// similar to nothing.
///
/// Thread-safety: as the embedder that it uses, which must outlive it.
class FittedEmbedder final : public Embedder {
public:
    FittedEmbedder(const Embedder& embedder, const FittedEmbedderOptions& options)
        : embedder_(embedder), options_(options) {}

    [[nodiscard]] std::string_view model_name() const override { return embedder_.model_name(); }
    /// Fails with `too_late` if the budget is too small for the first text.
    [[nodiscard]] Embeddings embed(std::span<const std::string> texts,
                                   const StopSignal& should_stop) const override;

private:
    const Embedder& embedder_;
    const FittedEmbedderOptions options_;
};

}  // namespace holdfast::search
