#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace holdfast::schema {

/// A character that a pattern writes as an escape.
struct EscapedCharacter {
    std::uint32_t code = 0;
    std::size_t size_bytes = 0;  ///< The bytes read after the letter.
    std::string_view refusal{};  ///< Why the escape is invalid; empty if it is valid.
};

/// Reads the part after a backslash and one of the letters u, x, c and 0.
[[nodiscard]] EscapedCharacter read_escape(char letter, std::string_view rest);

}  // namespace holdfast::schema
