#pragma once

#include <cstddef>
#include <cstdint>

#include "surface/surface_options.hpp"
#include "surface/tool_finder.hpp"

namespace holdfast::surface {

/// The searchable and listed tools, for status displays.
struct ToolInventory {
    std::size_t total_tools = 0;
    FinderProgress search = {};  ///< How many tools are indexed and embedded.
    std::uint64_t generation = 0;
    SurfaceMode mode = SurfaceMode::all;
    std::size_t list_bytes = 0;   ///< Of the tools that an agent without a query sees.
    std::size_t list_tokens = 0;  ///< The same in model tokens; an estimate.

    /// Whether every tool can be found by a search. False while there are no tools.
    [[nodiscard]] bool is_indexed() const noexcept {
        return total_tools > 0 && search.indexed >= total_tools;
    }
};

}  // namespace holdfast::surface
