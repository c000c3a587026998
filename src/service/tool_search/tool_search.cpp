#include "tool_search/tool_search.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "surface/tool_documents.hpp"

namespace holdfast::tool_search {
namespace {

using search::IndexWriter;

/// Embedding takes a core for seconds; whatever agents wait for goes first.
constexpr int kNiceness = 10;

}  // namespace

ToolSearch::ToolSearch(ToolSearchOptions options, std::function<LoadedEmbedders()> open,
                       std::function<void(const std::string&)> tell)
    : options_(std::move(options)),
      open_(std::move(open)),
      tell_(std::move(tell)),
      writer_(options_.index),
      set_aside_({.base = options_.retry_after,
                  .cap = std::max(options_.retry_after, options_.max_text_wait),
                  .jitter = resilience::Jitter::none}),
      batch_(std::max<std::size_t>(options_.batch, 1)),
      index_thread_([this] { keep_index(); }),
      query_thread_([this] { answer_queries(); }) {}

ToolSearch::~ToolSearch() {
    stop();
}

void ToolSearch::stop() {
    std::deque<AnyJob> unanswered;
    {
        const std::scoped_lock lock{mutex_};
        state_.is_stopping = true;
        unanswered.swap(state_.jobs);
    }
    changed_.notify_all();
    for (std::thread* thread : {&index_thread_, &query_thread_}) {
        if (thread->joinable()) {
            thread->join();
        }
    }
}

void ToolSearch::show(std::shared_ptr<const surface::Surface> surface) {
    {
        const std::scoped_lock lock{mutex_};
        state_.surface = std::move(surface);
        state_.is_idle = false;
    }
    changed_.notify_all();
}

surface::FinderProgress ToolSearch::progress() const {
    const std::scoped_lock lock{mutex_};
    surface::FinderProgress progress{.set_aside = state_.set_aside, .problem = state_.trouble};
    if (state_.index) {
        progress.indexed = state_.index->size();
        progress.embedded = state_.index->embedded_count();
    }
    if (!state_.embedder) {
        progress.problem = "the model is being opened";
    } else if (state_.embedder->for_queries) {
        progress.model = state_.embedder->for_queries->model_name();
    } else {
        progress.problem = state_.embedder->problem;
    }
    return progress;
}

bool ToolSearch::wait_until_ready(resilience::Duration limit) {
    std::unique_lock lock{mutex_};
    return changed_.wait_for(lock, limit, [this] { return state_.is_idle; });
}

void ToolSearch::keep_index() {
    // Of this thread alone, which is how Linux reads it.
    ::setpriority(PRIO_PROCESS, static_cast<id_t>(::gettid()), kNiceness);
    // Words first: the model may take a while to be read.
    await_surface();
    bool has_more = take_surface();
    open_embedder();
    use_cache();
    for (; has_more; has_more = take_surface()) {
        if (!embed_some()) {
            save_cache();
            rest();
        }
    }
    save_cache();
}

void ToolSearch::open_embedder() {
    auto opened = std::make_shared<LoadedEmbedders>(open_());
    if (opened->for_index && !options_.cache_folder.empty()) {
        cache_ =
            std::make_unique<VectorCache>(options_.cache_folder, opened->for_index->model_name());
    }
    if (!opened->problem.empty() && tell_) {
        tell_("tools are found by words alone: " + opened->problem + ".");
    }
    const std::scoped_lock lock{mutex_};
    state_.embedder = std::move(opened);
}

void ToolSearch::await_surface() {
    std::unique_lock lock{mutex_};
    changed_.wait(lock, [this] { return state_.surface != nullptr || state_.is_stopping; });
}

bool ToolSearch::take_surface() {
    std::shared_ptr<const surface::Surface> surface;
    {
        const std::scoped_lock lock{mutex_};
        if (state_.is_stopping) {
            return false;
        }
        surface = std::exchange(state_.surface, nullptr);
    }
    if (surface) {
        read_surface_ = std::move(surface);
        writer_.replace_all(surface::documents_of(*read_surface_));
        set_aside_.keep_only(writer_.pending(writer_.size()));
        publish();
        use_cache();
    }
    return true;
}

void ToolSearch::use_cache() {
    if (!cache_) {
        return;
    }
    bool is_new = false;
    for (const IndexWriter::Pending& tool : writer_.pending(writer_.size())) {
        auto known = cache_->find(tool.text);
        if (known && (dimension_ == 0 || dimension_ == known->dimension())) {
            dimension_ = known->dimension();
            writer_.set_embedding(tool, std::move(known));
            set_aside_.on_embedded(tool);
            proven_ = tool;
            is_new = true;
        }
    }
    if (is_new) {
        publish();
    }
}

void ToolSearch::publish() {
    auto index = writer_.snapshot();
    {
        const std::scoped_lock lock{mutex_};
        state_.index.swap(index);
        state_.indexed_generation = read_surface_->generation();
        state_.set_aside = set_aside_.count_at_fault();
    }
    changed_.notify_all();
}

void ToolSearch::save_cache() {
    unsaved_ = 0;
    const auto fault = cache_ ? cache_->save() : std::nullopt;
    if (fault && tell_ && !std::exchange(is_cache_told_, true)) {
        tell_("embeddings are not kept: " + fault->message + ".");
    }
}

// Until there is something to read, or to embed again.
void ToolSearch::rest() {
    failed_in_row_ = 0;
    std::unique_lock lock{mutex_};
    auto until = set_aside_.next_due();
    if (!state_.trouble.empty()) {
        until = Clock::now() + options_.retry_after;
    }
    state_.is_idle = state_.surface == nullptr;
    changed_.notify_all();
    const auto is_needed = [this] { return state_.surface != nullptr || state_.is_stopping; };
    if (until) {
        changed_.wait_until(lock, *until, is_needed);
    } else {
        changed_.wait(lock, is_needed);
    }
}

}  // namespace holdfast::tool_search
