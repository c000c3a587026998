#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "search/index_segment.hpp"
#include "search/term_reader.hpp"
#include "search/tool_index.hpp"

namespace holdfast::search {

struct IndexOptions {
    DocumentOptions document = {};
    std::size_t max_tools = 100'000;
    std::size_t tools_per_segment = 512;
};

/// Keeps an index up to date. Only new or changed tools are read again, and a snapshot rebuilds
/// only the segments that changed.
///
/// Thread-safety: none; one owner writes, snapshots may be used anywhere.
class IndexWriter final {
public:
    /// A tool that needs an embedding.
    struct Pending {
        std::string id = {};
        std::string text = {};
    };

    explicit IndexWriter(const IndexOptions& options = {});

    /// Adds the tool, or replaces the one with its id. Returns false if the index is full.
    bool put(ToolDocument document);
    /// Returns false if there is no tool with this id.
    bool remove(std::string_view id);
    /// Replaces the whole content: the next generation of a catalogue. Returns the number of tools
    /// that were skipped because the index is full.
    std::size_t replace_all(std::vector<ToolDocument> documents);

    /// Returns tools without an embedding, at most `max_count`.
    [[nodiscard]] std::vector<Pending> pending(std::size_t max_count) const;
    /// Does nothing if the tool was removed or its text has changed since.
    void set_embedding(const Pending& pending, std::shared_ptr<const Embedding> embedding);

    [[nodiscard]] std::size_t size() const noexcept { return places_.size(); }
    [[nodiscard]] std::shared_ptr<const ToolIndex> snapshot();

private:
    struct Place {
        std::size_t block = 0;
        std::size_t entry = 0;
    };

    /// The entries of a segment, and the segment itself once a snapshot has needed it.
    struct Block {
        std::vector<SegmentEntry> entries = {};
        std::shared_ptr<const IndexSegment> segment = {};
    };

    struct NameHash {
        using is_transparent = void;
        [[nodiscard]] std::size_t operator()(std::string_view name) const noexcept {
            return std::hash<std::string_view>{}(name);
        }
    };

    SegmentEntry& entry_at(const Place& place);
    Block& block_with_room(std::size_t& position);

    const IndexOptions options_;
    TermReader reader_;
    std::vector<Block> blocks_;
    std::unordered_map<std::string, Place, NameHash, std::equal_to<>> places_;
};

}  // namespace holdfast::search
