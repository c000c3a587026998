#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "holdfast/resilience/time.hpp"
#include "search/embedder.hpp"
#include "search/index_writer.hpp"
#include "tool_search/embedding_backoff.hpp"

namespace holdfast::tool_search {

struct EmbeddingScheduleOptions {
    /// Tools per batch; fewer for a while after a failure.
    std::size_t batch = 32;
    /// Delay before a failed embedder is retried, or a text that failed while others succeeded; for
    /// a text it doubles with each failure.
    resilience::Duration retry_after = std::chrono::seconds{5};
    resilience::Duration max_text_wait = std::chrono::minutes{10};
};

/// Decides which tools are embedded next, how many at a time, and whether a text or the embedder
/// causes a failure. A failed batch is halved until the text is alone. A text that fails alone is
/// skipped; if another text succeeds, the text is at fault, otherwise the embedder.
///
/// Thread-safety: none.
class EmbeddingSchedule final {
public:
    using Tool = search::IndexWriter::Pending;
    using Tools = std::vector<Tool>;

    explicit EmbeddingSchedule(const EmbeddingScheduleOptions& options);

    /// Returns the tools of the writer to embed now; empty = none before `rest` has passed.
    [[nodiscard]] Tools next_batch(const search::IndexWriter& writer, resilience::TimePoint now);

    void on_embedded(const Tool& tool);
    /// The embedder will never embed this text.
    void on_refused(const Tool& tool) { backoff_.on_refused(tool); }
    /// All texts of a batch were embedded or rejected.
    void on_batch_done(resilience::TimePoint now);
    /// A batch could not be embedded. Returns whether to continue with the next one at once.
    [[nodiscard]] bool on_batch_failed(const Tools& tools, const search::EmbedError& error,
                                       resilience::TimePoint now);
    /// Forgets all other tools.
    void keep_only(const Tools& tools) { backoff_.keep_only(tools); }

    /// The delay before the next batch; nothing = until there are new tools.
    [[nodiscard]] std::optional<resilience::Duration> rest(resilience::TimePoint now);
    /// Why the embedder does not work now; empty = it works.
    [[nodiscard]] const std::string& problem() const noexcept { return problem_; }
    /// The number of texts that are rejected or at fault.
    [[nodiscard]] std::size_t set_aside() const { return backoff_.count_at_fault(); }

private:
    const EmbeddingScheduleOptions options_;
    EmbeddingBackoff backoff_;
    // The last embedded tool. If everything else fails, it shows whether the embedder still works.
    std::optional<Tool> proven_;
    std::size_t batch_;
    std::size_t failed_in_row_ = 0;  // texts embedded alone
    std::string problem_;
};

}  // namespace holdfast::tool_search
