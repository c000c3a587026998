#include "tool_search/tool_search.hpp"

#include <utility>

namespace holdfast::tool_search {
namespace {

IndexBuilderOptions builder_options(const ToolSearchOptions& options) {
    return {.cache_folder = options.cache_folder,
            .save_after = options.save_after,
            .embedding = {.batch = options.batch,
                          .retry_after = options.retry_after,
                          .max_text_wait = options.max_text_wait},
            .index = options.index};
}

QueryWorkerOptions query_options(const ToolSearchOptions& options) {
    return {.deadline = options.deadline,
            .max_queued = options.max_waiting,
            .first_index_wait = options.first_index_wait};
}

}  // namespace

ToolSearch::ToolSearch(const ToolSearchOptions& options, IndexBuilder::OpenEmbedders open,
                       IndexBuilder::Report report)
    : builder_(builder_options(options), std::move(open), std::move(report), published_),
      queries_(query_options(options), published_) {}

void ToolSearch::stop() {
    published_->close();
    queries_.stop();
    builder_.stop();
}

surface::FinderProgress ToolSearch::progress() const {
    const auto snapshot = published_->current();
    surface::FinderProgress progress{.set_aside = snapshot->set_aside,
                                     .problem = snapshot->problem};
    if (snapshot->index) {
        progress.indexed = snapshot->index->size();
        progress.embedded = snapshot->index->embedded_count();
    }
    if (!snapshot->embedders) {
        progress.problem = "the model is being opened";
    } else if (snapshot->embedders->for_queries) {
        progress.model = snapshot->embedders->for_queries->model_name();
    } else {
        progress.problem = snapshot->embedders->problem;
    }
    return progress;
}

bool ToolSearch::wait_until_ready(resilience::Duration limit) const {
    return published_->wait_until(
        std::chrono::steady_clock::now() + limit, [this](const IndexSnapshot& snapshot) {
            return snapshot.settled_shows != 0 && snapshot.settled_shows == builder_.shows();
        });
}

}  // namespace holdfast::tool_search
