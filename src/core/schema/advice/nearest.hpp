#pragma once

#include <optional>
#include <span>
#include <string_view>

namespace holdfast::schema {

/// The candidate that a mistyped text most likely means: the one with the fewest edits when case,
/// '_' and '-' do not count. None when even that one is far away. Compares only the beginning of
/// long texts, and only the first candidates of a long list.
[[nodiscard]] std::optional<std::string_view> nearest(std::string_view text,
                                                      std::span<const std::string_view> candidates);

}  // namespace holdfast::schema
