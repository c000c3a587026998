#pragma once

#include <string_view>

namespace holdfast::base {

/// Returns whether the pattern matches the whole text: `*` matches any characters, `?` exactly one.
/// Takes at most as many steps as the product of both lengths.
[[nodiscard]] bool glob_matches(std::string_view pattern, std::string_view text) noexcept;

}  // namespace holdfast::base
