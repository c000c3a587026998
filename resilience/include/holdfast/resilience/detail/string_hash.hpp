#pragma once

#include <cstddef>
#include <functional>
#include <string_view>

namespace holdfast::resilience::detail {

/// Allows lookups by view without constructing a string.
struct StringHash {
    using is_transparent = void;
    [[nodiscard]] std::size_t operator()(std::string_view text) const noexcept {
        return std::hash<std::string_view>{}(text);
    }
};

}  // namespace holdfast::resilience::detail
