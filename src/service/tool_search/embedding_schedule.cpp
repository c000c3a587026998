#include "tool_search/embedding_schedule.hpp"

#include <algorithm>

namespace holdfast::tool_search {
namespace {

/// If this many texts fail alone in a row, the embedder has a problem. The schedule then pauses
/// before the next text.
constexpr std::size_t kMaxFailedInRow = 2;

}  // namespace

EmbeddingSchedule::EmbeddingSchedule(const EmbeddingScheduleOptions& options)
    : options_(options),
      backoff_({.base = options.retry_after,
                .cap = std::max(options.retry_after, options.max_text_wait),
                .jitter = resilience::Jitter::none}),
      batch_(std::max<std::size_t>(options.batch, 1)) {}

EmbeddingSchedule::Tools EmbeddingSchedule::next_batch(const search::IndexWriter& writer,
                                                       resilience::TimePoint now) {
    auto tools = writer.pending(batch_ + backoff_.size());
    std::erase_if(tools, [this, now](const Tool& tool) { return backoff_.holds(tool, now); });
    if (tools.empty() && proven_ && backoff_.has_suspects()) {
        return {*proven_};
    }
    if (tools.empty()) {
        backoff_.ask_again();  // last, because nothing else is left to embed
        return {};
    }
    const auto at_fault = std::ranges::find_if(
        tools, [this](const Tool& tool) { return backoff_.is_at_fault(tool); });
    if (at_fault != tools.end()) {
        return {*at_fault};
    }
    tools.resize(std::min(tools.size(), batch_));
    return tools;
}

void EmbeddingSchedule::on_embedded(const Tool& tool) {
    proven_ = tool;
    backoff_.on_embedded(tool);
}

void EmbeddingSchedule::on_batch_done(resilience::TimePoint now) {
    batch_ = std::min(2 * batch_, std::max<std::size_t>(options_.batch, 1));
    failed_in_row_ = 0;
    problem_.clear();
    backoff_.on_proof(now);
}

bool EmbeddingSchedule::on_batch_failed(const Tools& tools, const search::EmbedError& error,
                                        resilience::TimePoint now) {
    const bool was_asked = error.code != search::EmbedErrc::left_alone;
    const bool is_known_fault = tools.size() == 1 && backoff_.is_at_fault(tools.front());
    if (!was_asked || !is_known_fault) {
        problem_ = error.message;
    }
    if (!was_asked) {
        return false;  // so no text is at fault
    }
    if (tools.size() > 1) {
        // A smaller batch may succeed, and finally shows which text fails.
        batch_ = std::max<std::size_t>(tools.size() / 2, 1);
        return true;
    }
    if (proven_ && proven_->text == tools.front().text) {
        return false;
    }
    backoff_.on_failed(tools.front(), now);
    return ++failed_in_row_ < kMaxFailedInRow;
}

std::optional<resilience::Duration> EmbeddingSchedule::rest(resilience::TimePoint now) {
    failed_in_row_ = 0;
    if (!problem_.empty()) {
        return options_.retry_after;
    }
    const auto due = backoff_.next_due();
    return due ? std::optional{resilience::elapsed_between(now, *due)} : std::nullopt;
}

}  // namespace holdfast::tool_search
