#pragma once

#include <cstddef>
#include <string_view>

namespace holdfast::base {

/// Whether a byte of a UTF-8 text goes on with a character that began before it.
[[nodiscard]] constexpr bool continues_character(char byte) noexcept {
    constexpr unsigned kMarkBits = 0xC0;
    constexpr unsigned kContinuation = 0x80;
    return (static_cast<unsigned char>(byte) & kMarkBits) == kContinuation;
}

/// The beginning of a UTF-8 text, of at most so many bytes, and without half a character at its
/// end.
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

/// The end of a UTF-8 text in the same way: without half a character at its beginning.
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
