#pragma once

#include <memory>
#include <string>
#include <vector>

#include "admin/status_reader.hpp"
#include "surface/builtin_items.hpp"

namespace holdfast::admin {

/// The built-in items that show agents the gateway itself.
struct AgentItemsOptions {
    bool has_status_tool = true;      ///< `gateway_status`
    bool has_explain_tool = true;     ///< `explain_call`
    bool has_status_resource = true;  ///< `holdfast://status`
};

struct AgentItems {
    std::vector<surface::BuiltinTool> tools = {};
    std::vector<surface::BuiltinResource> resources = {};
};

/// The items hold `status` weakly. Agents see neither the logs of servers nor paths of this
/// machine, and only calls of their own principal.
[[nodiscard]] AgentItems agent_items(const std::shared_ptr<const StatusReader>& status,
                                     const AgentItemsOptions& options);

}  // namespace holdfast::admin
