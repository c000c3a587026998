#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

// What searching needs to know of Unicode: one code point at a time, never failing. Text comes from
// strangers, so a byte that is no UTF-8 is a code point of its own, `kReplacement`.

namespace holdfast::search {

inline constexpr std::int32_t kReplacement = 0xFFFD;

enum class CharacterKind : std::uint8_t {
    word,         ///< A letter, a digit, a mark.
    ideograph,    ///< A letter that is a word of its own, as in Chinese.
    punctuation,  ///< ASCII symbols count as punctuation too.
    symbol,       ///< What is none of the others, such as an emoji.
    space,
    ignored,  ///< Control characters, what is unassigned, and `kReplacement`.
};

/// Reads the code point at `position`, which must be inside the text, and moves behind it.
[[nodiscard]] std::int32_t next_code_point(std::string_view text, std::size_t& position);

[[nodiscard]] CharacterKind kind_of(std::int32_t code_point);

/// Appends the code point in small letters and without accents; a lone accent adds nothing.
void append_folded(std::int32_t code_point, std::u32string& out);

void append_utf8(char32_t code_point, std::string& out);

}  // namespace holdfast::search
