#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "gateway/own_items.hpp"

namespace holdfast::gateway {

class Gateway;

inline constexpr std::string_view kFindTools = "find_tools";
inline constexpr std::string_view kCallTool = "call_tool";
inline constexpr std::string_view kDescribeTool = "describe_tool";

/// The tools by which agents find tools. They do nothing once the gateway has gone.
[[nodiscard]] std::vector<OwnTool> search_tools(const std::weak_ptr<Gateway>& gateway);

}  // namespace holdfast::gateway
