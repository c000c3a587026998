#pragma once

#include <cstddef>
#include <string>
#include <string_view>

// Functions on JSON values as text: they classify, decode, compare and write values without
// building a tree.

namespace holdfast::jsonrpc {

/// Returns whether the text is exactly one JSON number. The number is never converted, so it may
/// have any size.
[[nodiscard]] bool is_number(std::string_view text) noexcept;

/// Returns whether the text is exactly one JSON number without fraction and exponent.
[[nodiscard]] bool is_integer(std::string_view text) noexcept;

/// Returns whether the text is exactly one string, number, `true`, `false` or `null`. Requires that
/// a string has no bare quote, no control character and only valid UTF-8.
[[nodiscard]] bool is_scalar(std::string_view text) noexcept;

/// Returns whether every escape between the quotes of a string is legal.
[[nodiscard]] bool has_legal_escapes(std::string_view between_quotes) noexcept;

/// Returns the inside of a string with its escapes. Requires a string with its quotes.
[[nodiscard]] std::string_view between_quotes(std::string_view string_text) noexcept;

/// Decodes a string to UTF-8. Requires a string with its quotes and legal escapes. An unpaired
/// surrogate becomes the replacement character.
[[nodiscard]] std::string decoded(std::string_view string_text);
/// Decodes the first `max_bytes` bytes of a string; may end within a character. Reads no more of
/// the string than it needs. Requires a string with its quotes and legal escapes.
[[nodiscard]] std::string decoded_beginning(std::string_view string_text, std::size_t max_bytes);
/// Returns whether a string decodes to `text`. Requires a string with its quotes and legal escapes.
/// Most strings have no escapes and are compared without decoding.
[[nodiscard]] bool says(std::string_view string_text, std::string_view text);

/// Appends the text as a JSON string with quotes. Bytes that are not UTF-8 become U+FFFD each.
void append_quoted(std::string& out, std::string_view text);
[[nodiscard]] std::string quoted_text(std::string_view text);

}  // namespace holdfast::jsonrpc
