#include "tool_search/index_builder.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "tool_search/index_content.hpp"

namespace holdfast::tool_search {
namespace {

using Clock = std::chrono::steady_clock;
using Tool = search::IndexWriter::Pending;

/// Embedding uses a core for seconds; requests of agents have priority.
constexpr int kNiceness = 10;

std::vector<std::string> texts_of(const std::vector<Tool>& tools) {
    std::vector<std::string> texts;
    texts.reserve(tools.size());
    for (const Tool& tool : tools) {
        texts.push_back(tool.text);
    }
    return texts;
}

}  // namespace

/// The work of the thread and its state.
///
/// Thread-safety: none; belongs to the thread.
class IndexBuilder::Work final {
public:
    Work(const IndexBuilderOptions& options, OpenEmbedders open, Report report,
         std::shared_ptr<SharedInbox> inbox, std::shared_ptr<PublishedIndex> published)
        : options_(options),
          open_(std::move(open)),
          report_(std::move(report)),
          inbox_(std::move(inbox)),
          published_(std::move(published)),
          content_(options_.index),
          schedule_(options_.embedding) {}

    /// Embeds at most one batch, so that a new surface never waits for long.
    std::optional<resilience::Duration> step(platform::WorkerThread::Worker& worker) {
        worker_ = &worker;
        if (worker.is_stopping()) {
            save_cache();
            return std::nullopt;
        }
        take_surface();
        if (!content_.surface()) {
            return std::nullopt;
        }
        if (!next_.embedders || (reopen_at_ && *reopen_at_ <= Clock::now())) {
            open_embedders();
        }
        if (embed_batch()) {
            return resilience::Duration::zero();
        }
        save_cache();
        next_.settled_shows = shows_taken_;
        published_->publish(next_);
        return rest(Clock::now());
    }

private:
    void take_surface() {
        auto taken = inbox_->with([this](Inbox& inbox) {
            shows_taken_ = inbox.shows;
            return std::exchange(inbox.surface, nullptr);
        });
        if (taken) {
            content_.show(std::move(taken));
            schedule_.keep_only(content_.writer().pending(content_.writer().size()));
            publish_index();
            take_cached();
        }
    }

    void open_embedders() {
        auto opened = std::make_shared<const LoadedEmbedders>(open_());
        reopen_at_ = opened->reopen_after ? std::optional{Clock::now() + *opened->reopen_after}
                                          : std::nullopt;
        const bool is_same = next_.embedders && next_.embedders->problem == opened->problem &&
                             !opened->problem.empty();
        if (is_same) {
            return;
        }
        next_.embedders = std::move(opened);
        const auto& for_index = next_.embedders->for_index;
        if (for_index && !options_.cache_folder.empty()) {
            content_.use_cache(
                std::make_unique<VectorCache>(options_.cache_folder, for_index->model_name()));
        }
        if (!next_.embedders->problem.empty()) {
            report({.kind = SearchProblem::Kind::no_embedder, .detail = next_.embedders->problem});
        }
        published_->publish(next_);
        take_cached();
    }

    std::optional<resilience::Duration> rest(Clock::time_point now) {
        const auto rest = schedule_.rest(now);
        if (!reopen_at_) {
            return rest;
        }
        const resilience::Duration left =
            std::max<resilience::Duration>(*reopen_at_ - now, resilience::Duration::zero());
        return rest ? std::min(*rest, left) : left;
    }

    void take_cached() {
        const auto tools = content_.take_cached();
        for (const Tool& tool : tools) {
            schedule_.on_embedded(tool);
        }
        if (!tools.empty()) {
            publish_index();
        }
    }

    /// Returns whether to continue at once.
    bool embed_batch() {
        const auto& embedder = next_.embedders->for_index;
        const auto tools =
            embedder ? schedule_.next_batch(content_.writer(), Clock::now()) : std::vector<Tool>{};
        if (tools.empty()) {
            return false;
        }
        const auto embedded =
            embedder->embed(texts_of(tools), [this] { return worker_->is_stopping(); });
        if (!embedded) {
            return on_failed(tools, embedded.error());
        }
        if (embedded->size() != tools.size()) {
            return on_failed(tools, {.message = "the embedder left texts out"});
        }
        for (std::size_t index = 0; index < tools.size(); ++index) {
            take_embedding(tools[index], (*embedded)[index]);
        }
        schedule_.on_batch_done(Clock::now());
        publish_index();
        unsaved_ += tools.size();
        if (unsaved_ >= options_.save_after) {
            save_cache();
        }
        return true;
    }

    bool on_failed(const std::vector<Tool>& tools, const search::EmbedError& error) {
        const bool goes_on = schedule_.on_batch_failed(tools, error, Clock::now());
        publish_index();
        return goes_on;
    }

    /// An embedding without a direction means that the embedder rejects the text.
    void take_embedding(const Tool& tool, const search::Embedding& embedding) {
        if (embedding.dimension() != 0) {
            content_.set_embedding(tool, embedding);
            schedule_.on_embedded(tool);
            return;
        }
        schedule_.on_refused(tool);
        if (!std::exchange(has_told_refusal_, true)) {
            report({.kind = SearchProblem::Kind::text_refused, .detail = tool.id});
        }
    }

    void publish_index() {
        next_.index = content_.snapshot();
        next_.generation = content_.surface()->generation();
        next_.set_aside = schedule_.set_aside();
        next_.problem = schedule_.problem();
        published_->publish(next_);
    }

    void save_cache() {
        unsaved_ = 0;
        const auto fault = content_.save();
        if (fault && !std::exchange(has_told_fault_, true)) {
            report({.kind = SearchProblem::Kind::cache_failed, .detail = fault->message});
        }
    }

    void report(const SearchProblem& problem) {
        if (report_) {
            worker_->with_owner([&] { report_(problem); });
        }
    }

    const IndexBuilderOptions options_;
    const OpenEmbedders open_;
    const Report report_;
    const std::shared_ptr<SharedInbox> inbox_;
    const std::shared_ptr<PublishedIndex> published_;
    platform::WorkerThread::Worker* worker_ = nullptr;  // during a step
    IndexContent content_;
    EmbeddingSchedule schedule_;
    IndexSnapshot next_;  // the next snapshot to publish
    std::uint64_t shows_taken_ = 0;
    std::optional<Clock::time_point> reopen_at_;  // of embedders that may come later
    std::size_t unsaved_ = 0;                     // embeddings that are not in the cache file
    bool has_told_fault_ = false;
    bool has_told_refusal_ = false;
};

IndexBuilder::IndexBuilder(const IndexBuilderOptions& options, OpenEmbedders open, Report report,
                           std::shared_ptr<PublishedIndex> published)
    : inbox_(std::make_shared<SharedInbox>()),
      thread_({.finish_within = options.finish_within, .niceness = kNiceness},
              [work = std::make_shared<Work>(options, std::move(open), std::move(report), inbox_,
                                             std::move(published))](auto& worker) {
                  return work->step(worker);
              }) {}

void IndexBuilder::show(std::shared_ptr<const surface::Surface> surface) {
    inbox_->with([&surface](Inbox& inbox) {
        inbox.surface.swap(surface);
        ++inbox.shows;
    });
    thread_.wake();
}

std::uint64_t IndexBuilder::shows() const {
    return inbox_->with([](const Inbox& inbox) { return inbox.shows; });
}

}  // namespace holdfast::tool_search
