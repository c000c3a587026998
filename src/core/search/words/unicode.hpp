#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

// The part of Unicode that searching needs: one code point at a time, without failing. Text is
// untrusted, so a byte that is not UTF-8 becomes the code point `kReplacement`.

namespace holdfast::search {

inline constexpr std::int32_t kReplacement = 0xFFFD;

enum class CharacterKind : std::uint8_t {
    word,         ///< A letter, a digit, a mark.
    ideograph,    ///< A letter that is a word by itself, as in Chinese.
    punctuation,  ///< ASCII symbols count as punctuation too.
    symbol,       ///< Anything else, such as an emoji.
    space,
    ignored,  ///< Control characters, unassigned code points, and `kReplacement`.
};

/// Reads the code point at `position`, which must be inside the text, and advances the position.
[[nodiscard]] std::int32_t next_code_point(std::string_view text, std::size_t& position);

[[nodiscard]] CharacterKind kind_of(std::int32_t code_point);

/// Appends the code point in lower case without accents; a combining accent adds nothing.
void append_folded(std::int32_t code_point, std::u32string& out);

void append_utf8(char32_t code_point, std::string& out);

}  // namespace holdfast::search
