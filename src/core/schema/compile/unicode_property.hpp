#pragma once

#include <string>
#include <string_view>

namespace holdfast::schema {

/// What stands between the braces of `\p{…}` in the words of RE2: "Letter" becomes "L",
/// "Script=Greek" becomes "Greek". Empty when RE2 cannot know it.
[[nodiscard]] std::string re2_property(std::string_view property);

}  // namespace holdfast::schema
