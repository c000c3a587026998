#include "admin/explained_call.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "admin/record_json.hpp"
#include "base/secret.hpp"
#include "jsonrpc/json_writer.hpp"

namespace holdfast::admin {
namespace {

std::string policy_values(const guard::ServerGuard& guard, std::string_view tool) {
    jsonrpc::JsonWriter out;
    out.begin_array();
    for (const policy::ExplainedValue& value : guard.explained(tool)) {
        out.begin_object().key("key").text(value.key).key("value").text(value.value);
        out.key("source").text(value.source).end_object();
    }
    return out.end_array().take();
}

}  // namespace

std::string explained_json(const dispatch::Gateway& gateway, const record::CallRecord& call) {
    const auto servers = gateway.servers();
    const auto server = std::ranges::find(*servers, call.server, &surface::Server::name);
    if (server == servers->end() || !server->guard) {
        return json_of(call);
    }
    const auto surface = gateway.surface();
    const surface::Callable* const tool = surface->find_tool(call.tool);
    const std::string own_name = tool != nullptr ? tool->own_name : std::string{};
    return json_of(call, base::without_secrets(policy_values(*server->guard, own_name),
                                               *gateway.calls()->secrets->all()));
}

}  // namespace holdfast::admin
