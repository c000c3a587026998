#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "search/index_segment.hpp"

namespace holdfast::search {

/// The constants of BM25.
struct KeywordOptions {
    float saturation = 1.2F;            ///< k1: how soon repeating a term stops to count.
    float length_normalisation = 0.5F;  ///< b: how much a long description counts against a tool.
};

/// A term of a query and how often it is in there.
struct QueryTerm {
    TermId term = 0;
    float count = 1.0F;
};

/// What the words of a query say about each tool of an index.
struct KeywordScores {
    std::vector<float> scores = {};         ///< BM25F; 0 = no word in common.
    std::vector<float> coverage = {};       ///< Which share of the query, by rarity, the tool has.
    std::vector<float> name_coverage = {};  ///< Which share of the tool's name the query has.
    float best = 0.0F;                      ///< The largest score.
};

/// Everything that can be found at one moment. Tools are known by their position in the snapshot,
/// which says nothing about any other snapshot.
///
/// Thread-safety: immutable; share it.
class ToolIndex final {
public:
    using Segments = std::vector<std::shared_ptr<const IndexSegment>>;

    ToolIndex() = default;
    explicit ToolIndex(Segments segments);

    [[nodiscard]] std::size_t size() const noexcept { return size_; }
    [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
    /// How many of its tools have an embedding.
    [[nodiscard]] std::size_t embedded_count() const noexcept { return embedded_count_; }
    [[nodiscard]] const ToolDocument& document(std::size_t position) const;

    [[nodiscard]] KeywordScores keyword_scores(std::span<const QueryTerm> terms,
                                               const KeywordOptions& options = {}) const;

    /// For each tool its cosine with the direction. Tools without embedding get the mean of the
    /// others, which speaks neither for nor against them.
    [[nodiscard]] std::vector<float> nearness(const Embedding& direction) const;

    /// For each tool the number of its server; there are `server_count` of them.
    [[nodiscard]] std::span<const std::uint32_t> servers() const noexcept { return servers_; }
    [[nodiscard]] std::size_t server_count() const noexcept { return server_count_; }

private:
    void number_servers();
    void turn_into_shares(KeywordScores& result, float total_rarity) const;

    Segments segments_;
    std::vector<std::size_t> starts_;  // the position of the first tool of each segment
    std::vector<std::uint32_t> servers_;
    std::size_t server_count_ = 0;
    std::size_t size_ = 0;
    std::size_t embedded_count_ = 0;
    double mean_length_ = 1.0;
};

}  // namespace holdfast::search
