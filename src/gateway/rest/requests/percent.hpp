#pragma once

#include <string>
#include <string_view>

namespace holdfast::rest {

/// Escapes every byte except letters, digits, `-`, `.`, `_` and `~` as `%XX`. The result is valid
/// as one path segment and as a name or value in a query.
[[nodiscard]] std::string percent_escaped(std::string_view text);

}  // namespace holdfast::rest
