#pragma once

#include <array>
#include <cstdint>
#include <string_view>

// The characters of HTTP messages (RFC 9110) and the lists that headers hold.

namespace holdfast::base {

/// What a character may be part of. The values are bits of `kHttpClasses`.
enum class HttpClass : std::uint8_t {
    token = 1,    ///< A method, the name of a header, most names within values.
    value = 2,    ///< The value of a header: no control character but the tab.
    visible = 4,  ///< The target of a request: visible ASCII.
};

/// The classes of each character, as bits.
inline constexpr std::array<std::uint8_t, 256> kHttpClasses = [] {
    const auto add = [](std::uint8_t& classes, HttpClass one) {
        classes |= static_cast<std::uint8_t>(one);
    };
    constexpr std::string_view kTokenMarks = "!#$%&'*+-.^_`|~";
    constexpr unsigned kDelete = 0x7f;
    std::array<std::uint8_t, 256> classes{};
    for (unsigned code = 0; code < classes.size(); ++code) {
        if (code == '\t' || (code >= ' ' && code != kDelete)) {
            add(classes[code], HttpClass::value);
        }
        if (code > ' ' && code < kDelete) {
            add(classes[code], HttpClass::visible);
        }
        if ((code >= '0' && code <= '9') || (code >= 'A' && code <= 'Z') ||
            (code >= 'a' && code <= 'z')) {
            add(classes[code], HttpClass::token);
        }
    }
    for (const char mark : kTokenMarks) {
        add(classes[static_cast<unsigned char>(mark)], HttpClass::token);
    }
    return classes;
}();

[[nodiscard]] constexpr bool is_of_class(char character, HttpClass wanted) noexcept {
    return (kHttpClasses[static_cast<unsigned char>(character)] &
            static_cast<std::uint8_t>(wanted)) != 0;
}

/// Whether a text can be a method or the name of a header.
[[nodiscard]] bool is_token(std::string_view text) noexcept;
/// Whether a text can be the value of a header: nothing in it can end its line. May be empty.
[[nodiscard]] bool is_header_value(std::string_view text) noexcept;
/// Whether all characters are visible ASCII, as in the target of a request. May be empty.
[[nodiscard]] bool is_visible(std::string_view text) noexcept;

/// Without the blanks and tabs around it. Line ends stay: they are not allowed in a value.
[[nodiscard]] constexpr std::string_view trimmed_value(std::string_view text) noexcept {
    const auto is_blank = [](char character) { return character == ' ' || character == '\t'; };
    while (!text.empty() && is_blank(text.front())) {
        text.remove_prefix(1);
    }
    while (!text.empty() && is_blank(text.back())) {
        text.remove_suffix(1);
    }
    return text;
}

/// Removes the next part of a comma-separated list from `list` and returns it trimmed. `list` must
/// not be empty.
[[nodiscard]] std::string_view take_list_part(std::string_view& list) noexcept;
/// Whether a comma-separated list has a part. Ignores the case of ASCII letters.
[[nodiscard]] bool has_list_part(std::string_view list, std::string_view part) noexcept;

}  // namespace holdfast::base
