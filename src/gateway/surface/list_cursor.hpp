#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace holdfast::surface {

/// Where a reader of a list goes on: in the same snapshot that it began with.
struct ListCursor {
    std::uint64_t generation = 0;
    std::size_t offset = 0;

    [[nodiscard]] std::string text() const;
};

/// Nothing if it is none of ours.
[[nodiscard]] std::optional<ListCursor> parsed_cursor(std::string_view text) noexcept;

}  // namespace holdfast::surface
