#include "search/index_segment.hpp"

#include <algorithm>
#include <utility>

namespace holdfast::search {

IndexSegment::IndexSegment(std::vector<SegmentEntry> entries) : entries_(std::move(entries)) {
    std::size_t posting_count = 0;
    lengths_.reserve(entries_.size());
    for (const SegmentEntry& entry : entries_) {
        lengths_.push_back(entry.tool->length);
        total_length_ += entry.tool->length;
        posting_count += entry.tool->terms.size();
        for (const TermWeight& term : entry.tool->terms) {
            ++ranges_[term.term].count;
        }
    }
    std::uint32_t first = 0;
    for (auto& [term, range] : ranges_) {
        range.first = first;
        first += std::exchange(range.count, 0);  // counted again below while they are filled
    }
    postings_.resize(posting_count);
    for (std::uint32_t index = 0; index < entries_.size(); ++index) {
        for (const TermWeight& term : entries_[index].tool->terms) {
            Range& range = ranges_[term.term];
            postings_[range.first + range.count++] = {
                .entry = index, .weight = term.weight, .is_in_name = term.is_in_name};
        }
    }
}

std::span<const IndexSegment::Posting> IndexSegment::postings(TermId term) const {
    const auto found = ranges_.find(term);
    if (found == ranges_.end()) {
        return {};
    }
    return std::span{postings_}.subspan(found->second.first, found->second.count);
}

}  // namespace holdfast::search
