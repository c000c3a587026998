#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "holdfast/resilience/time.hpp"
#include "search/tool_index.hpp"
#include "tool_search/loaded_embedders.hpp"

namespace holdfast::tool_search {

/// The data that queries use. Immutable once published.
struct IndexSnapshot {
    std::shared_ptr<const search::ToolIndex> index = {};    ///< Null = no tools were shown yet.
    std::uint64_t generation = 0;                           ///< Of the indexed surface.
    std::shared_ptr<const LoadedEmbedders> embedders = {};  ///< Null = they are being loaded.
    std::string problem = {};                               ///< Why embedding fails now.
    std::size_t set_aside = 0;        ///< Texts that the embedder refuses or fails at.
    std::uint64_t settled_shows = 0;  ///< Up to which `show` everything is indexed and embedded.
};

/// The latest snapshot of the index, published by the index thread for all other threads.
///
/// Thread-safety: from any thread.
class PublishedIndex final {
public:
    using Snapshot = std::shared_ptr<const IndexSnapshot>;

    /// Never null.
    [[nodiscard]] Snapshot current() const {
        const std::scoped_lock lock{mutex_};
        return current_;
    }

    void publish(IndexSnapshot snapshot) {
        Snapshot next = std::make_shared<const IndexSnapshot>(std::move(snapshot));
        {
            const std::scoped_lock lock{mutex_};
            current_.swap(next);  // the previous one is destroyed outside the lock
        }
        changed_.notify_all();
    }

    /// Waits until `accepts` returns true for the newest snapshot. Returns false after the time
    /// limit, or if the index was closed. `accepts` must not block.
    template <class Accepts>
    [[nodiscard]] bool wait_until(resilience::TimePoint latest, Accepts accepts) const {
        std::unique_lock lock{mutex_};
        changed_.wait_until(lock, latest,
                            [&] { return is_closed_ || accepts(std::as_const(*current_)); });
        return accepts(std::as_const(*current_));
    }

    /// Ends all waits, including later ones.
    void close() {
        {
            const std::scoped_lock lock{mutex_};
            is_closed_ = true;
        }
        changed_.notify_all();
    }

private:
    mutable std::mutex mutex_;
    mutable std::condition_variable changed_;
    // Guarded by `mutex_`.
    Snapshot current_ = std::make_shared<const IndexSnapshot>();
    bool is_closed_ = false;
};

}  // namespace holdfast::tool_search
