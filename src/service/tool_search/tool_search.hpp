#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "holdfast/resilience/time.hpp"
#include "search/index_writer.hpp"
#include "surface/tool_finder.hpp"
#include "tool_search/index_builder.hpp"
#include "tool_search/loaded_embedders.hpp"
#include "tool_search/published_index.hpp"
#include "tool_search/query_worker.hpp"

namespace holdfast::tool_search {

/// The options of `IndexBuilder` and `QueryWorker`, which explain them.
struct ToolSearchOptions {
    std::string cache_folder = {};
    resilience::Duration deadline = QueryWorkerOptions{}.deadline;
    std::size_t max_waiting = QueryWorkerOptions{}.max_queued;
    std::size_t batch = EmbeddingScheduleOptions{}.batch;
    std::size_t save_after = IndexBuilderOptions{}.save_after;
    resilience::Duration first_index_wait = QueryWorkerOptions{}.first_index_wait;
    resilience::Duration retry_after = EmbeddingScheduleOptions{}.retry_after;
    resilience::Duration max_text_wait = EmbeddingScheduleOptions{}.max_text_wait;
    search::IndexOptions index = {};
};

/// Finds tools with two threads: `IndexBuilder` publishes an index of what is shown, `QueryWorker`
/// answers queries from it.
///
/// Thread-safety: from any thread; `stop` once, before what the answers need is destroyed.
class ToolSearch final : public surface::ToolFinder {
public:
    /// `open` and `report` as in `IndexBuilder`.
    ToolSearch(const ToolSearchOptions& options, IndexBuilder::OpenEmbedders open,
               IndexBuilder::Report report);
    ~ToolSearch() override { stop(); }

    void show(std::shared_ptr<const surface::Surface> surface) override {
        builder_.show(std::move(surface));
    }
    [[nodiscard]] boost::asio::awaitable<std::optional<search::SearchAnswer>> find(
        surface::FinderQuery query, net::OwningLoop loop) override {
        return queries_.find(std::move(query), std::move(loop));
    }
    void find_similar(std::string tool, SimilarDone done) override {
        queries_.find_similar(std::move(tool), done);
    }
    [[nodiscard]] surface::FinderProgress progress() const override;

    /// Ends the threads; queries that wait are not answered any more.
    void stop();
    /// Waits until everything that was shown is indexed and embedded, or cannot be. False if the
    /// time was up before.
    [[nodiscard]] bool wait_until_ready(resilience::Duration limit) const;

private:
    const std::shared_ptr<PublishedIndex> published_ = std::make_shared<PublishedIndex>();
    IndexBuilder builder_;
    QueryWorker queries_;
};

}  // namespace holdfast::tool_search
