#pragma once

#include <cstddef>
#include <string>

#include "surface/router.hpp"
#include "surface/surface.hpp"

namespace holdfast::admin {

/// Selects tools of the catalogue.
struct ToolFilter {
    std::string words = {};  ///< Part of the name or description, ignoring case; empty = all.
    std::size_t limit = 50;
    std::size_t offset = 0;
};

/// Returns `{"total":…,"tools":[{"name","server","description","tokens"}…]}`.
[[nodiscard]] std::string tools_json(const surface::Surface& surface, const ToolFilter& filter);

/// Returns `{"step":…,"why":[…],"took_ms":…,"tools":[…]}`.
[[nodiscard]] std::string found_json(const surface::RouterAnswer& answer, double took_ms);

}  // namespace holdfast::admin
