#pragma once

#include <string>
#include <string_view>

namespace holdfast::rest {

/// The text with every byte as `%XX` that is not a letter, a digit, `-`, `.`, `_` or `~`: fit for
/// one segment of a path, and for a name or value of a query.
[[nodiscard]] std::string percent_escaped(std::string_view text);

}  // namespace holdfast::rest
