#pragma once

#include <string>
#include <string_view>

namespace holdfast::test {

/// The JSON of the first member of that name, wherever in the text it is, as it is written; empty
/// if there is none. For messages that a test knows well enough not to be mistaken.
[[nodiscard]] std::string member_text(std::string_view json, std::string_view key);

/// What a string in JSON says, if it has no escapes but `\"` and `\\`.
[[nodiscard]] std::string plain_text(std::string_view json);

}  // namespace holdfast::test
