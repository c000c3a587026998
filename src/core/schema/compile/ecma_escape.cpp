#include "schema/compile/ecma_escape.hpp"

#include <charconv>
#include <optional>

namespace holdfast::schema {
namespace {

std::optional<std::uint32_t> hex_value(std::string_view digits) {
    std::uint32_t number = 0;
    const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), number, 16);
    if (digits.empty() || read.ec != std::errc{} || read.ptr != digits.data() + digits.size()) {
        return std::nullopt;
    }
    return number;
}

EscapedCharacter refused(std::string_view reason) {
    return {.refusal = reason};
}

EscapedCharacter checked(std::uint32_t code, std::size_t size_bytes) {
    if (code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) {
        return refused("an escape is not a character");
    }
    return {.code = code, .size_bytes = size_bytes};
}

EscapedCharacter fixed_digits(std::string_view rest, std::size_t digits) {
    const auto code = rest.size() < digits ? std::nullopt : hex_value(rest.substr(0, digits));
    return code ? checked(*code, digits) : refused("an escape has too few digits");
}

EscapedCharacter unicode(std::string_view rest) {
    if (rest.starts_with('{')) {
        const std::size_t end = rest.find('}');
        const auto code =
            end == std::string_view::npos ? std::nullopt : hex_value(rest.substr(1, end - 1));
        return code ? checked(*code, end + 1) : refused("an escape has no end");
    }
    // "D83D\\uDE00": a surrogate pair.
    if (rest.size() >= 10 && rest.substr(4, 2) == "\\u") {
        const std::uint32_t high = hex_value(rest.substr(0, 4)).value_or(0);
        const std::uint32_t low = hex_value(rest.substr(6, 4)).value_or(0);
        if (high >= 0xd800 && high < 0xdc00 && low >= 0xdc00 && low < 0xe000) {
            return checked(0x10000 + ((high - 0xd800) << 10U) + (low - 0xdc00), 10);
        }
    }
    return fixed_digits(rest, 4);
}

EscapedCharacter control(std::string_view rest) {
    const char letter = rest.empty() ? '\0' : rest.front();
    const bool is_letter = (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z');
    return is_letter ? checked(static_cast<std::uint32_t>(letter) % 32, 1)
                     : refused("a control escape needs a letter");
}

}  // namespace

EscapedCharacter read_escape(char letter, std::string_view rest) {
    switch (letter) {
        case 'u':
            return unicode(rest);
        case 'x':
            return fixed_digits(rest, 2);
        case 'c':
            return control(rest);
        default:
            return {};
    }
}

}  // namespace holdfast::schema
