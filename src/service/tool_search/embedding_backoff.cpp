#include "tool_search/embedding_backoff.hpp"

#include <algorithm>
#include <utility>

namespace holdfast::tool_search {

using resilience::TimePoint;

const EmbeddingBackoff::Entry* EmbeddingBackoff::entry_of(const Tool& tool) const {
    const auto found = entries_.find(tool.id);
    return found != entries_.end() && found->second.text == tool.text ? &found->second : nullptr;
}

EmbeddingBackoff::Entry& EmbeddingBackoff::entry_for(const Tool& tool) {
    Entry& entry = entries_[tool.id];
    if (entry.text != tool.text) {
        entry = {.text = tool.text};
    }
    return entry;
}

bool EmbeddingBackoff::holds(const Tool& tool, TimePoint now) const {
    const Entry* const entry = entry_of(tool);
    return entry != nullptr && (entry->is_refused || entry->is_suspect || now < entry->due);
}

bool EmbeddingBackoff::is_at_fault(const Tool& tool) const {
    const Entry* const entry = entry_of(tool);
    return entry != nullptr && entry->failures > 0;
}

void EmbeddingBackoff::on_refused(const Tool& tool) {
    entry_for(tool).is_refused = true;
}

void EmbeddingBackoff::on_failed(const Tool& tool, TimePoint now) {
    Entry& entry = entry_for(tool);
    if (entry.failures > 0) {
        blame(entry, now);
    } else {
        entry.is_suspect = true;
    }
}

void EmbeddingBackoff::on_embedded(const Tool& tool) {
    entries_.erase(tool.id);
}

void EmbeddingBackoff::on_proof(TimePoint now) {
    for (auto& [id, entry] : entries_) {
        if (entry.is_suspect) {
            blame(entry, now);
        }
    }
}

void EmbeddingBackoff::ask_again() {
    std::erase_if(entries_, [](const auto& one) { return one.second.is_suspect; });
}

void EmbeddingBackoff::keep_only(const std::vector<Tool>& tools) {
    std::map<std::string, Entry, std::less<>> kept;
    for (const Tool& tool : tools) {
        if (entry_of(tool) != nullptr) {
            kept.insert(entries_.extract(tool.id));
        }
    }
    entries_ = std::move(kept);
}

bool EmbeddingBackoff::has_suspects() const {
    return std::ranges::any_of(entries_, [](const auto& one) { return one.second.is_suspect; });
}

std::size_t EmbeddingBackoff::count_at_fault() const {
    return static_cast<std::size_t>(std::ranges::count_if(entries_, [](const auto& one) {
        return one.second.is_refused || one.second.failures > 0;
    }));
}

std::optional<TimePoint> EmbeddingBackoff::next_due() const {
    std::optional<TimePoint> earliest;
    for (const auto& [id, entry] : entries_) {
        if (!entry.is_refused && entry.failures > 0) {
            earliest = std::min(entry.due, earliest.value_or(entry.due));
        }
    }
    return earliest;
}

void EmbeddingBackoff::blame(Entry& entry, TimePoint now) const {
    entry.is_suspect = false;
    entry.due = resilience::saturating_add(now, waits_.computed(++entry.failures));
}

}  // namespace holdfast::tool_search
