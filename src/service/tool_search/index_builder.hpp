#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "holdfast/resilience/synchronized.hpp"
#include "holdfast/resilience/time.hpp"
#include "platform/worker_thread.hpp"
#include "search/index_writer.hpp"
#include "surface/surface.hpp"
#include "tool_search/embedding_schedule.hpp"
#include "tool_search/loaded_embedders.hpp"
#include "tool_search/published_index.hpp"
#include "tool_search/search_problem.hpp"

namespace holdfast::tool_search {

struct IndexBuilderOptions {
    std::string cache_folder = {};   ///< Of embeddings; empty = they are not cached.
    std::size_t save_after = 1'000;  ///< New embeddings that are lost at most if we are killed.
    EmbeddingScheduleOptions embedding = {};
    search::IndexOptions index = {};
    /// Time limit for the last write of the cache on stop; a disk that hangs longer is abandoned.
    resilience::Duration finish_within = std::chrono::seconds{5};
};

/// Keeps the index of the tools current on a low-priority thread: reads the tools of each new
/// surface, embeds new ones, and publishes a snapshot after each step. Keywords are published
/// before the model is loaded, because loading may take a while.
///
/// Thread-safety: from any thread; `stop` once.
class IndexBuilder final {
public:
    using OpenEmbedders = std::function<LoadedEmbedders()>;
    using Report = std::function<void(const SearchProblem& problem)>;

    /// `open` is called on the thread, even after `stop` if a disk hangs: it must own what it uses.
    /// `report` is called on the thread and before `stop` returns, once for each kind of problem.
    IndexBuilder(const IndexBuilderOptions& options, OpenEmbedders open, Report report,
                 std::shared_ptr<PublishedIndex> published);

    /// Replaces the tools.
    void show(std::shared_ptr<const surface::Surface> surface);
    /// Ends the thread and cancels a running embedder.
    void stop() { thread_.stop(); }
    /// The number of `show` calls; see `IndexSnapshot::settled_shows`.
    [[nodiscard]] std::uint64_t shows() const;

private:
    class Work;

    /// The newest surface, until the thread takes it.
    struct Inbox {
        std::shared_ptr<const surface::Surface> surface = {};
        std::uint64_t shows = 0;
    };
    using SharedInbox = resilience::Synchronized<Inbox>;

    const std::shared_ptr<SharedInbox> inbox_;  // shared with a thread that may be detached
    platform::WorkerThread thread_;
};

}  // namespace holdfast::tool_search
