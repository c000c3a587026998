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
    std::size_t min_text_bytes = 24;   ///< Less than this of a longer text says nothing.
};

/// Embeds as much of the texts as there is time for, told as a number of bytes: the first text,
/// half of the room at most when there are others and half is enough to say something, then the
/// others as long as they fit. A text that does not fit gets no direction, and is near to nothing.
///
/// Thread-safety: as the embedder that it uses, which must outlive it.
class FittedEmbedder final : public Embedder {
public:
    FittedEmbedder(const Embedder& embedder, const FittedEmbedderOptions& options)
        : embedder_(embedder), options_(options) {}

    [[nodiscard]] std::string_view model_name() const override { return embedder_.model_name(); }
    /// `too_late` if there is no room for the first text.
    [[nodiscard]] Embeddings embed(std::span<const std::string> texts,
                                   const StopSignal& should_stop) const override;

private:
    const Embedder& embedder_;
    const FittedEmbedderOptions options_;
};

}  // namespace holdfast::search
