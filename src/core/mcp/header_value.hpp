#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace holdfast::mcp {

/// Encodes a text as the value of `Mcp-Name` or `Mcp-Param-*`: literally if a header can carry it,
/// otherwise as `=?base64?...?=`. A text that looks like an encoded value is encoded, too.
[[nodiscard]] std::string header_value_of(std::string_view text);
/// Returns whether a value is a literal text: not encoded and without surrounding spaces.
[[nodiscard]] bool is_literal_header_value(std::string_view value) noexcept;

/// Decodes such a value and removes surrounding spaces. Nothing if it is encoded with invalid
/// base64.
[[nodiscard]] std::optional<std::string> text_of_header_value(std::string_view value);

}  // namespace holdfast::mcp
