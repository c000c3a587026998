#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace holdfast::base {

/// How far a typed name is from another: inserted, removed and replaced characters, and neighbours
/// that changed places. Case, '_', '-', '.' and ' ' do not count, and of long names only the
/// beginning does.
[[nodiscard]] std::size_t name_distance(std::string_view typed, std::string_view name);

/// The names nearest to what was typed, nearest first, at most `count`; of equally near ones the
/// earlier. Quick enough for a hundred thousand names.
[[nodiscard]] std::vector<std::string_view> nearest_names(std::string_view typed,
                                                          std::span<const std::string_view> names,
                                                          std::size_t count);

/// The name that was most likely meant; none when even the nearest is far away.
[[nodiscard]] std::optional<std::string_view> likely_name(std::string_view typed,
                                                          std::span<const std::string_view> names);

}  // namespace holdfast::base
