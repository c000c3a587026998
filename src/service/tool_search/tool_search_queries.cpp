#include <algorithm>
#include <utility>
#include <variant>
#include <vector>

#include "search/fitted_embedder.hpp"
#include "search/similar_tools.hpp"
#include "tool_search/tool_search.hpp"

// The half of a tool search that answers queries.

namespace holdfast::tool_search {
namespace {

constexpr std::size_t kShareForSimilar = 4;

std::vector<search::ListedTool> catalogue_of(const surface::Surface& surface) {
    std::vector<search::ListedTool> tools;
    tools.reserve(surface.tools().size());
    for (const surface::Callable& tool : surface.tools()) {
        tools.push_back({.id = tool.exposed_name, .server = tool.server->name});
    }
    return tools;
}

/// The fallback tools and the first ones of the catalogue: enough for the steps that do not search.
std::vector<search::ListedTool> shortened_catalogue_of(const surface::FinderQuery& query) {
    const auto& fallback = query.options.fallback_tools;
    const std::size_t first_count =
        query.options.max_tools * std::max<std::size_t>(query.options.candidate_factor, 1);
    std::vector<search::ListedTool> tools;
    tools.reserve(first_count + fallback.size());
    std::size_t place = 0;
    for (const surface::Callable& tool : query.surface->tools()) {
        if (place++ < first_count ||
            std::ranges::find(fallback, tool.exposed_name) != fallback.end()) {
            tools.push_back({.id = tool.exposed_name, .server = tool.server->name});
        }
    }
    return tools;
}

/// On the caller's loop, which must not search: what can be said without it.
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

void ToolSearch::find(surface::FinderQuery query, Done done) {
    const auto now = Clock::now();
    Job job{.query = std::move(query),
            .done = std::move(done),
            .enqueued_at = now,
            .late_at = now + options_.deadline};
    AnyJob any{std::move(job)};
    if (!enqueue(any, options_.max_waiting)) {
        const Job& refused = std::get<Job>(any);
        refused.done(answered_unsearched(refused.query));
    }
}

void ToolSearch::find_similar(std::string tool, SimilarDone done) {
    AnyJob any{SimilarJob{.tool = std::move(tool), .done = std::move(done)}};
    // Most of the queue stays free for agents that search.
    if (!enqueue(any, options_.max_waiting / kShareForSimilar)) {
        std::get<SimilarJob>(any).done(std::nullopt);
    }
}

bool ToolSearch::enqueue(AnyJob& job, std::size_t max_waiting) {
    {
        const std::scoped_lock lock{mutex_};
        if (state_.jobs.size() >= max_waiting || state_.is_stopping) {
            return false;
        }
        state_.jobs.push_back(std::move(job));
    }
    changed_.notify_all();
    return true;
}

void ToolSearch::answer_queries() {
    for (;;) {
        AnyJob job;
        {
            std::unique_lock lock{mutex_};
            changed_.wait(lock, [this] { return !state_.jobs.empty() || state_.is_stopping; });
            if (state_.is_stopping) {
                return;
            }
            job = std::move(state_.jobs.front());
            state_.jobs.pop_front();
        }
        std::visit([this](auto& one) { answer(one); }, job);
    }
}

void ToolSearch::answer(Job& job) {
    await_index(job);
    job.done(answered(job));
}

void ToolSearch::answer(const SimilarJob& job) {
    std::shared_ptr<const search::ToolIndex> index;
    std::uint64_t generation = 0;
    {
        const std::scoped_lock lock{mutex_};
        index = state_.index;
        generation = state_.indexed_generation;
    }
    auto ids = index ? search::similar_tools(*index, job.tool) : std::nullopt;
    if (!ids) {
        job.done(std::nullopt);
        return;
    }
    job.done(surface::SimilarAnswer{.ids = std::move(*ids), .generation = generation});
}

void ToolSearch::await_index(Job& job) {
    std::unique_lock lock{mutex_};
    const auto has_index = [this] { return state_.index && !state_.index->empty(); };
    if (has_index() || job.query.surface->tools().empty()) {
        return;
    }
    // From when it came: those behind it have waited with it.
    changed_.wait_until(lock, job.enqueued_at + options_.first_index_wait,
                        [&] { return has_index() || state_.is_stopping; });
    job.late_at = Clock::now() + options_.deadline;
}

search::SearchAnswer ToolSearch::answered(const Job& job) {
    std::shared_ptr<const search::ToolIndex> index;
    std::shared_ptr<const LoadedEmbedders> opened;
    {
        const std::scoped_lock lock{mutex_};
        index = state_.index;
        opened = state_.embedder;
    }
    const auto catalogue = catalogue_of(*job.query.surface);
    search::SearchRequest request{
        .query = job.query.text,
        .index = index.get(),
        .catalogue = catalogue,
        .is_late = [&job] { return Clock::now() >= job.late_at; },
        .is_available = job.query.is_available,
        .is_listed = [&job](std::string_view id) { return job.query.is_listed(id); }};
    request.why_no_embedder =
        opened ? std::string_view{opened->problem} : "the model is being opened";
    if (!opened || !opened->for_queries) {
        return search::find_tools(request, job.query.options);
    }
    if (!opened->is_on_this_core) {
        request.embedder = opened->for_queries.get();
        return search::find_tools(request, job.query.options);
    }
    const MeasuredEmbedder measured{*opened->for_queries, pace_};
    search::FittedEmbedderOptions fit;
    fit.max_bytes = pace_.bytes_in(job.late_at - Clock::now(), fit.min_text_bytes);
    const search::FittedEmbedder fitted{measured, fit};
    request.embedder = &fitted;
    return search::find_tools(request, job.query.options);
}

}  // namespace holdfast::tool_search
