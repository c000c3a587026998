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
    unavailable,  ///< There is no model, or the service is unreachable.
    too_late,     ///< Stopped before it was done.
    left_alone,   ///< Not tried after too many failures; this says nothing about the texts.
};

struct EmbedError {
    EmbedErrc code = EmbedErrc::unavailable;
    std::string message = {};
};

using Embeddings = resilience::Result<std::vector<Embedding>, EmbedError>;

/// Polled during embedding; returns true when the result is no longer needed. Code without a clock
/// gets its deadline this way.
using StopSignal = std::function<bool()>;

/// Turns texts into embeddings.
///
/// Thread-safety: `embed` may be called from several threads.
class Embedder {
public:
    Embedder() = default;
    Embedder(const Embedder&) = delete;
    Embedder& operator=(const Embedder&) = delete;
    virtual ~Embedder() = default;

    /// Identifies the vector space. Embeddings of different models must not be compared.
    [[nodiscard]] virtual std::string_view model_name() const = 0;

    /// Returns one embedding for each text, in order. `should_stop` may be empty.
    [[nodiscard]] virtual Embeddings embed(std::span<const std::string> texts,
                                           const StopSignal& should_stop) const = 0;
};

}  // namespace holdfast::search
