#include "app/nearest_name.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

namespace holdfast::app {
namespace {

// What a person types as a name is short; anything longer is compared by its beginning.
constexpr std::size_t kMaxComparedLength = 64;

std::size_t edit_distance(std::string_view from, std::string_view to) {
    // One row of the usual table: row[j] is the distance from the part of `from` read so far to the
    // first j characters of `to`.
    std::vector<std::size_t> row(to.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (const char character : from) {
        std::size_t diagonal = row[0];
        ++row[0];
        for (std::size_t j = 1; j < row.size(); ++j) {
            const std::size_t replaced = diagonal + (character == to[j - 1] ? 0U : 1U);
            diagonal = row[j];
            row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
        }
    }
    return row.back();
}

}  // namespace

std::string_view nearest_name(std::string_view typed, std::span<const std::string> names) {
    typed = typed.substr(0, kMaxComparedLength);
    const auto nearest = std::ranges::min_element(
        names, {}, [typed](std::string_view name) { return edit_distance(typed, name); });
    return *nearest;
}

}  // namespace holdfast::app
