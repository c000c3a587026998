#include "schema/advice/nearest.hpp"

#include <algorithm>
#include <cstddef>

#include "base/nearest_name.hpp"

namespace holdfast::schema {
namespace {

constexpr std::size_t kMaxCandidates = 200;
constexpr std::size_t kShortestPart = 3;

/// Returns whether one text is a prefix of the other, such as `max` and `max_results`.
bool is_part(std::string_view left, std::string_view right) noexcept {
    return left.size() >= kShortestPart && right.size() >= kShortestPart &&
           (left.starts_with(right) || right.starts_with(left));
}

}  // namespace

std::optional<std::string_view> nearest(std::string_view text,
                                        std::span<const std::string_view> candidates) {
    const auto compared = candidates.first(std::min(candidates.size(), kMaxCandidates));
    if (const auto likely = base::likely_name(text, compared)) {
        return likely;
    }
    const auto part = std::ranges::find_if(
        compared, [text](std::string_view candidate) { return is_part(text, candidate); });
    return part == compared.end() ? std::nullopt : std::optional{*part};
}

}  // namespace holdfast::schema
