#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace holdfast::mcp {

/// A text as the value of `Mcp-Name` or `Mcp-Param-*`: as it is where a header can carry it, else
/// as `=?base64?...?=`. A text that looks like the wrapper is wrapped too.
[[nodiscard]] std::string header_value_of(std::string_view text);
/// Whether a value is the text itself: neither wrapped, nor with spaces around it.
[[nodiscard]] bool is_literal_header_value(std::string_view value) noexcept;

/// What such a value says, surrounding spaces removed. Nothing if it is wrapped and the inside is
/// not proper base64.
[[nodiscard]] std::optional<std::string> text_of_header_value(std::string_view value);

}  // namespace holdfast::mcp
