#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "surface/builtin_items.hpp"

namespace holdfast::dispatch {

class Gateway;

inline constexpr std::string_view kFindTools = "find_tools";
inline constexpr std::string_view kCallTool = "call_tool";
inline constexpr std::string_view kDescribeTool = "describe_tool";

/// Returns the tools by which agents find tools. They have no effect after the gateway has ended.
[[nodiscard]] std::vector<surface::BuiltinTool> search_tools(const std::weak_ptr<Gateway>& gateway);

}  // namespace holdfast::dispatch
