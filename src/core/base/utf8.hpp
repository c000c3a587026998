#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace holdfast::base {

/// The number of bytes of the UTF-8 character at the front of a text that is not empty; 0 if there
/// is none, as with overlong forms and surrogates.
[[nodiscard]] std::size_t utf8_character_bytes(std::string_view text) noexcept;

/// Where a text stops being UTF-8; its size when it does not.
[[nodiscard]] std::size_t valid_utf8_bytes(std::string_view text) noexcept;

/// The text with `?` instead of each byte that is not part of a UTF-8 character.
[[nodiscard]] std::string with_valid_utf8(std::string_view text);

/// Appends a character, which must be a Unicode scalar value.
void append_utf8(std::string& text, std::uint32_t code_point);

}  // namespace holdfast::base
