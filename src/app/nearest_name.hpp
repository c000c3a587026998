#pragma once

#include <span>
#include <string>
#include <string_view>

namespace holdfast::app {

/// The name that takes the fewest edits (inserted, removed or replaced characters) to reach from
/// what was typed; the first of them when several are as near. `names` must not be empty.
[[nodiscard]] std::string_view nearest_name(std::string_view typed,
                                            std::span<const std::string> names);

}  // namespace holdfast::app
