#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "mcp/revision.hpp"

namespace holdfast::surface {

/// One list of the catalogue in the bytes that agents get, ready to be cut into pages.
///
/// Thread-safety: none while it is filled; afterwards immutable.
class ItemList final {
public:
    /// `legacy` empty = the same for both eras.
    void add(std::string_view modern, std::string_view legacy);

    [[nodiscard]] std::size_t size() const noexcept { return modern_.ends.size(); }
    /// The items of a page with commas between them. Requires `first` within the list.
    [[nodiscard]] std::string_view page(mcp::Era era, std::size_t first, std::size_t count) const;

private:
    struct Joined {
        std::string text;
        std::vector<std::size_t> ends;  // of each item

        void add(std::string_view item);
        [[nodiscard]] std::string_view page(std::size_t first, std::size_t count) const;
    };

    Joined modern_;
    Joined legacy_;  // empty while both eras see the same
};

}  // namespace holdfast::surface
