#pragma once

#include <string>
#include <string_view>
#include <vector>

// What commands look at in the JSON that they show: parts of it, as they are written.

namespace holdfast::jsonrpc {

/// The value of a member as it is written; empty if there is none.
[[nodiscard]] std::string member_of(std::string_view object, std::string_view key);
/// What a member says that is text; empty if it is none.
[[nodiscard]] std::string text_member_of(std::string_view object, std::string_view key);
/// The items of a list as they are written; none if it is no list.
[[nodiscard]] std::vector<std::string> items_of(std::string_view list);

}  // namespace holdfast::jsonrpc
