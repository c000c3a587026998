#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "search/embedding.hpp"
#include "search/indexed_tool.hpp"

namespace holdfast::search {

/// A tool of a segment, and its embedding once it is known.
struct SegmentEntry {
    std::shared_ptr<const IndexedTool> tool = {};
    std::shared_ptr<const Embedding> embedding = {};
};

/// A few hundred tools with the postings of their terms. An index consists of segments, so that a
/// change of one tool rebuilds only one segment, and snapshots share the others.
///
/// Thread-safety: immutable; share it.
class IndexSegment final {
public:
    struct Posting {
        std::uint32_t entry = 0;
        float weight = 0.0F;
        bool is_in_name = false;
    };

    explicit IndexSegment(std::vector<SegmentEntry> entries);

    [[nodiscard]] std::span<const SegmentEntry> entries() const noexcept { return entries_; }
    /// Returns the entries that have the term.
    [[nodiscard]] std::span<const Posting> postings(TermId term) const;
    [[nodiscard]] float length(std::uint32_t entry) const { return lengths_[entry]; }
    /// The sum of the lengths of its tools.
    [[nodiscard]] double total_length() const noexcept { return total_length_; }

private:
    struct Range {
        std::uint32_t first = 0;
        std::uint32_t count = 0;
    };

    const std::vector<SegmentEntry> entries_;
    std::vector<float> lengths_;
    std::vector<Posting> postings_;  // grouped by term
    std::unordered_map<TermId, Range> ranges_;
    double total_length_ = 0.0;
};

}  // namespace holdfast::search
