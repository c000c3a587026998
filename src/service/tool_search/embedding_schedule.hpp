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
    /// Tools that are embedded at a time; fewer for a while after a failure.
    std::size_t batch = 32;
    /// Before an embedder that failed is asked again, or a text at which it failed while others
    /// succeeded; for the text it doubles with each failure.
    resilience::Duration retry_after = std::chrono::seconds{5};
    resilience::Duration max_text_wait = std::chrono::minutes{10};
};

/// Decides which tools are embedded next, how many at a time, and whether a failure is the fault of
/// a text or of the embedder. A failed batch is halved until the text is alone. A text that fails
/// alone is passed over; if another text succeeds, it is the text's fault, otherwise the
/// embedder's.
///
/// Thread-safety: none.
class EmbeddingSchedule final {
public:
    using Tool = search::IndexWriter::Pending;
    using Tools = std::vector<Tool>;

    explicit EmbeddingSchedule(const EmbeddingScheduleOptions& options);

    /// Which tools of the writer to embed now; empty = none before `rest` is over.
    [[nodiscard]] Tools next_batch(const search::IndexWriter& writer, resilience::TimePoint now);

    void on_embedded(const Tool& tool);
    /// The embedder will never embed this text.
    void on_refused(const Tool& tool) { backoff_.on_refused(tool); }
    /// All of a batch were embedded or refused.
    void on_batch_done(resilience::TimePoint now);
    /// A batch could not be embedded. Returns whether to go on with the next one at once.
    [[nodiscard]] bool on_batch_failed(const Tools& tools, const search::EmbedError& error,
                                       resilience::TimePoint now);
    /// Forgets what is known of all other tools.
    void keep_only(const Tools& tools) { backoff_.keep_only(tools); }

    /// How long to wait before the next batch; nothing = until there are new tools.
    [[nodiscard]] std::optional<resilience::Duration> rest(resilience::TimePoint now);
    /// Why the embedder does not work now; empty = it works.
    [[nodiscard]] const std::string& problem() const noexcept { return problem_; }
    /// How many texts are refused or at fault.
    [[nodiscard]] std::size_t set_aside() const { return backoff_.count_at_fault(); }

private:
    const EmbeddingScheduleOptions options_;
    EmbeddingBackoff backoff_;
    // The last tool that was embedded. If all that is left fails, it shows whether the embedder
    // still works.
    std::optional<Tool> proven_;
    std::size_t batch_;
    std::size_t failed_in_row_ = 0;  // texts that were embedded alone
    std::string problem_;
};

}  // namespace holdfast::tool_search
