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
    float saturation = 1.2F;            ///< k1: how soon repetitions of a term stop counting.
    float length_normalisation = 0.5F;  ///< b: how much a long description lowers the score.
};

/// A term of a query and its number of occurrences.
struct QueryTerm {
    TermId term = 0;
    float count = 1.0F;
};

/// The keyword scores of each tool of an index.
struct KeywordScores {
    std::vector<float> scores = {};  ///< BM25F; 0 = no word in common.
    /// Share of the query that the tool covers, weighted by rarity.
    std::vector<float> coverage = {};
    std::vector<float> name_coverage = {};  ///< Share of the tool's name that the query covers.
    float best = 0.0F;                      ///< The largest score.
};

/// A snapshot of all tools that can be found. A tool is identified by its position, which is only
/// valid for this snapshot.
///
/// Thread-safety: immutable; share it.
class ToolIndex final {
public:
    using Segments = std::vector<std::shared_ptr<const IndexSegment>>;

    ToolIndex() = default;
    explicit ToolIndex(Segments segments);

    [[nodiscard]] std::size_t size() const noexcept { return size_; }
    [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
    /// The number of tools with an embedding.
    [[nodiscard]] std::size_t embedded_count() const noexcept { return embedded_count_; }
    [[nodiscard]] const ToolDocument& document(std::size_t position) const;

    [[nodiscard]] KeywordScores keyword_scores(std::span<const QueryTerm> terms,
                                               const KeywordOptions& options = {}) const;

    /// Returns the cosine of each tool with the embedding. Tools without an embedding get the mean
    /// of the others, which is neutral.
    [[nodiscard]] std::vector<float> nearness(const Embedding& direction) const;

    /// The number of each tool's server, below `server_count`.
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
