#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "config/fault_report.hpp"
#include "config/node.hpp"
#include "rest/rest_api.hpp"

namespace holdfast::rest {

/// An entry of `tools`; nothing after a fault that leaves no tool. `path` names it in messages.
[[nodiscard]] std::optional<RestTool> read_tool(config::FaultReport& report,
                                                const config::Node& entry, const std::string& path);

/// Whether agents' programs take a text as the name of a tool.
[[nodiscard]] bool is_tool_name(std::string_view name) noexcept;

}  // namespace holdfast::rest
