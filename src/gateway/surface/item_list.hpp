#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "mcp/revision.hpp"

namespace holdfast::surface {

/// One list of the catalogue as the bytes that agents receive, ready to be split into pages.
///
/// Thread-safety: none while it is filled; afterwards immutable.
class ItemList final {
public:
    /// An empty `legacy` means that both eras see the same.
    void add(std::string_view modern, std::string_view legacy);

    [[nodiscard]] std::size_t size() const noexcept { return modern_.ends.size(); }
    /// Returns the items of a page separated by commas. Requires `first` within the list.
    [[nodiscard]] std::string_view page(mcp::Era era, std::size_t first, std::size_t count) const;

private:
    struct Joined {
        std::string text;
        std::vector<std::size_t> ends;  // the end offset of each item

        void add(std::string_view item);
        [[nodiscard]] std::string_view page(std::size_t first, std::size_t count) const;
    };

    Joined modern_;
    Joined legacy_;  // empty while both eras see the same
};

}  // namespace holdfast::surface
