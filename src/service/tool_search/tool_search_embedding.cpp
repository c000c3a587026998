#include <algorithm>
#include <utility>
#include <vector>

#include "surface/tool_documents.hpp"
#include "tool_search/tool_search.hpp"

// The part of a tool search that embeds what is in the index.

namespace holdfast::tool_search {
namespace {

using search::IndexWriter;

/// So many different texts that fail one after the other mean that the embedder is in trouble, for
/// now; it is left alone for a while before the next one.
constexpr std::size_t kMaxFailedInRow = 2;

std::vector<std::string> texts_of(const std::vector<IndexWriter::Pending>& tools) {
    std::vector<std::string> texts;
    texts.reserve(tools.size());
    for (const IndexWriter::Pending& tool : tools) {
        texts.push_back(tool.text);
    }
    return texts;
}

}  // namespace

std::vector<IndexWriter::Pending> ToolSearch::next_batch() const {
    auto tools = writer_.pending(batch_ + set_aside_.size());
    std::erase_if(tools, [this, now = Clock::now()](const IndexWriter::Pending& tool) {
        return set_aside_.holds(tool, now);
    });
    if (tools.empty() && proven_ && set_aside_.has_suspects()) {
        return {*proven_};
    }
    const auto at_fault = std::ranges::find_if(
        tools, [this](const auto& tool) { return set_aside_.is_at_fault(tool); });
    if (at_fault != tools.end()) {
        return {*at_fault};
    }
    tools.resize(std::min(tools.size(), batch_));
    return tools;
}

bool ToolSearch::embed_some() {
    std::shared_ptr<const LoadedEmbedders> opened;
    {
        const std::scoped_lock lock{mutex_};
        opened = state_.embedder;
    }
    const auto tools = opened->for_index ? next_batch() : std::vector<IndexWriter::Pending>{};
    if (tools.empty()) {
        set_aside_.ask_again();  // there is nothing else to ask for
        return false;
    }
    const auto embedded = opened->for_index->embed(texts_of(tools), [this] {
        const std::scoped_lock lock{mutex_};
        return state_.is_stopping;
    });
    if (!embedded || embedded->size() != tools.size()) {
        return go_on_without(tools,
                             embedded ? search::EmbedError{.message = "the embedder left texts out"}
                                      : embedded.error());
    }
    batch_ = std::min(2 * batch_, options_.batch);
    failed_in_row_ = 0;
    for (std::size_t index = 0; index < tools.size(); ++index) {
        take_embedding(tools[index], (*embedded)[index]);
    }
    set_aside_.on_proof(Clock::now());
    {
        const std::scoped_lock lock{mutex_};
        state_.trouble.clear();
    }
    publish();
    unsaved_ += tools.size();
    if (unsaved_ >= options_.save_after) {
        save_cache();
    }
    return true;
}

bool ToolSearch::go_on_without(const std::vector<IndexWriter::Pending>& tools,
                               const search::EmbedError& error) {
    const bool was_asked = error.code != search::EmbedErrc::left_alone;
    const bool is_known_fault = tools.size() == 1 && set_aside_.is_at_fault(tools.front());
    if (!was_asked || !is_known_fault) {
        const std::scoped_lock lock{mutex_};
        state_.trouble = error.message;
    }
    if (!was_asked) {
        return false;  // so that no text is to blame
    }
    if (tools.size() > 1) {
        // A smaller one may be taken, and shows in the end which text it is.
        batch_ = std::max<std::size_t>(tools.size() / 2, 1);
        return true;
    }
    if (proven_ && proven_->text == tools.front().text) {
        return false;
    }
    set_aside_.on_failed(tools.front(), Clock::now());
    return ++failed_in_row_ < kMaxFailedInRow;
}

void ToolSearch::take_embedding(const IndexWriter::Pending& tool,
                                const search::Embedding& embedding) {
    if (embedding.dimension() == 0) {
        set_aside_.on_refused(tool);
        if (tell_ && !std::exchange(is_refusal_told_, true)) {
            tell_("the embedder refuses the text of " + tool.id +
                  ", which is found by words alone; others may follow.");
        }
        return;
    }
    if (dimension_ != 0 && dimension_ != embedding.dimension()) {
        // The server has another model by now: what it said before cannot be compared any more.
        writer_.replace_all({});
        writer_.replace_all(surface::documents_of(*read_surface_));
    }
    dimension_ = embedding.dimension();
    auto shared = std::make_shared<const search::Embedding>(embedding);
    if (cache_) {
        cache_->add(tool.text, shared);
    }
    writer_.set_embedding(tool, std::move(shared));
    proven_ = tool;
    set_aside_.on_embedded(tool);
}

}  // namespace holdfast::tool_search
