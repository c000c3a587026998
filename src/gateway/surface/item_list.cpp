#include "surface/item_list.hpp"

#include <algorithm>

#include "holdfast/resilience/expect.hpp"

namespace holdfast::surface {

void ItemList::Joined::add(std::string_view item) {
    if (!ends.empty()) {
        text += ',';
    }
    text.append(item);
    ends.push_back(text.size());
}

std::string_view ItemList::Joined::page(std::size_t first, std::size_t count) const {
    const std::size_t last = std::min(ends.size(), first + count);
    if (first == last) {
        return {};
    }
    const std::size_t begin = first == 0 ? 0 : ends[first - 1] + 1;
    return std::string_view{text}.substr(begin, ends[last - 1] - begin);
}

void ItemList::add(std::string_view modern, std::string_view legacy) {
    if (!legacy.empty() && legacy_.ends.empty()) {
        legacy_ = modern_;
    }
    if (!legacy.empty() || !legacy_.ends.empty()) {
        legacy_.add(legacy.empty() ? modern : legacy);
    }
    modern_.add(modern);
}

std::string_view ItemList::page(mcp::Era era, std::size_t first, std::size_t count) const {
    HOLDFAST_EXPECT(first <= size());
    const bool as_legacy = era == mcp::Era::legacy && !legacy_.ends.empty();
    return (as_legacy ? legacy_ : modern_).page(first, count);
}

}  // namespace holdfast::surface
