#include "config/syntax/text_cursor.hpp"

namespace holdfast::config {

void TextCursor::advance() noexcept {
    if (is_at_end()) {
        return;
    }
    const char byte = text_[offset_++];
    const bool is_first_of_pair = byte == '\r' && peek() == '\n';
    if (byte == '\n' || (byte == '\r' && !is_first_of_pair)) {
        ++place_.line;
        place_.column = 1;
        return;
    }
    // The bytes of one character count once: at its end.
    const bool continues = (static_cast<unsigned char>(peek()) & 0xC0U) == 0x80U;
    if (!continues) {
        ++place_.column;
    }
}

void TextCursor::advance(std::size_t count) noexcept {
    for (; count > 0; --count) {
        advance();
    }
}

bool TextCursor::take(char expected) noexcept {
    if (is_at_end() || peek() != expected) {
        return false;
    }
    advance();
    return true;
}

}  // namespace holdfast::config
