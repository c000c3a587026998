#pragma once

#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "holdfast/resilience/time.hpp"
#include "net/loop.hpp"
#include "platform/job_thread.hpp"
#include "search/fallback_chain.hpp"
#include "surface/tool_finder.hpp"
#include "tool_search/encoder_pace.hpp"
#include "tool_search/published_index.hpp"

namespace holdfast::tool_search {

struct QueryWorkerOptions {
    /// For embedding a query; after it the query is answered by keywords alone.
    resilience::Duration deadline = std::chrono::milliseconds{30};
    std::size_t max_queued = 64;  ///< Queries; more are answered at once, without a search.
    /// How long a query that finds an empty index waits for the first tools, from its arrival.
    resilience::Duration first_index_wait = std::chrono::milliseconds{500};
};

/// Answers queries one after the other on a thread of its own, from the newest published index.
///
/// Thread-safety: from any thread; `stop` once.
class QueryWorker final {
public:
    QueryWorker(const QueryWorkerOptions& options, std::shared_ptr<const PublishedIndex> published);
    QueryWorker(const QueryWorker&) = delete;
    QueryWorker& operator=(const QueryWorker&) = delete;
    ~QueryWorker() { stop(); }

    /// As in `ToolFinder`.
    [[nodiscard]] boost::asio::awaitable<std::optional<search::SearchAnswer>> find(
        surface::FinderQuery query, net::OwningLoop loop);
    void find_similar(std::string tool, const surface::ToolFinder::SimilarDone& done);
    /// Drops queries that wait, and ends the thread. A query that is being embedded is answered by
    /// keywords. One that waits for the first index ends when the published index is closed.
    void stop() { thread_.stop(); }

private:
    using Clock = std::chrono::steady_clock;

    /// Waits for the first index if it needs one. Until when the query may be embedded.
    [[nodiscard]] resilience::TimePoint await_index(const surface::FinderQuery& query,
                                                    resilience::TimePoint arrived_at) const;
    [[nodiscard]] search::SearchAnswer answered(const surface::FinderQuery& query,
                                                resilience::TimePoint latest);

    const QueryWorkerOptions options_;
    const std::shared_ptr<const PublishedIndex> published_;
    EncoderPace pace_;
    platform::JobThread thread_;  // last: its jobs use all of these
};

}  // namespace holdfast::tool_search
