#include "jsonrpc/json_text.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "base/hex.hpp"
#include "base/json_escape.hpp"
#include "base/utf8.hpp"

namespace holdfast::jsonrpc {
namespace {

constexpr bool is_digit(char character) noexcept {
    return character >= '0' && character <= '9';
}

/// Removes digits from the front and returns their number.
std::size_t take_digits(std::string_view& text) noexcept {
    std::size_t count = 0;
    while (count < text.size() && is_digit(text[count])) {
        ++count;
    }
    text.remove_prefix(count);
    return count;
}

/// Removes a sign and digits without a leading zero from the front.
bool take_integer(std::string_view& text) noexcept {
    if (text.starts_with('-')) {
        text.remove_prefix(1);
    }
    const bool starts_with_zero = text.starts_with('0');
    const std::size_t digits = take_digits(text);
    return digits == 1 || (digits > 1 && !starts_with_zero);
}

/// Returns the value of four hex digits. Requires valid digits.
std::uint32_t hex_value(std::string_view digits) noexcept {
    std::uint32_t value = 0;
    for (const char digit : digits) {
        value = value * 16 + static_cast<std::uint32_t>(base::hex_digit_value(digit));
    }
    return value;
}

/// Removes a `\uXXXX`, or a pair of them, from the front. Requires that the backslash has been
/// removed.
std::uint32_t take_code_point(std::string_view& rest) {
    constexpr std::uint32_t kReplacement = 0xfffd;
    const std::uint32_t unit = hex_value(rest.substr(1, 4));
    rest.remove_prefix(5);
    if (base::is_high_surrogate(unit) && rest.starts_with("\\u")) {
        const std::uint32_t low = hex_value(rest.substr(2, 4));
        if (base::is_low_surrogate(low)) {
            rest.remove_prefix(6);
            return base::joined_surrogates(unit, low);
        }
    }
    return base::is_high_surrogate(unit) || base::is_low_surrogate(unit) ? kReplacement : unit;
}

/// Returns whether a string may contain this byte without an escape, whatever is next to it.
constexpr bool is_plain(char character) noexcept {
    const auto byte = static_cast<unsigned char>(character);
    return byte >= 0x20 && byte < 0x80 && character != '"' && character != '\\';
}

/// Returns the number of plain bytes at the front.
std::size_t plain_bytes(std::string_view text) noexcept {
    return static_cast<std::size_t>(std::ranges::find_if_not(text, is_plain) - text.begin());
}

void append_escape(std::string& out, char character) {
    constexpr std::string_view kHex = "0123456789abcdef";
    const auto byte = static_cast<unsigned char>(character);
    if (character == '"' || character == '\\') {
        out.push_back('\\');
        out.push_back(character);
    } else if (character == '\n') {
        out.append("\\n");
    } else {
        out.append("\\u00");
        out.push_back(kHex[byte >> 4U]);
        out.push_back(kHex[byte & 0xfU]);
    }
}

/// Appends what a string needs for the character at the front of a text that is not empty, and
/// returns its number of bytes. A byte that is not part of a character becomes a replacement
/// character: the whole JSON text would be invalid with it.
std::size_t append_special(std::string& out, std::string_view text) {
    constexpr std::string_view kReplacement = "\ufffd";
    if (static_cast<unsigned char>(text.front()) < 0x80) {
        append_escape(out, text.front());
        return 1;
    }
    const std::size_t character = base::utf8_character_bytes(text);
    out.append(character == 0 ? kReplacement : text.substr(0, character));
    return character == 0 ? 1 : character;
}

}  // namespace

bool is_integer(std::string_view text) noexcept {
    return take_integer(text) && text.empty();
}

bool is_number(std::string_view text) noexcept {
    if (!take_integer(text)) {
        return false;
    }
    if (text.starts_with('.')) {
        text.remove_prefix(1);
        if (take_digits(text) == 0) {
            return false;
        }
    }
    if (text.starts_with('e') || text.starts_with('E')) {
        text.remove_prefix(1);
        if (text.starts_with('+') || text.starts_with('-')) {
            text.remove_prefix(1);
        }
        if (take_digits(text) == 0) {
            return false;
        }
    }
    return text.empty();
}

bool has_legal_escapes(std::string_view between_quotes) noexcept {
    constexpr std::size_t kHexDigits = 4;
    const auto is_no_digit = [](char each) { return base::hex_digit_value(each) < 0; };
    std::size_t at = between_quotes.find('\\');
    while (at != std::string_view::npos) {
        const std::string_view rest = between_quotes.substr(at + 1);
        std::size_t length = 1;
        if (rest.starts_with('u')) {
            const std::string_view digits = rest.substr(1, kHexDigits);
            if (digits.size() < kHexDigits || std::ranges::any_of(digits, is_no_digit)) {
                return false;
            }
            length += kHexDigits;
        } else if (rest.empty() || !base::json_unescaped(rest.front())) {
            return false;
        }
        at = between_quotes.find('\\', at + 1 + length);
    }
    return true;
}

std::string_view between_quotes(std::string_view string_text) noexcept {
    return string_text.substr(1, string_text.size() - 2);
}

bool is_scalar(std::string_view text) noexcept {
    if (text.starts_with('"')) {
        return text.size() >= 2 && text.ends_with('"') && has_legal_escapes(between_quotes(text));
    }
    return text == "true" || text == "false" || text == "null" || is_number(text);
}

std::string decoded(std::string_view string_text) {
    const std::string_view inside = between_quotes(string_text);
    if (inside.find('\\') == std::string_view::npos) {
        return std::string{inside};  // the common case
    }
    return decoded_beginning(string_text, std::string_view::npos);
}

std::string decoded_beginning(std::string_view string_text, std::size_t max_bytes) {
    std::string_view rest = between_quotes(string_text);
    std::string result;
    result.reserve(std::min(rest.size(), max_bytes));
    while (!rest.empty() && result.size() < max_bytes) {
        const std::string_view window = rest.substr(0, max_bytes - result.size());
        const std::size_t plain = std::min(window.find('\\'), window.size());
        result.append(window.substr(0, plain));
        rest.remove_prefix(plain);
        if (plain == window.size()) {
            break;
        }
        rest.remove_prefix(1);
        if (rest.starts_with('u')) {
            base::append_utf8(result, take_code_point(rest));
        } else {
            result.push_back(base::json_unescaped(rest.front()).value_or(rest.front()));
            rest.remove_prefix(1);
        }
    }
    result.resize(std::min(result.size(), max_bytes));  // an escape may decode to several bytes
    return result;
}

bool says(std::string_view string_text, std::string_view text) {
    const std::string_view inside = between_quotes(string_text);
    return inside.find('\\') == std::string_view::npos ? inside == text
                                                       : decoded(string_text) == text;
}

void append_quoted(std::string& out, std::string_view text) {
    out.push_back('"');
    while (!text.empty()) {
        const std::size_t plain = plain_bytes(text);
        out.append(text.substr(0, plain));
        text.remove_prefix(plain);
        if (!text.empty()) {
            text.remove_prefix(append_special(out, text));
        }
    }
    out.push_back('"');
}

std::string quoted_text(std::string_view text) {
    std::string result;
    result.reserve(text.size() + 2);
    append_quoted(result, text);
    return result;
}

}  // namespace holdfast::jsonrpc
