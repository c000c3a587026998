#pragma once

#include <string>
#include <string_view>

namespace holdfast::test {

/// Returns the JSON of the first member of that name anywhere in the text, as written; empty if
/// there is none. For messages whose structure the test knows.
[[nodiscard]] std::string member_text(std::string_view json, std::string_view key);

/// Decodes a JSON string that has no escapes except `\"` and `\\`.
[[nodiscard]] std::string plain_text(std::string_view json);

}  // namespace holdfast::test
