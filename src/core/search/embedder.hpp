#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "holdfast/resilience/result.hpp"
#include "search/embedding.hpp"

namespace holdfast::search {

enum class EmbedErrc : std::uint8_t {
    unavailable,  ///< There is no model, or it could not be reached.
    too_late,     ///< It was told to stop before it was done.
    left_alone,   ///< It failed too often and was not asked: this says nothing about the texts.
};

struct EmbedError {
    EmbedErrc code = EmbedErrc::unavailable;
    std::string message = {};
};

using Embeddings = resilience::Result<std::vector<Embedding>, EmbedError>;

/// Asked now and then while embedding goes on; true = nobody needs the result any more. This is how
/// a deadline reaches code that has no clock.
using StopSignal = std::function<bool()>;

/// Turns texts into directions in the space of meanings.
///
/// Thread-safety: `embed` may be called from several threads.
class Embedder {
public:
    Embedder() = default;
    Embedder(const Embedder&) = delete;
    Embedder& operator=(const Embedder&) = delete;
    virtual ~Embedder() = default;

    /// Which space the directions belong to; those of another name must not be compared with them.
    [[nodiscard]] virtual std::string_view model_name() const = 0;

    /// One for each text, in their order. `should_stop` may be empty.
    [[nodiscard]] virtual Embeddings embed(std::span<const std::string> texts,
                                           const StopSignal& should_stop) const = 0;
};

}  // namespace holdfast::search
