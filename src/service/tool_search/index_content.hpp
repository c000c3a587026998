#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "search/index_writer.hpp"
#include "surface/surface.hpp"
#include "tool_search/vector_cache.hpp"

namespace holdfast::tool_search {

/// The tools of the newest surface with their embeddings, which come from an embedder or from the
/// cache of earlier runs. All embeddings have the same dimension.
///
/// Thread-safety: none; belongs to the index thread. `use_cache` and `save` wait for the disk.
class IndexContent final {
public:
    using Tool = search::IndexWriter::Pending;

    explicit IndexContent(const search::IndexOptions& options) : writer_(options) {}

    /// Replaces the tools. Reads those that are new or changed.
    void show(std::shared_ptr<const surface::Surface> surface);
    void use_cache(std::unique_ptr<VectorCache> cache) { cache_ = std::move(cache); }
    /// Takes cached embeddings for tools without one. Returns these tools.
    std::vector<Tool> take_cached();
    /// An embedding of another dimension means that the embedder has changed its model: all other
    /// embeddings are dropped, and their tools count as not embedded.
    void set_embedding(const Tool& tool, const search::Embedding& embedding);
    /// Writes new embeddings to the cache.
    [[nodiscard]] std::optional<platform::FileFault> save();

    [[nodiscard]] const search::IndexWriter& writer() const noexcept { return writer_; }
    /// Null before the first `show`.
    [[nodiscard]] const std::shared_ptr<const surface::Surface>& surface() const noexcept {
        return surface_;
    }
    [[nodiscard]] std::shared_ptr<const search::ToolIndex> snapshot() { return writer_.snapshot(); }

private:
    search::IndexWriter writer_;
    std::shared_ptr<const surface::Surface> surface_;
    std::unique_ptr<VectorCache> cache_;  // null = no cache
    std::size_t dimension_ = 0;           // of all embeddings; 0 = none yet
};

}  // namespace holdfast::tool_search
