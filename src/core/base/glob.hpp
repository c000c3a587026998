#pragma once

#include <string_view>

namespace holdfast::base {

/// Whether a pattern fits all of a text: `*` stands for any characters, `?` for one. Takes at most
/// the product of both lengths, whatever the pattern.
[[nodiscard]] bool glob_matches(std::string_view pattern, std::string_view text) noexcept;

}  // namespace holdfast::base
