#pragma once

#include <string_view>

namespace holdfast::base {

/// A blank, a tab or part of a line end.
[[nodiscard]] constexpr bool is_blank(char character) noexcept {
    return character == ' ' || character == '\t' || character == '\r' || character == '\n';
}

/// Returns the text without leading and trailing blanks and line ends.
[[nodiscard]] constexpr std::string_view without_blanks(std::string_view text) noexcept {
    while (!text.empty() && is_blank(text.front())) {
        text.remove_prefix(1);
    }
    while (!text.empty() && is_blank(text.back())) {
        text.remove_suffix(1);
    }
    return text;
}

}  // namespace holdfast::base
