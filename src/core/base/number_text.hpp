#pragma once

#include <array>
#include <charconv>
#include <string>

namespace holdfast::base {

/// A number as text: the shortest one that reads back as the same number, or in the format that
/// `std::to_chars` takes, for example `std::chars_format::fixed, 4`.
template <class Number, class... Format>
[[nodiscard]] std::string number_text(Number number, Format... format) {
    // Enough for the longest double in fixed notation with a few decimals.
    std::array<char, 400> digits;  // NOLINT(cppcoreguidelines-pro-type-member-init): written below
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number, format...);
    return {digits.data(), end.ptr};
}

}  // namespace holdfast::base
