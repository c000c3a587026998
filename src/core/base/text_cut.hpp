#pragma once

#include <cstddef>
#include <string_view>

namespace holdfast::base {

/// Returns whether a byte of UTF-8 text continues a character that an earlier byte began.
[[nodiscard]] constexpr bool continues_character(char byte) noexcept {
    constexpr unsigned kMarkBits = 0xC0;
    constexpr unsigned kContinuation = 0x80;
    return (static_cast<unsigned char>(byte) & kMarkBits) == kContinuation;
}

/// Returns the longest prefix of a UTF-8 text with at most `max_bytes` that ends at a character
/// boundary.
[[nodiscard]] constexpr std::string_view beginning_of(std::string_view text,
                                                      std::size_t max_bytes) noexcept {
    if (text.size() <= max_bytes) {
        return text;
    }
    while (max_bytes > 0 && continues_character(text[max_bytes])) {
        --max_bytes;
    }
    return text.substr(0, max_bytes);
}

/// Returns the longest suffix of a UTF-8 text with at most `max_bytes` that begins at a character
/// boundary.
[[nodiscard]] constexpr std::string_view end_of(std::string_view text,
                                                std::size_t max_bytes) noexcept {
    if (text.size() <= max_bytes) {
        return text;
    }
    std::size_t begin = text.size() - max_bytes;
    while (begin < text.size() && continues_character(text[begin])) {
        ++begin;
    }
    return text.substr(begin);
}

}  // namespace holdfast::base
