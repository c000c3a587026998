#pragma once

#include <string>
#include <string_view>
#include <vector>

// Functions for commands that show parts of a JSON text unchanged.

namespace holdfast::jsonrpc {

/// Returns the value of a member as JSON text, or an empty text if there is no such member.
[[nodiscard]] std::string member_of(std::string_view object, std::string_view key);
/// Returns the decoded value of a text member, or an empty text if there is no such member or it is
/// not a string.
[[nodiscard]] std::string text_member_of(std::string_view object, std::string_view key);
/// Returns the items of a list as JSON texts; empty if the value is not a list.
[[nodiscard]] std::vector<std::string> items_of(std::string_view list);

}  // namespace holdfast::jsonrpc
