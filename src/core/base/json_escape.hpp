#pragma once

#include <cstdint>
#include <optional>

// Escapes in JSON strings (RFC 8259, section 7).

namespace holdfast::base {

/// The character that a backslash and this letter stand for; none if they are not an escape. `u` is
/// followed by digits and not handled here.
[[nodiscard]] constexpr std::optional<char> json_unescaped(char letter) noexcept {
    switch (letter) {
        case '"':
        case '\\':
        case '/':
            return letter;
        case 'b':
            return '\b';
        case 'f':
            return '\f';
        case 'n':
            return '\n';
        case 'r':
            return '\r';
        case 't':
            return '\t';
        default:
            return std::nullopt;
    }
}

/// Whether a `\uXXXX` is the first half of a pair for a character beyond U+FFFF.
[[nodiscard]] constexpr bool is_high_surrogate(std::uint32_t unit) noexcept {
    return unit >= 0xd800 && unit < 0xdc00;
}
[[nodiscard]] constexpr bool is_low_surrogate(std::uint32_t unit) noexcept {
    return unit >= 0xdc00 && unit < 0xe000;
}
/// The character of a pair.
[[nodiscard]] constexpr std::uint32_t joined_surrogates(std::uint32_t high,
                                                        std::uint32_t low) noexcept {
    return 0x10000 + ((high - 0xd800) << 10U) + (low - 0xdc00);
}

}  // namespace holdfast::base
