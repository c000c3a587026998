#include "gateway/call_plan.hpp"

#include <utility>

namespace holdfast::gateway {

void CallPlan::retarget(const Callable& tool, std::shared_ptr<const guard::CallRules> tool_rules) {
    server = tool.server;
    callable = &tool;
    rules = std::move(tool_rules);
    request.name = tool.own_name;
    // What a config says counts more than what the tool says of itself.
    const policy::ResolvedTool& said = rules->resolved;
    const bool trusts = server->trusts_annotations;
    is_read = said.read_only.value_or(trusts && tool.is_read);
    is_safe = is_read || said.idempotent.value_or(trusts && tool.is_safe && !said.read_only);
}

}  // namespace holdfast::gateway
