#pragma once

namespace holdfast::base {

/// The value of a hexadecimal digit in either case; -1 if the character is not one.
[[nodiscard]] constexpr int hex_digit_value(char character) noexcept {
    if (character >= '0' && character <= '9') {
        return character - '0';
    }
    if (character >= 'a' && character <= 'f') {
        return character - 'a' + 10;
    }
    if (character >= 'A' && character <= 'F') {
        return character - 'A' + 10;
    }
    return -1;
}

}  // namespace holdfast::base
