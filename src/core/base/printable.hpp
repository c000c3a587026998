#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace holdfast::base {

/// The first line of a text for people, cut to so many bytes, without characters that could do
/// something to a terminal.
[[nodiscard]] std::string shown_line(std::string_view text, std::size_t max_bytes);
/// A text for people with its lines, without such characters.
[[nodiscard]] std::string shown_text(std::string_view text);

}  // namespace holdfast::base
