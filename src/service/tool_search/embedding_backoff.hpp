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

/// The texts that an embedder does not embed, so that the others need not wait for them. One that
/// it refuses is never asked for again. One that fails by itself is passed over; whether the text
/// or the embedder is at fault shows when another text succeeds: then it is tried again after a
/// wait that grows with each time.
///
/// Thread-safety: none.
class EmbeddingBackoff final {
public:
    using Tool = search::IndexWriter::Pending;

    explicit EmbeddingBackoff(const resilience::BackoffOptions& waits) : waits_(waits) {}

    /// Whether it must not be asked for now.
    [[nodiscard]] bool holds(const Tool& tool, resilience::TimePoint now) const;
    /// Whether it is known to fail: it is asked for alone, since it would spoil a batch.
    [[nodiscard]] bool is_at_fault(const Tool& tool) const;

    void on_refused(const Tool& tool);
    /// It was asked for alone.
    void on_failed(const Tool& tool, resilience::TimePoint now);
    void on_embedded(const Tool& tool);
    /// The embedder works: those that were passed over are at fault themselves.
    void on_proof(resilience::TimePoint now);
    /// Those that were passed over, and not found at fault, may be asked for again.
    void ask_again();
    /// Forgets tools that are gone or have another text.
    void keep_only(const std::vector<Tool>& tools);

    [[nodiscard]] bool has_suspects() const;
    /// All that are known here, whether they are held now or not.
    [[nodiscard]] std::size_t size() const noexcept { return entries_.size(); }
    /// How many are refused or at fault.
    [[nodiscard]] std::size_t count_at_fault() const;
    /// When the next one that is at fault may be asked for.
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
