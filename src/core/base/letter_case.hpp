#pragma once

#include <cstddef>
#include <string>
#include <string_view>

// The case of ASCII letters, whatever the locale is. All other characters have none.

namespace holdfast::base {

[[nodiscard]] constexpr char lower_letter(char character) noexcept {
    return character >= 'A' && character <= 'Z' ? static_cast<char>(character - 'A' + 'a')
                                                : character;
}

/// Returns the text with ASCII letters in lower case, independent of the locale.
[[nodiscard]] inline std::string lower_case(std::string_view text) {
    std::string result{text};
    for (char& letter : result) {
        letter = lower_letter(letter);
    }
    return result;
}

/// Whether two texts of equal length are equal but for the case of their ASCII letters.
[[nodiscard]] constexpr bool has_same_letters(std::string_view left,
                                              std::string_view right) noexcept {
    if (left == right) {
        return true;  // most names are written as their document writes them
    }
    for (std::size_t index = 0; index < left.size(); ++index) {
        if (left[index] != right[index] &&
            lower_letter(left[index]) != lower_letter(right[index])) {
            return false;
        }
    }
    return true;
}

/// Whether two texts are equal but for the case of their ASCII letters. The length or the last
/// letter distinguishes most names, so these are compared first.
[[nodiscard]] constexpr bool equals_ignoring_case(std::string_view left,
                                                  std::string_view right) noexcept {
    constexpr unsigned kCaseBit = 0x20;
    if (left.size() != right.size()) {
        return false;
    }
    const auto folded_end = [](std::string_view text) {
        return static_cast<unsigned char>(text.back()) | kCaseBit;
    };
    return left.empty() || (folded_end(left) == folded_end(right) && has_same_letters(left, right));
}

}  // namespace holdfast::base
