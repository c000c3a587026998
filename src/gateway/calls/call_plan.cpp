#include "calls/call_plan.hpp"

#include <optional>
#include <utility>

namespace holdfast::calls {

bool is_healthy(const surface::Callable& tool, resilience::TimePoint now) {
    guard::ServerGuard& guard = *tool.server->guard;
    return tool.server->downstream->status().state == downstream::LinkState::ready &&
           !guard.is_open(*guard.rules_for_tool(tool.own_name, now), now);
}

void CallPlan::retarget(const surface::Callable& tool,
                        std::shared_ptr<const guard::CallRules> tool_rules) {
    server = tool.server;
    callable = &tool;
    rules = std::move(tool_rules);
    request.name = tool.own_name;
    // Order of belief: a rule of the user's file, an explicit destructiveHint (also of a server
    // that is not trusted: it only makes us more careful), the preset, the other annotations.
    const policy::ResolvedTool& said = rules->resolved;
    const auto believed = [&tool](std::optional<bool> mark, bool is_of_file) {
        return is_of_file || !tool.is_destructive ? mark : std::nullopt;
    };
    const auto read_only = believed(said.read_only, said.is_read_only_of_file);
    const auto idempotent = believed(said.idempotent, said.is_idempotent_of_file);
    const bool trusts = server->trusts_annotations && !tool.is_destructive;
    is_read = read_only.value_or(trusts && tool.is_read);
    is_safe = is_read || idempotent.value_or(trusts && tool.is_safe && !read_only);
}

}  // namespace holdfast::calls
