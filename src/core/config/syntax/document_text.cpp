#include <optional>
#include <string>

#include "config/syntax/document_parser.hpp"
#include "config/syntax/utf8.hpp"

namespace holdfast::config {
namespace {

constexpr std::uint32_t kFirstHighSurrogate = 0xD800;
constexpr std::uint32_t kFirstLowSurrogate = 0xDC00;
constexpr std::uint32_t kBehindSurrogates = 0xE000;

std::optional<std::uint32_t> hex_digit(char one) noexcept {
    if (one >= '0' && one <= '9') {
        return static_cast<std::uint32_t>(one - '0');
    }
    if (one >= 'a' && one <= 'f') {
        return static_cast<std::uint32_t>(one - 'a') + 10;
    }
    if (one >= 'A' && one <= 'F') {
        return static_cast<std::uint32_t>(one - 'A') + 10;
    }
    return std::nullopt;
}

std::optional<char> plain_escape(char one) noexcept {
    switch (one) {
        case '"':
        case '\\':
        case '/':
            return one;
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

}  // namespace

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
            slip(cursor_.place(), "there is a control character in this text; write a tab as \\t");
        }
        text += next;
        cursor_.advance();
    }
    return stop(begin, "this text does not end in its line; add the closing double quote");
}

void DocumentParser::parse_escape(std::string& text) {
    const Place place = cursor_.place();
    cursor_.advance();
    const char kind = cursor_.peek();
    if (const auto plain = plain_escape(kind)) {
        text += *plain;
        cursor_.advance();
    } else if (cursor_.take('u')) {
        parse_unicode_escape(place, text);
    } else {
        slip(place, "no escape begins like this; write a backslash as \\\\");
    }
}

void DocumentParser::parse_unicode_escape(Place place, std::string& text) {
    auto code_point = parse_four_digits();
    const bool is_high =
        code_point && *code_point >= kFirstHighSurrogate && *code_point < kFirstLowSurrogate;
    if (is_high && cursor_.peek() == '\\' && cursor_.peek(1) == 'u') {
        cursor_.advance(2);
        const auto low = parse_four_digits();
        if (low && *low >= kFirstLowSurrogate && *low < kBehindSurrogates) {
            append_utf8(text, 0x10000 + ((*code_point - kFirstHighSurrogate) << 10U) +
                                  (*low - kFirstLowSurrogate));
            return;
        }
    }
    const bool is_surrogate =
        code_point && *code_point >= kFirstHighSurrogate && *code_point < kBehindSurrogates;
    if (!code_point || is_surrogate) {
        slip(place,
             "this is no character; \\u takes four hexadecimal digits, and a character "
             "beyond \\uffff a pair of them");
    } else if (*code_point == 0) {
        slip(place, "no text of a config can contain the character \\u0000");
    } else {
        append_utf8(text, *code_point);
    }
}

std::optional<std::uint32_t> DocumentParser::parse_four_digits() {
    std::uint32_t value = 0;
    for (int index = 0; index < 4; ++index) {
        const auto digit = hex_digit(cursor_.peek());
        if (!digit) {
            return std::nullopt;
        }
        value = value * 16 + *digit;
        cursor_.advance();
    }
    return value;
}

}  // namespace holdfast::config
