#include "search/tool_index.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "holdfast/resilience/expect.hpp"

namespace holdfast::search {
namespace {

/// Inverse document frequency: how specific a term is, from 0 for one that every tool has.
float rarity(std::size_t tool_count, std::size_t tools_with_term) {
    const auto all = static_cast<double>(tool_count);
    const auto with = static_cast<double>(tools_with_term);
    return static_cast<float>(std::log(1.0 + (all - with + 0.5) / (with + 0.5)));
}

}  // namespace

ToolIndex::ToolIndex(Segments segments) : segments_(std::move(segments)) {
    starts_.reserve(segments_.size());
    double total_length = 0.0;
    for (const auto& segment : segments_) {
        starts_.push_back(size_);
        size_ += segment->entries().size();
        total_length += segment->total_length();
        embedded_count_ += static_cast<std::size_t>(std::ranges::count_if(
            segment->entries(),
            [](const SegmentEntry& entry) { return entry.embedding != nullptr; }));
    }
    if (total_length > 0.0) {
        mean_length_ = total_length / static_cast<double>(size_);
    }
    number_servers();
}

void ToolIndex::number_servers() {
    std::unordered_map<std::string_view, std::uint32_t> numbers;
    servers_.reserve(size_);
    for (const auto& segment : segments_) {
        for (const SegmentEntry& entry : segment->entries()) {
            const auto next = static_cast<std::uint32_t>(numbers.size());
            servers_.push_back(
                numbers.try_emplace(entry.tool->document.server, next).first->second);
        }
    }
    server_count_ = numbers.size();
}

const ToolDocument& ToolIndex::document(std::size_t position) const {
    HOLDFAST_EXPECT(position < size_);
    const auto after = std::ranges::upper_bound(starts_, position);
    const auto segment = static_cast<std::size_t>(after - starts_.begin()) - 1;
    return segments_[segment]->entries()[position - starts_[segment]].tool->document;
}

KeywordScores ToolIndex::keyword_scores(std::span<const QueryTerm> terms,
                                        const KeywordOptions& options) const {
    KeywordScores result{.scores = std::vector<float>(size_),
                         .coverage = std::vector<float>(size_),
                         .name_coverage = std::vector<float>(size_)};
    const float saturation = options.saturation;
    const float base_norm = saturation * (1.0F - options.length_normalisation);
    const float length_norm =
        saturation * options.length_normalisation / static_cast<float>(mean_length_);
    std::vector<std::span<const IndexSegment::Posting>> lists(segments_.size());
    float total_rarity = 0.0F;
    for (const QueryTerm& term : terms) {
        std::size_t tools_with_term = 0;
        for (std::size_t index = 0; index < segments_.size(); ++index) {
            lists[index] = segments_[index]->postings(term.term);
            tools_with_term += lists[index].size();
        }
        const float term_rarity = rarity(size_, tools_with_term);
        total_rarity += term_rarity;
        const float factor = term.count * term_rarity * (saturation + 1.0F);
        for (std::size_t index = 0; index < segments_.size(); ++index) {
            for (const IndexSegment::Posting& posting : lists[index]) {
                const float norm =
                    base_norm + length_norm * segments_[index]->length(posting.entry);
                const std::size_t position = starts_[index] + posting.entry;
                result.scores[position] += factor * posting.weight / (posting.weight + norm);
                result.coverage[position] += term_rarity;
                result.name_coverage[position] += posting.is_in_name ? 1.0F : 0.0F;
            }
        }
    }
    turn_into_shares(result, total_rarity);
    return result;
}

void ToolIndex::turn_into_shares(KeywordScores& result, float total_rarity) const {
    std::size_t position = 0;
    for (const auto& segment : segments_) {
        for (const SegmentEntry& entry : segment->entries()) {
            if (result.scores[position] > 0.0F) {
                // A tool with a score shares a term, so the total rarity is above 0.
                result.best = std::max(result.best, result.scores[position]);
                result.coverage[position] /= total_rarity;
                result.name_coverage[position] /=
                    static_cast<float>(std::max<std::size_t>(entry.tool->name_terms, 1));
            }
            ++position;
        }
    }
}

std::vector<float> ToolIndex::nearness(const Embedding& direction) const {
    std::vector<float> result(size_);
    std::vector<std::size_t> gaps;
    float sum = 0.0F;
    std::size_t position = 0;
    for (const auto& segment : segments_) {
        for (const SegmentEntry& entry : segment->entries()) {
            if (entry.embedding == nullptr) {
                gaps.push_back(position);
            } else {
                result[position] = cosine(*entry.embedding, direction);
                sum += result[position];
            }
            ++position;
        }
    }
    if (embedded_count_ > 0) {
        for (const std::size_t gap : gaps) {
            result[gap] = sum / static_cast<float>(embedded_count_);
        }
    }
    return result;
}

}  // namespace holdfast::search
