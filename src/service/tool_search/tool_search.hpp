#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <variant>
#include <vector>

#include "holdfast/resilience/time.hpp"
#include "search/index_writer.hpp"
#include "surface/tool_finder.hpp"
#include "tool_search/embedding_backoff.hpp"
#include "tool_search/encoder_pace.hpp"
#include "tool_search/loaded_embedders.hpp"
#include "tool_search/vector_cache.hpp"

namespace holdfast::tool_search {

struct ToolSearchOptions {
    std::string cache_folder = {};  ///< Of embeddings; empty = they are not kept.
    /// For embedding a query; then it is answered by words alone.
    resilience::Duration deadline = std::chrono::milliseconds{30};
    std::size_t max_waiting = 64;  ///< Queries; more are answered at once, without a search.
    /// Tools that are embedded at a time; fewer for a while after a failure.
    std::size_t batch = 32;
    std::size_t save_after = 1'000;  ///< New embeddings that are lost at most when we are killed.
    /// For tools that are shown already and not in the index yet, when it has none at all; from
    /// when the query came.
    resilience::Duration first_index_wait = std::chrono::milliseconds{500};
    /// Before an embedder that failed is asked again, or a text at which it failed while others
    /// succeeded; for the text it doubles with each time.
    resilience::Duration retry_after = std::chrono::seconds{5};
    resilience::Duration max_text_wait = std::chrono::minutes{10};
    search::IndexOptions index = {};
};

/// Keeps the index of the tools current and answers queries, on two threads: one of low priority
/// that reads and embeds what is new, and one for queries.
///
/// Thread-safety: from any thread; `stop` once, before what the answers need is destroyed.
class ToolSearch final : public surface::ToolFinder {
public:
    /// `open` is called on the thread of the index, since it may read a large file. `tell` hears
    /// sentences for the log, on that thread.
    ToolSearch(ToolSearchOptions options, std::function<LoadedEmbedders()> open,
               std::function<void(const std::string&)> tell);
    ~ToolSearch() override;

    void show(std::shared_ptr<const surface::Surface> surface) override;
    void find(surface::FinderQuery query, Done done) override;
    void find_similar(std::string tool, SimilarDone done) override;
    [[nodiscard]] surface::FinderProgress progress() const override;

    /// Ends the threads; queries that wait are not answered any more.
    void stop();
    /// Waits until everything that was shown is indexed and embedded, or cannot be. False if the
    /// time was up before.
    [[nodiscard]] bool wait_until_ready(resilience::Duration limit);

private:
    using Clock = std::chrono::steady_clock;

    struct Job {
        surface::FinderQuery query = {};
        Done done = {};
        Clock::time_point enqueued_at = {};
        Clock::time_point late_at = {};
    };
    struct SimilarJob {
        std::string tool = {};
        SimilarDone done = {};
    };
    using AnyJob = std::variant<Job, SimilarJob>;
    struct State {
        std::shared_ptr<const surface::Surface> surface = {};  ///< Not read yet.
        std::deque<AnyJob> jobs = {};
        std::shared_ptr<const search::ToolIndex> index = {};
        std::uint64_t indexed_generation = 0;  ///< Of the surface that the index was made of.
        std::shared_ptr<const LoadedEmbedders> embedder = {};
        std::string trouble = {};  ///< Of the embedder, while the index needs it.
        std::size_t set_aside = 0;
        bool is_idle = false;  ///< There is nothing to read or to embed.
        bool is_stopping = false;
    };

    void keep_index();
    void open_embedder();
    void await_surface();
    /// False when it is time to end.
    [[nodiscard]] bool take_surface();
    void use_cache();
    [[nodiscard]] std::vector<search::IndexWriter::Pending> next_batch() const;
    /// True if it should go on at once.
    [[nodiscard]] bool embed_some();
    /// The same, after these could not be embedded.
    [[nodiscard]] bool go_on_without(const std::vector<search::IndexWriter::Pending>& tools,
                                     const search::EmbedError& error);
    /// One without a direction says that the text was refused.
    void take_embedding(const search::IndexWriter::Pending& tool,
                        const search::Embedding& embedding);
    void publish();
    void save_cache();
    void rest();
    void answer_queries();
    /// Waits for the first index, if the job needs one.
    void await_index(Job& job);
    void answer(Job& job);
    void answer(const SimilarJob& job);
    /// False if the queue is that long already.
    [[nodiscard]] bool enqueue(AnyJob& job, std::size_t max_waiting);
    [[nodiscard]] search::SearchAnswer answered(const Job& job);

    const ToolSearchOptions options_;
    const std::function<LoadedEmbedders()> open_;
    const std::function<void(const std::string&)> tell_;
    mutable std::mutex mutex_;
    std::condition_variable changed_;  // state_, whatever part of it
    State state_;                      // guarded by mutex_
    EncoderPace pace_;
    // Of the thread of the index.
    search::IndexWriter writer_;
    std::unique_ptr<VectorCache> cache_;
    std::shared_ptr<const surface::Surface> read_surface_;
    EmbeddingBackoff set_aside_;
    // The last one that was embedded: by it shows whether the embedder works, when all that is left
    // to be embedded fails.
    std::optional<search::IndexWriter::Pending> proven_;
    std::size_t failed_in_row_ = 0;  // texts that were asked for alone
    std::size_t batch_;
    std::size_t dimension_ = 0;  // of all embeddings in the index; 0 = there is none yet
    std::size_t unsaved_ = 0;
    bool is_cache_told_ = false;
    bool is_refusal_told_ = false;
    std::thread index_thread_;
    std::thread query_thread_;
};

}  // namespace holdfast::tool_search
