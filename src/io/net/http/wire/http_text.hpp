#pragma once

#include <string_view>

namespace holdfast::net {

/// Whether two texts of one length are the same but for the case of their ASCII letters.
[[nodiscard]] bool has_same_letters(std::string_view left, std::string_view right) noexcept;
/// Whether two names are the same but for the case of their ASCII letters. Most are told apart by
/// their length or their last letter, where it is asked.
[[nodiscard]] inline bool is_same_name(std::string_view left, std::string_view right) noexcept {
    constexpr unsigned kCaseBit = 0x20;
    if (left.size() != right.size()) {
        return false;
    }
    const auto folded_end = [](std::string_view text) {
        return static_cast<unsigned char>(text.back()) | kCaseBit;
    };
    return left.empty() || (folded_end(left) == folded_end(right) && has_same_letters(left, right));
}

/// A character of names and methods, as RFC 9110 has it.
[[nodiscard]] bool is_token_character(char character) noexcept;
/// A character of a header's value: no control character but the tab.
[[nodiscard]] bool is_value_character(char character) noexcept;
[[nodiscard]] bool is_token(std::string_view text) noexcept;
/// Whether a text can be the value of a header: nothing in it can end its line.
[[nodiscard]] bool is_value(std::string_view text) noexcept;

/// Without the blanks and tabs around it.
[[nodiscard]] std::string_view trimmed(std::string_view text) noexcept;

/// Takes the next part of a list with commas off `list`, trimmed. Call it while `list` is not
/// empty.
[[nodiscard]] std::string_view take_list_part(std::string_view& list) noexcept;
/// Whether a list with commas has that part, in whatever case it is written.
[[nodiscard]] bool has_list_part(std::string_view list, std::string_view part) noexcept;

}  // namespace holdfast::net
