#pragma once

#include <cstddef>
#include <string>
#include <string_view>

// JSON values as they are written, without a tree: what they are, what they say, how to write one.

namespace holdfast::jsonrpc {

/// Whether the text is exactly one JSON number. Of any size: it is never converted.
[[nodiscard]] bool is_number(std::string_view text) noexcept;

/// Whether the text is exactly one JSON number without fraction and exponent.
[[nodiscard]] bool is_integer(std::string_view text) noexcept;

/// Whether the text is exactly one string, number, `true`, `false` or `null`. That a string holds
/// no bare quote, no control character and only UTF-8 must have been made sure of before.
[[nodiscard]] bool is_scalar(std::string_view text) noexcept;

/// Whether every escape between the quotes of a string is a legal one.
[[nodiscard]] bool has_legal_escapes(std::string_view between_quotes) noexcept;

/// The inside of a string, escapes as written. Requires a string with its quotes.
[[nodiscard]] std::string_view between_quotes(std::string_view string_text) noexcept;

/// What a string says, as UTF-8. Requires a string with its quotes and legal escapes; half of a
/// surrogate pair becomes the replacement character.
[[nodiscard]] std::string decoded(std::string_view string_text);
/// The first `max_bytes` bytes of what a string says; may end within a character. Reads no more of
/// the string than it needs. Requires the same.
[[nodiscard]] std::string decoded_beginning(std::string_view string_text, std::size_t max_bytes);
/// Whether a string says this. Requires the same; most strings are compared as they are written.
[[nodiscard]] bool says(std::string_view string_text, std::string_view text);

/// Appends the text as a JSON string, with quotes. Bytes above ASCII are taken over as they are.
void append_quoted(std::string& out, std::string_view text);
[[nodiscard]] std::string quoted_text(std::string_view text);

}  // namespace holdfast::jsonrpc
