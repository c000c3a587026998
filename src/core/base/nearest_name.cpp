#include "base/nearest_name.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <numeric>
#include <utility>

namespace holdfast::base {
namespace {

constexpr std::size_t kMaxComparedBytes = 64;

/// A name in lower case without separators, stored on the stack.
class PlainName {
public:
    explicit PlainName(std::string_view name) noexcept {
        for (const char letter : name) {
            if (size_ == letters_.size()) {
                break;
            }
            if (std::string_view{"_-. "}.find(letter) != std::string_view::npos) {
                continue;
            }
            const bool is_capital = letter >= 'A' && letter <= 'Z';
            letters_[size_++] = is_capital ? static_cast<char>(letter - 'A' + 'a') : letter;
            kinds_ |= std::uint64_t{1} << (static_cast<unsigned char>(letters_[size_ - 1]) % 64U);
        }
    }

    [[nodiscard]] std::string_view view() const noexcept { return {letters_.data(), size_}; }

    /// Returns a lower bound of the distance, much faster to compute than the distance itself.
    [[nodiscard]] std::size_t least_distance(const PlainName& other) const noexcept {
        const std::size_t lengths = size_ > other.size_ ? size_ - other.size_ : other.size_ - size_;
        const auto only_here = static_cast<std::size_t>(std::popcount(kinds_ & ~other.kinds_));
        const auto only_there = static_cast<std::size_t>(std::popcount(other.kinds_ & ~kinds_));
        return std::max({lengths, only_here, only_there});
    }

private:
    std::array<char, kMaxComparedBytes> letters_{};
    std::size_t size_ = 0;
    std::uint64_t kinds_ = 0;  // one bit for each letter or digit; rare characters share bits
};

std::size_t edit_distance(std::string_view from, std::string_view to) noexcept {
    // Three rows of the usual table for edit distances: row[j] is the distance from the part of
    // `from` read so far to the first j characters of `to`.
    using Row = std::array<std::size_t, kMaxComparedBytes + 1>;
    Row row{};
    Row above{};
    Row two_above{};
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 1; i <= from.size(); ++i) {
        two_above = above;
        above = row;
        row[0] = i;
        for (std::size_t j = 1; j <= to.size(); ++j) {
            const std::size_t replaced = above[j - 1] + (from[i - 1] == to[j - 1] ? 0U : 1U);
            row[j] = std::min({above[j] + 1, row[j - 1] + 1, replaced});
            const bool is_swapped =
                i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1];
            if (is_swapped) {
                row[j] = std::min(row[j], two_above[j - 2] + 1);
            }
        }
    }
    return row[to.size()];
}

}  // namespace

std::size_t name_distance(std::string_view typed, std::string_view name) {
    const PlainName plain_typed{typed};
    const PlainName plain_name{name};
    return edit_distance(plain_typed.view(), plain_name.view());
}

std::vector<std::string_view> nearest_names(std::string_view typed,
                                            std::span<const std::string_view> names,
                                            std::size_t count) {
    using Candidate = std::pair<std::size_t, std::string_view>;
    const auto is_nearer = [](const Candidate& left, const Candidate& right) {
        return left.first < right.first;
    };
    const PlainName plain{typed};
    std::vector<Candidate> nearest;  // sorted, at most `count`
    for (const std::string_view name : names) {
        const PlainName candidate{name};
        const bool is_full = nearest.size() == count;
        if (is_full && (count == 0 || plain.least_distance(candidate) >= nearest.back().first)) {
            continue;
        }
        const Candidate found{edit_distance(plain.view(), candidate.view()), name};
        if (is_full && !is_nearer(found, nearest.back())) {
            continue;
        }
        if (is_full) {
            nearest.pop_back();
        }
        nearest.insert(std::ranges::upper_bound(nearest, found, is_nearer), found);
    }
    std::vector<std::string_view> result;
    result.reserve(nearest.size());
    for (const Candidate& candidate : nearest) {
        result.push_back(candidate.second);
    }
    return result;
}

std::optional<std::string_view> likely_name(std::string_view typed,
                                            std::span<const std::string_view> names) {
    const auto nearest = nearest_names(typed, names, 1);
    const bool is_likely = !nearest.empty() && is_likely_name(typed, nearest.front());
    return is_likely ? std::optional{nearest.front()} : std::nullopt;
}

bool is_likely_name(std::string_view typed, std::string_view name) {
    const std::size_t most = std::max<std::size_t>(PlainName{typed}.view().size() / 3, 1);
    return name_distance(typed, name) <= most;
}

}  // namespace holdfast::base
