#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace holdfast::schema {

/// A character that a pattern names by its code.
struct EscapedCharacter {
    std::uint32_t code = 0;
    std::size_t size_bytes = 0;  ///< What was read behind the letter.
    std::string_view refusal{};  ///< Not empty when this is no character.
};

/// Reads what follows a backslash and one of the letters u, x, c and 0.
[[nodiscard]] EscapedCharacter read_escape(char letter, std::string_view rest);

}  // namespace holdfast::schema
