#pragma once

#include <cstddef>
#include <string_view>

namespace holdfast::base {

/// The beginning of a UTF-8 text, of at most so many bytes, and without half a character at its
/// end.
[[nodiscard]] constexpr std::string_view beginning_of(std::string_view text,
                                                      std::size_t max_bytes) noexcept {
    if (text.size() <= max_bytes) {
        return text;
    }
    constexpr unsigned kMarkBits = 0xC0;
    constexpr unsigned kContinuation = 0x80;
    while (max_bytes > 0 &&
           (static_cast<unsigned char>(text[max_bytes]) & kMarkBits) == kContinuation) {
        --max_bytes;
    }
    return text.substr(0, max_bytes);
}

}  // namespace holdfast::base
