#include "search/index_writer.hpp"

#include <algorithm>
#include <utility>

#include "holdfast/resilience/expect.hpp"

namespace holdfast::search {

IndexWriter::IndexWriter(const IndexOptions& options) : options_(options) {
    HOLDFAST_EXPECT(options_.tools_per_segment > 0);
}

bool IndexWriter::put(ToolDocument document) {
    if (const auto found = places_.find(document.id); found != places_.end()) {
        SegmentEntry& entry = entry_at(found->second);
        if (entry.tool->document == document) {
            return true;
        }
        const bool keeps_meaning = embedding_text(entry.tool->document) == embedding_text(document);
        entry.tool = make_indexed_tool(std::move(document), reader_, options_.document);
        if (!keeps_meaning) {
            entry.embedding = nullptr;
        }
        blocks_[found->second.block].segment = nullptr;
        return true;
    }
    if (places_.size() >= options_.max_tools) {
        return false;
    }
    std::size_t position = 0;
    Block& block = block_with_room(position);
    places_.emplace(document.id, Place{.block = position, .entry = block.entries.size()});
    block.entries.push_back(
        {.tool = make_indexed_tool(std::move(document), reader_, options_.document)});
    block.segment = nullptr;
    return true;
}

bool IndexWriter::remove(std::string_view id) {
    const auto found = places_.find(id);
    if (found == places_.end()) {
        return false;
    }
    const Place place = found->second;
    Block& block = blocks_[place.block];
    places_.erase(found);
    // Moves the last entry into the free position.
    if (place.entry + 1 < block.entries.size()) {
        block.entries[place.entry] = std::move(block.entries.back());
        places_.find(block.entries[place.entry].tool->document.id)->second = place;
    }
    block.entries.pop_back();
    block.segment = nullptr;
    return true;
}

std::size_t IndexWriter::replace_all(std::vector<ToolDocument> documents) {
    std::unordered_set<std::string_view> wanted;
    wanted.reserve(documents.size());
    for (const ToolDocument& document : documents) {
        wanted.insert(document.id);
    }
    std::vector<std::string> gone;
    for (const auto& [id, place] : places_) {
        if (!wanted.contains(id)) {
            gone.push_back(id);
        }
    }
    for (const std::string& id : gone) {
        remove(id);
    }
    std::size_t skipped = 0;
    for (ToolDocument& document : documents) {
        skipped += put(std::move(document)) ? 0U : 1U;
    }
    return skipped;
}

std::vector<IndexWriter::Pending> IndexWriter::pending(std::size_t max_count) const {
    std::vector<Pending> pending;
    for (const Block& block : blocks_) {
        for (const SegmentEntry& entry : block.entries) {
            if (pending.size() >= max_count) {
                return pending;
            }
            if (entry.embedding == nullptr) {
                const ToolDocument& document = entry.tool->document;
                pending.push_back({.id = document.id, .text = embedding_text(document)});
            }
        }
    }
    return pending;
}

void IndexWriter::set_embedding(const Pending& pending,
                                std::shared_ptr<const Embedding> embedding) {
    const auto found = places_.find(pending.id);
    if (found == places_.end()) {
        return;
    }
    SegmentEntry& entry = entry_at(found->second);
    if (embedding_text(entry.tool->document) == pending.text) {
        entry.embedding = std::move(embedding);
        blocks_[found->second.block].segment = nullptr;
    }
}

std::shared_ptr<const ToolIndex> IndexWriter::snapshot() {
    ToolIndex::Segments segments;
    segments.reserve(blocks_.size());
    for (Block& block : blocks_) {
        if (block.segment == nullptr) {
            block.segment = std::make_shared<const IndexSegment>(block.entries);
        }
        segments.push_back(block.segment);
    }
    return std::make_shared<const ToolIndex>(std::move(segments));
}

SegmentEntry& IndexWriter::entry_at(const Place& place) {
    return blocks_[place.block].entries[place.entry];
}

IndexWriter::Block& IndexWriter::block_with_room(std::size_t& position) {
    const auto found = std::ranges::find_if(blocks_, [this](const Block& block) {
        return block.entries.size() < options_.tools_per_segment;
    });
    position = static_cast<std::size_t>(found - blocks_.begin());
    return found == blocks_.end() ? blocks_.emplace_back() : *found;
}

}  // namespace holdfast::search
