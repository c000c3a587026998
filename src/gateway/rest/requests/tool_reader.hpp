#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "config/fault_report.hpp"
#include "config/node.hpp"
#include "rest/rest_api.hpp"

namespace holdfast::rest {

/// Reads an entry of `tools`; `path` names it in messages. Returns nothing if no tool can be built.
[[nodiscard]] std::optional<RestTool> read_tool(config::FaultReport& report,
                                                const config::Node& entry, const std::string& path);

/// The JSON Schema of the key `tools`.
[[nodiscard]] config::Node tools_schema();

/// Whether agents' programs take a text as the name of a tool.
[[nodiscard]] bool is_tool_name(std::string_view name) noexcept;

}  // namespace holdfast::rest
