#pragma once

#include <string>
#include <string_view>

namespace holdfast::schema {

/// Translates the name in the braces of `\p{…}` for RE2: "Letter" becomes "L", "Script=Greek"
/// becomes "Greek". Empty if RE2 has no such property.
[[nodiscard]] std::string re2_property(std::string_view property);

}  // namespace holdfast::schema
