#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "holdfast/resilience/backoff.hpp"
#include "holdfast/resilience/time.hpp"
#include "search/index_writer.hpp"

namespace holdfast::tool_search {

/// The texts that an embedder fails to embed, so that the others need not wait for them. A rejected
/// text is never retried. A text that fails alone is skipped; when another text succeeds, the text
/// and not the embedder is at fault. It is then retried after a growing delay.
///
/// Thread-safety: none.
class EmbeddingBackoff final {
public:
    using Tool = search::IndexWriter::Pending;

    explicit EmbeddingBackoff(const resilience::BackoffOptions& waits) : waits_(waits) {}

    /// Whether it must not be embedded now.
    [[nodiscard]] bool holds(const Tool& tool, resilience::TimePoint now) const;
    /// Whether it is known to fail: it is embedded alone, because it would fail a batch.
    [[nodiscard]] bool is_at_fault(const Tool& tool) const;

    void on_refused(const Tool& tool);
    /// It was embedded alone.
    void on_failed(const Tool& tool, resilience::TimePoint now);
    void on_embedded(const Tool& tool);
    /// The embedder works, so the skipped texts are at fault themselves.
    void on_proof(resilience::TimePoint now);
    /// Allows skipped texts that are not at fault to be retried.
    void ask_again();
    /// Forgets tools that were removed or have another text.
    void keep_only(const std::vector<Tool>& tools);

    [[nodiscard]] bool has_suspects() const;
    /// All known texts, whether they are on hold or not.
    [[nodiscard]] std::size_t size() const noexcept { return entries_.size(); }
    /// The number of texts that are rejected or at fault.
    [[nodiscard]] std::size_t count_at_fault() const;
    /// When the next text at fault may be retried.
    [[nodiscard]] std::optional<resilience::TimePoint> next_due() const;

private:
    struct Entry {
        std::string text = {};
        bool is_refused = false;
        bool is_suspect = false;
        std::uint32_t failures = 0;  // while others succeeded; 0 = not known to be at fault
        resilience::TimePoint due = {};
    };

    [[nodiscard]] const Entry* entry_of(const Tool& tool) const;
    Entry& entry_for(const Tool& tool);
    void blame(Entry& entry, resilience::TimePoint now) const;

    const resilience::Backoff waits_;
    std::map<std::string, Entry, std::less<>> entries_;  // by the tool's id
};

}  // namespace holdfast::tool_search
