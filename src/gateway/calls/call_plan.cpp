#include "calls/call_plan.hpp"

#include <optional>
#include <utility>

#include "jsonrpc/json_text.hpp"
#include "jsonrpc/object_edit.hpp"
#include "jsonrpc/thread_reader.hpp"

namespace holdfast::calls {
namespace {

/// `_meta` without the trace context, which differs from call to call.
std::string untraced(const std::string& meta_members) {
    std::string kept;
    if (meta_members.empty()) {
        return kept;
    }
    const jsonrpc::PaddedText text{"{" + meta_members + "}"};
    for (const jsonrpc::Field& field :
         jsonrpc::part_reader().read_object(text, text.view()).fields()) {
        if (field.key != "traceparent" && field.key != "tracestate" && field.key != "baggage") {
            kept.append(field.key_text).append(":").append(field.value).append(",");
        }
    }
    return kept;
}

}  // namespace

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
    // Order of precedence: a rule of the user's file, an explicit destructiveHint (also of an
    // untrusted server, because it only restricts), the preset, the other annotations.
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

void CallPlan::rename() {
    const std::string renamed = jsonrpc::with_member("{" + std::string{agent_params()} + "}",
                                                     "name", jsonrpc::quoted_text(request.name));
    request.params_members = renamed.substr(1, renamed.size() - 2);
    input_bytes = 0;
}

void CallPlan::set_input(const Members& answers, std::string_view state) {
    std::string& params = request.params_members;
    const std::size_t agent_bytes = agent_params().size();
    params.resize(agent_bytes);
    params.append(",").append(retry_members(answers, state));
    input_bytes = params.size() - agent_bytes;
}

std::string identity_of_call(const agents::AgentRequest& origin, const CallPlan& plan) {
    std::string identity = origin.agent->principal + '\0' + origin.agent->face->key + '\0';
    identity += plan.server->name + '\0' + plan.request.params_members;
    identity += '\0' + untraced(plan.request.meta_members);
    if (plan.request.agent_headers) {
        for (const downstream::AgentHeader& header : *plan.request.agent_headers) {
            identity.append("\0", 1).append(header.name).append(":").append(header.value);
        }
    }
    return identity;
}

}  // namespace holdfast::calls
