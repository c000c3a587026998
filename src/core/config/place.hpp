#pragma once

#include <compare>
#include <cstdint>

namespace holdfast::config {

/// A position in a text. Both count from one; a column is a character, not a byte.
struct Place {
    std::uint32_t line = 1;
    std::uint32_t column = 1;

    friend auto operator<=>(const Place&, const Place&) = default;
};

}  // namespace holdfast::config
