#include "app/tool_search.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "gateway/tool_documents.hpp"
#include "search/fitted_embedder.hpp"

namespace holdfast::app {
namespace {

using search::IndexWriter;

/// Embedding takes a core for seconds; whatever agents wait for goes first.
constexpr int kNiceness = 10;

std::vector<std::string> texts_of(const std::vector<IndexWriter::Pending>& tools) {
    std::vector<std::string> texts;
    texts.reserve(tools.size());
    for (const IndexWriter::Pending& tool : tools) {
        texts.push_back(tool.text);
    }
    return texts;
}

std::vector<search::ListedTool> catalogue_of(const gateway::Surface& surface) {
    std::vector<search::ListedTool> tools;
    tools.reserve(surface.tools().size());
    for (const gateway::Callable& tool : surface.tools()) {
        tools.push_back({.id = tool.exposed_name, .server = tool.server->name});
    }
    return tools;
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

ToolSearch::ToolSearch(ToolSearchOptions options, std::function<OpenedEmbedder()> open,
                       std::function<void(const std::string&)> tell)
    : options_(std::move(options)),
      open_(std::move(open)),
      tell_(std::move(tell)),
      writer_(options_.index),
      index_thread_([this] { keep_index(); }),
      query_thread_([this] { answer_queries(); }) {}

ToolSearch::~ToolSearch() {
    stop();
}

void ToolSearch::stop() {
    std::deque<Job> unanswered;
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

void ToolSearch::show(std::shared_ptr<const gateway::Surface> surface) {
    {
        const std::scoped_lock lock{mutex_};
        state_.surface = std::move(surface);
        state_.is_idle = false;
    }
    changed_.notify_all();
}

void ToolSearch::find(gateway::FinderQuery query, Done done) {
    Job job{.query = std::move(query),
            .done = std::move(done),
            .late_at = Clock::now() + options_.deadline};
    {
        const std::scoped_lock lock{mutex_};
        if (state_.jobs.size() < options_.max_waiting && !state_.is_stopping) {
            state_.jobs.push_back(std::move(job));
            changed_.notify_all();
            return;
        }
    }
    job.done(answered(job, true));
}

gateway::FinderProgress ToolSearch::progress() const {
    const std::scoped_lock lock{mutex_};
    gateway::FinderProgress progress{.problem = state_.trouble};
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
    auto opened = std::make_shared<OpenedEmbedder>(open_());
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

bool ToolSearch::take_surface() {
    std::shared_ptr<const gateway::Surface> surface;
    {
        const std::scoped_lock lock{mutex_};
        if (state_.is_stopping) {
            return false;
        }
        surface = std::exchange(state_.surface, nullptr);
    }
    if (surface) {
        writer_.replace_all(gateway::documents_of(*surface));
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
        if (auto known = cache_->find(tool.text)) {
            writer_.set_embedding(tool, std::move(known));
            is_new = true;
        }
    }
    if (is_new) {
        publish();
    }
}

bool ToolSearch::embed_some() {
    std::shared_ptr<const OpenedEmbedder> opened;
    {
        const std::scoped_lock lock{mutex_};
        opened = state_.embedder;
    }
    const auto tools =
        opened->for_index ? writer_.pending(options_.batch) : std::vector<IndexWriter::Pending>{};
    if (tools.empty()) {
        return false;
    }
    const auto embedded = opened->for_index->embed(texts_of(tools), [this] {
        const std::scoped_lock lock{mutex_};
        return state_.is_stopping;
    });
    {
        const std::scoped_lock lock{mutex_};
        state_.trouble = embedded ? std::string{} : embedded.error().message;
    }
    if (!embedded || embedded->size() != tools.size()) {
        return false;
    }
    for (std::size_t index = 0; index < tools.size(); ++index) {
        auto embedding = std::make_shared<const search::Embedding>((*embedded)[index]);
        if (cache_) {
            cache_->add(tools[index].text, embedding);
        }
        writer_.set_embedding(tools[index], std::move(embedding));
    }
    publish();
    unsaved_ += tools.size();
    if (unsaved_ >= options_.save_after) {
        save_cache();
    }
    return true;
}

void ToolSearch::publish() {
    auto index = writer_.snapshot();
    {
        const std::scoped_lock lock{mutex_};
        state_.index.swap(index);
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
    std::unique_lock lock{mutex_};
    const bool has_trouble = !state_.trouble.empty();
    state_.is_idle = state_.surface == nullptr;
    changed_.notify_all();
    const auto is_needed = [this] { return state_.surface != nullptr || state_.is_stopping; };
    if (has_trouble) {
        changed_.wait_for(lock, options_.retry_after, is_needed);
    } else {
        changed_.wait(lock, is_needed);
    }
}

void ToolSearch::answer_queries() {
    for (;;) {
        Job job;
        {
            std::unique_lock lock{mutex_};
            changed_.wait(lock, [this] { return !state_.jobs.empty() || state_.is_stopping; });
            if (state_.is_stopping) {
                return;
            }
            job = std::move(state_.jobs.front());
            state_.jobs.pop_front();
            await_index(lock, job);
        }
        job.done(answered(job, false));
    }
}

void ToolSearch::await_index(std::unique_lock<std::mutex>& lock, Job& job) {
    const auto has_index = [this] { return state_.index && !state_.index->empty(); };
    if (has_index() || job.query.surface->tools().empty()) {
        return;
    }
    changed_.wait_for(lock, options_.first_index_wait,
                      [&] { return has_index() || state_.is_stopping; });
    job.late_at = Clock::now() + options_.deadline;
}

search::LadderAnswer ToolSearch::answered(const Job& job, bool by_words_alone) {
    std::shared_ptr<const search::ToolIndex> index;
    std::shared_ptr<const OpenedEmbedder> opened;
    {
        const std::scoped_lock lock{mutex_};
        index = state_.index;
        opened = state_.embedder;
    }
    const auto catalogue = catalogue_of(*job.query.surface);
    search::LadderRequest request{.query = job.query.text,
                                  .index = index.get(),
                                  .catalogue = catalogue,
                                  .is_late = [&job] { return Clock::now() >= job.late_at; },
                                  .is_available = job.query.is_available};
    if (by_words_alone) {
        request.why_no_embedder = "too many queries are waiting";
    } else if (!opened) {
        request.why_no_embedder = "the model is being opened";
    } else {
        request.why_no_embedder = opened->problem;
    }
    if (by_words_alone || !opened || !opened->for_queries) {
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

}  // namespace holdfast::app
