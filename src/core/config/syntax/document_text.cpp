#include <optional>
#include <string>

#include "base/hex.hpp"
#include "base/json_escape.hpp"
#include "base/utf8.hpp"
#include "config/syntax/document_parser.hpp"

namespace holdfast::config {

bool DocumentParser::parse_text(std::string& text) {
    const Place begin = cursor_.place();
    cursor_.advance();
    while (!cursor_.is_at_end()) {
        const char next = cursor_.peek();
        if (cursor_.take('"')) {
            return !report_.is_full();
        }
        if (next == '\n' || next == '\r') {
            break;
        }
        if (next == '\\') {
            parse_escape(text);
            continue;
        }
        if (static_cast<unsigned char>(next) < 0x20U) {
            slip(cursor_.place(), "control character in a text; write a tab as \\t");
        }
        text += next;
        cursor_.advance();
    }
    return stop(begin, "unclosed text; add the closing double quote");
}

void DocumentParser::parse_escape(std::string& text) {
    const Place place = cursor_.place();
    cursor_.advance();
    const char kind = cursor_.peek();
    if (const auto plain = base::json_unescaped(kind)) {
        text += *plain;
        cursor_.advance();
    } else if (cursor_.take('u')) {
        parse_unicode_escape(place, text);
    } else {
        slip(place, "invalid escape; write a backslash as \\\\");
    }
}

void DocumentParser::parse_unicode_escape(Place place, std::string& text) {
    auto code_point = parse_four_digits();
    const bool is_high = code_point && base::is_high_surrogate(*code_point);
    if (is_high && cursor_.peek() == '\\' && cursor_.peek(1) == 'u') {
        cursor_.advance(2);
        const auto low = parse_four_digits();
        if (low && base::is_low_surrogate(*low)) {
            base::append_utf8(text, base::joined_surrogates(*code_point, *low));
            return;
        }
    }
    if (!code_point || is_high || base::is_low_surrogate(*code_point)) {
        slip(place,
             "invalid character; \\u takes four hexadecimal digits, and a character beyond "
             "\\uffff needs two of these");
    } else if (*code_point == 0) {
        slip(place, "a text must not contain the character \\u0000");
    } else {
        base::append_utf8(text, *code_point);
    }
}

std::optional<std::uint32_t> DocumentParser::parse_four_digits() {
    std::uint32_t value = 0;
    for (int index = 0; index < 4; ++index) {
        const int digit = base::hex_digit_value(cursor_.peek());
        if (digit < 0) {
            return std::nullopt;
        }
        value = value * 16 + static_cast<std::uint32_t>(digit);
        cursor_.advance();
    }
    return value;
}

}  // namespace holdfast::config
