#pragma once

#include <optional>
#include <span>
#include <string_view>

namespace holdfast::schema {

/// Returns the candidate that a mistyped text most likely means: the one with the fewest edits,
/// ignoring case, '_' and '-'. Nothing if even that one is too different. Compares only the
/// beginning of long texts and only the first candidates of a long list.
[[nodiscard]] std::optional<std::string_view> nearest(std::string_view text,
                                                      std::span<const std::string_view> candidates);

}  // namespace holdfast::schema
