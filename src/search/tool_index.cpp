#include "search/tool_index.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "holdfast/resilience/expect.hpp"

namespace holdfast::search {
namespace {

/// Inverse document frequency: how much a term tells, from 0 for one that every tool has.
float rarity(std::size_t tool_count, std::size_t tools_with_term) {
    const auto all = static_cast<double>(tool_count);
    const auto with = static_cast<double>(tools_with_term);
    return static_cast<float>(std::log(1.0 + (all - with + 0.5) / (with + 0.5)));
}

float nearest_cosine(const std::shared_ptr<const Embedding>& embedding,
                     std::span<const Embedding> directions) {
    if (embedding == nullptr || directions.empty()) {
        return 0.0F;
    }
    float nearest = -1.0F;
    for (const Embedding& direction : directions) {
        nearest = std::max(nearest, cosine(*embedding, direction));
    }
    return nearest;
}

}  // namespace

ToolIndex::ToolIndex(Segments segments, ServerEmbeddings servers)
    : segments_(std::move(segments)), servers_(std::move(servers)) {
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
                         .coverage = std::vector<float>(size_)};
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
            for (const auto& [entry, weight] : lists[index]) {
                const float norm = base_norm + length_norm * segments_[index]->length(entry);
                const std::size_t position = starts_[index] + entry;
                result.scores[position] += factor * weight / (weight + norm);
                result.coverage[position] += term_rarity;
            }
        }
    }
    if (total_rarity > 0.0F) {
        for (float& share : result.coverage) {
            share /= total_rarity;
        }
    }
    return result;
}

template <class Visit>
void ToolIndex::for_each_entry(const Visit& visit) const {
    std::size_t position = 0;
    for (const auto& segment : segments_) {
        for (const SegmentEntry& entry : segment->entries()) {
            visit(position++, entry);
        }
    }
}

std::vector<float> ToolIndex::nearness(std::span<const Embedding> directions) const {
    std::vector<float> result(size_);
    for_each_entry([&](std::size_t position, const SegmentEntry& entry) {
        result[position] = nearest_cosine(entry.embedding, directions);
    });
    return result;
}

std::vector<float> ToolIndex::server_nearness(std::span<const Embedding> directions) const {
    std::unordered_map<std::string_view, float> by_server;
    for (const auto& [server, embedding] : servers_) {
        by_server.emplace(server, nearest_cosine(embedding, directions));
    }
    std::vector<float> result(size_);
    for_each_entry([&](std::size_t position, const SegmentEntry& entry) {
        const auto found = by_server.find(entry.tool->document.server);
        result[position] = found == by_server.end() ? 0.0F : found->second;
    });
    return result;
}

}  // namespace holdfast::search
