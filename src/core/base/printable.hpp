#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace holdfast::base {

/// Returns the first line of a text, cut to `max_bytes`, without control characters that a terminal
/// would interpret.
[[nodiscard]] std::string shown_line(std::string_view text, std::size_t max_bytes);
/// Returns a text of several lines without such control characters.
[[nodiscard]] std::string shown_text(std::string_view text);

}  // namespace holdfast::base
