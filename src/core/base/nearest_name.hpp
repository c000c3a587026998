#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace holdfast::base {

/// Returns the edit distance between two names: inserted, removed, replaced and transposed
/// characters. Case and the separators '_', '-', '.' and ' ' are ignored, and only the beginning of
/// a long name is compared.
[[nodiscard]] std::size_t name_distance(std::string_view typed, std::string_view name);

/// Returns the names nearest to the typed one, nearest first, at most `count`. Names at the same
/// distance keep their order. Fast enough for a hundred thousand names.
[[nodiscard]] std::vector<std::string_view> nearest_names(std::string_view typed,
                                                          std::span<const std::string_view> names,
                                                          std::size_t count);

/// Returns the name that was most likely meant, or nothing if even the nearest one is too
/// different.
[[nodiscard]] std::optional<std::string_view> likely_name(std::string_view typed,
                                                          std::span<const std::string_view> names);

/// Whether the typed name is so near that this one may have been meant: up to a third of its
/// letters may differ, and one letter of a short name.
[[nodiscard]] bool is_likely_name(std::string_view typed, std::string_view name);

}  // namespace holdfast::base
