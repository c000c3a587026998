#include "net/http/wire/http_text.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace holdfast::net {
namespace {

constexpr std::uint8_t kToken = 1;
constexpr std::uint8_t kValue = 2;

constexpr bool is_letter_or_digit(unsigned code) {
    return (code >= '0' && code <= '9') || (code >= 'A' && code <= 'Z') ||
           (code >= 'a' && code <= 'z');
}

constexpr std::array<std::uint8_t, 256> make_classes() {
    constexpr std::string_view kTokenMarks = "!#$%&'*+-.^_`|~";
    constexpr unsigned kDelete = 0x7f;
    std::array<std::uint8_t, 256> classes{};
    for (unsigned code = 0; code < classes.size(); ++code) {
        if (code == '\t' || (code >= ' ' && code != kDelete)) {
            classes[code] |= kValue;
        }
        if (is_letter_or_digit(code)) {
            classes[code] |= kToken;
        }
    }
    for (const char mark : kTokenMarks) {
        classes[static_cast<unsigned char>(mark)] |= kToken;
    }
    return classes;
}

constexpr auto kClasses = make_classes();

constexpr char lower(char character) {
    return character >= 'A' && character <= 'Z' ? static_cast<char>(character + ('a' - 'A'))
                                                : character;
}

bool is_blank(char character) {
    return character == ' ' || character == '\t';
}

}  // namespace

bool has_same_letters(std::string_view left, std::string_view right) noexcept {
    if (left == right) {
        return true;  // most are written as in the document that names them
    }
    for (std::size_t index = 0; index < left.size(); ++index) {
        if (left[index] != right[index] && lower(left[index]) != lower(right[index])) {
            return false;
        }
    }
    return true;
}

bool is_token_character(char character) noexcept {
    return (kClasses[static_cast<unsigned char>(character)] & kToken) != 0;
}

bool is_value_character(char character) noexcept {
    return (kClasses[static_cast<unsigned char>(character)] & kValue) != 0;
}

// Both look at every character of every head, so they do not branch on each.
bool is_token(std::string_view text) noexcept {
    std::uint8_t common = kToken;
    for (const char character : text) {
        common &= kClasses[static_cast<unsigned char>(character)];
    }
    return !text.empty() && common != 0;
}

bool is_value(std::string_view text) noexcept {
    std::uint8_t common = kValue;
    for (const char character : text) {
        common &= kClasses[static_cast<unsigned char>(character)];
    }
    return common != 0;
}

std::string_view trimmed(std::string_view text) noexcept {
    while (!text.empty() && is_blank(text.front())) {
        text.remove_prefix(1);
    }
    while (!text.empty() && is_blank(text.back())) {
        text.remove_suffix(1);
    }
    return text;
}

std::string_view take_list_part(std::string_view& list) noexcept {
    const std::size_t comma = list.find(',');
    const std::string_view part = trimmed(list.substr(0, comma));
    list.remove_prefix(comma == std::string_view::npos ? list.size() : comma + 1);
    return part;
}

bool has_list_part(std::string_view list, std::string_view part) noexcept {
    while (!list.empty()) {
        if (is_same_name(take_list_part(list), part)) {
            return true;
        }
    }
    return false;
}

}  // namespace holdfast::net
