#include "tool_search/query_worker.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "net/run_on_thread.hpp"
#include "search/fitted_embedder.hpp"
#include "search/similar_tools.hpp"
#include "surface/tool_documents.hpp"

namespace holdfast::tool_search {
namespace {

/// Which part of the queue lookups of similar tools may fill; the rest is for agents that search.
constexpr std::size_t kShareForSimilar = 4;

/// The fallback tools and the first ones of the catalogue: enough for the steps that do not search.
std::vector<search::ListedTool> shortened_catalogue_of(const surface::FinderQuery& query) {
    const auto& fallback = query.options.fallback_tools;
    const std::size_t first_count =
        query.options.max_tools * std::max<std::size_t>(query.options.candidate_factor, 1);
    std::vector<search::ListedTool> tools;
    tools.reserve(first_count + fallback.size());
    std::size_t place = 0;
    for (const surface::Callable& tool : query.surface->tools()) {
        if (!query.server.empty() && tool.server->name != query.server) {
            continue;
        }
        if (place++ < first_count ||
            std::ranges::find(fallback, tool.exposed_name) != fallback.end()) {
            tools.push_back(surface::listed_tool(tool));
        }
    }
    return tools;
}

/// On the caller's loop, which must not search: what can be answered without it.
search::SearchAnswer answered_unsearched(const surface::FinderQuery& query) {
    const auto catalogue = shortened_catalogue_of(query);
    auto answer = search::find_tools({.catalogue = catalogue, .is_available = query.is_available},
                                     query.options);
    for (search::StepLeft& left : answer.left) {
        if (left.step == search::SearchStep::hybrid || left.step == search::SearchStep::keyword) {
            left.reason = "too many queries are waiting";
        }
    }
    return answer;
}

/// Measures how long the embedder that it uses takes for a query.
class MeasuredEmbedder final : public search::Embedder {
public:
    MeasuredEmbedder(const search::Embedder& embedder, EncoderPace& pace)
        : embedder_(embedder), pace_(pace) {}

    [[nodiscard]] std::string_view model_name() const override { return embedder_.model_name(); }
    [[nodiscard]] search::Embeddings embed(std::span<const std::string> texts,
                                           const search::StopSignal& should_stop) const override {
        std::size_t bytes = 0;
        for (const std::string& text : texts) {
            bytes += text.size();
        }
        const auto start = std::chrono::steady_clock::now();
        auto embeddings = embedder_.embed(texts, should_stop);
        embeddings ? pace_.on_done(bytes, std::chrono::steady_clock::now() - start)
                   : pace_.on_late();
        return embeddings;
    }

private:
    const search::Embedder& embedder_;
    EncoderPace& pace_;
};

}  // namespace

QueryWorker::QueryWorker(const QueryWorkerOptions& options,
                         std::shared_ptr<const PublishedIndex> published)
    : options_(options),
      published_(std::move(published)),
      thread_({.max_queued = options.max_queued, .finish_within = std::nullopt}) {}

boost::asio::awaitable<std::optional<search::SearchAnswer>> QueryWorker::find(
    surface::FinderQuery query, net::OwningLoop loop) {
    const auto shared = std::make_shared<const surface::FinderQuery>(std::move(query));
    auto answer = co_await net::run_on_thread(
        thread_, std::move(loop), [this, shared, arrived_at = Clock::now()] {
            return answered(*shared, await_index(*shared, arrived_at));
        });
    if (answer) {
        co_return std::move(*answer);
    }
    if (answer.error() == net::NotRun::cancelled) {
        co_return std::nullopt;
    }
    co_return answered_unsearched(*shared);
}

void QueryWorker::find_similar(std::string tool, const surface::ToolFinder::SimilarDone& done) {
    const bool is_queued = thread_.try_run(
        [this, tool = std::move(tool), done](auto&) {
            const auto snapshot = published_->current();
            auto ids =
                snapshot->index ? search::similar_tools(*snapshot->index, tool) : std::nullopt;
            done(ids ? std::optional{surface::SimilarAnswer{.ids = std::move(*ids),
                                                            .generation = snapshot->generation}}
                     : std::nullopt);
        },
        options_.max_queued / kShareForSimilar);
    if (!is_queued) {
        done(std::nullopt);
    }
}

resilience::TimePoint QueryWorker::await_index(const surface::FinderQuery& query,
                                               resilience::TimePoint arrived_at) const {
    const auto has_tools = [](const IndexSnapshot& snapshot) {
        return snapshot.index && !snapshot.index->empty();
    };
    if (has_tools(*published_->current()) || query.surface->tools().empty()) {
        return arrived_at + options_.deadline;
    }
    // From its arrival: the queries behind it have waited with it.
    std::ignore = published_->wait_until(arrived_at + options_.first_index_wait, has_tools);
    return Clock::now() + options_.deadline;
}

search::SearchAnswer QueryWorker::answered(const surface::FinderQuery& query,
                                           resilience::TimePoint latest) {
    const auto snapshot = published_->current();
    const auto catalogue = surface::catalogue_of(*query.surface, query.server);
    search::SearchRequest request{
        .query = query.text,
        .index = snapshot->index.get(),
        .catalogue = catalogue,
        .is_late = [this, latest] { return thread_.is_stopping() || Clock::now() >= latest; },
        .is_available = query.is_available,
        .is_listed = [&query](std::string_view id) { return query.is_listed(id); }};
    const LoadedEmbedders* const embedders = snapshot->embedders.get();
    request.why_no_embedder =
        embedders != nullptr ? embedders->problem_for_agents() : "the model is being opened";
    if (embedders == nullptr || !embedders->for_queries) {
        return search::find_tools(request, query.options);
    }
    if (!embedders->is_on_this_core) {
        request.embedder = embedders->for_queries.get();
        return search::find_tools(request, query.options);
    }
    const MeasuredEmbedder measured{*embedders->for_queries, pace_};
    search::FittedEmbedderOptions fit;
    fit.max_bytes = pace_.bytes_in(latest - Clock::now(), fit.min_text_bytes);
    const search::FittedEmbedder fitted{measured, fit};
    request.embedder = &fitted;
    return search::find_tools(request, query.options);
}

}  // namespace holdfast::tool_search
