#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace holdfast::surface {

/// The position at which a client continues to read a list, in the snapshot that it began with.
struct ListCursor {
    std::uint64_t generation = 0;
    std::size_t offset = 0;

    [[nodiscard]] std::string text() const;
};

/// Returns nothing if the gateway did not write this cursor.
[[nodiscard]] std::optional<ListCursor> parsed_cursor(std::string_view text) noexcept;

}  // namespace holdfast::surface
