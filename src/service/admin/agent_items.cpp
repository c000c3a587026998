#include "admin/agent_items.hpp"

#include <utility>

#include "admin/explained_call.hpp"
#include "admin/record_json.hpp"
#include "jsonrpc/json_text.hpp"
#include "jsonrpc/json_writer.hpp"
#include "jsonrpc/padded_text.hpp"
#include "jsonrpc/thread_reader.hpp"

namespace holdfast::admin {
namespace {

using surface::BuiltinCall;
/// Weak, because the gateway owns the tools and the reader owns the gateway.
using WeakReader = std::weak_ptr<const StatusReader>;

constexpr std::string_view kStatusUri = "holdfast://status";

constexpr std::string_view kStatusTool =
    R"({"name":"gateway_status","title":"Gateway status","description":)"
    R"("Show the health of the gateway and its servers: which are connected, failing or paused, )"
    R"(which circuits are open and for how long, and when the next attempt is. Use it when calls )"
    R"(fail.",)"
    R"("inputSchema":{"type":"object","properties":{},"additionalProperties":false},)"
    R"("annotations":{"readOnlyHint":true,"idempotentHint":true,"openWorldHint":false}})";

constexpr std::string_view kExplainTool =
    R"({"name":"explain_call","title":"Explain a call","description":)"
    R"("Explain one of your calls: where it was sent and why, its attempts, its policy, )"
    R"(and its circuit. The id is in _meta of each result as dev.holdfast/callId.",)"
    R"("inputSchema":{"type":"object","properties":{"id":{"type":"string","description":)"
    R"("The id of the call."}},"required":["id"],"additionalProperties":false},)"
    R"("annotations":{"readOnlyHint":true,"idempotentHint":true,"openWorldHint":false}})";

constexpr std::string_view kStatusResource =
    R"({"uri":"holdfast://status","name":"Gateway status","mimeType":"application/json",)"
    R"("description":"The current health of the gateway and its servers."})";

std::string result_with(std::string_view json) {
    jsonrpc::JsonWriter out;
    out.begin_object().key("content").begin_array().begin_object();
    out.key("type").text("text").key("text").text(json).end_object().end_array();
    return out.key("structuredContent").raw(json).end_object().take();
}

std::string error_result(std::string_view words) {
    jsonrpc::JsonWriter out;
    out.begin_object().key("content").begin_array().begin_object();
    out.key("type").text("text").key("text").text(words).end_object().end_array();
    return out.key("isError").boolean(true).end_object().take();
}

std::string status_for_agents(const StatusReader& reader, const BuiltinCall& call) {
    Status status = reader.read(call.loop.timekeeper->now());
    status.gateway.config_file.clear();
    status.rejected_config.reset();
    for (ServerStatus& server : status.servers) {
        server.log.clear();
        server.log_excerpt.clear();
        server.pid.reset();
        // The tool and message of a call are private to its principal.
        if (server.last_error) {
            server.last_error->tool.clear();
            server.last_error->message.clear();
        }
    }
    return json_of(status);
}

std::string id_in(const std::string& arguments) {
    const jsonrpc::PaddedText text{arguments};
    const auto id = jsonrpc::part_reader().read_object(text, text.view()).find("id");
    return id && id->starts_with('"') ? jsonrpc::decoded(*id) : std::string{};
}

std::string explain(const StatusReader& reader, const BuiltinCall& call) {
    const std::string id = id_in(call.arguments);
    const auto found = reader.sources().recording->calls().find(id);
    // Same message for another principal's call and for an unknown one.
    const bool is_theirs = found && found->principal == call.agent->principal;
    return is_theirs
               ? result_with(explained_json(*reader.sources().gateway, *found))
               : error_result("There is no call \"" + id + "\" of yours, or it has been dropped.");
}

using ReadStatus = std::string (*)(const StatusReader& reader, const BuiltinCall& call);

boost::asio::awaitable<surface::BuiltinResult> run_with_reader(WeakReader weak, ReadStatus work,
                                                               BuiltinCall call) {
    const auto reader = weak.lock();
    co_return reader ? work(*reader, call) : error_result("The gateway is shutting down.");
}

/// Wraps work that needs the reader.
surface::BuiltinWork with_reader(const WeakReader& weak, ReadStatus work) {
    return [weak, work](BuiltinCall call) { return run_with_reader(weak, work, std::move(call)); };
}

std::string tell_status(const StatusReader& reader, const BuiltinCall& call) {
    return result_with(status_for_agents(reader, call));
}

std::string read_status(const StatusReader& reader, const BuiltinCall& call) {
    jsonrpc::JsonWriter out;
    out.begin_object().key("contents").begin_array().begin_object();
    out.key("uri").text(kStatusUri).key("mimeType").text("application/json");
    out.key("text").text(status_for_agents(reader, call));
    return out.end_object().end_array().end_object().take();
}

}  // namespace

AgentItems agent_items(const std::shared_ptr<const StatusReader>& status,
                       const AgentItemsOptions& options) {
    AgentItems items;
    if (options.has_status_tool) {
        items.tools.push_back({.name = "gateway_status",
                               .definition = std::string{kStatusTool},
                               .run = with_reader(status, tell_status)});
    }
    if (options.has_explain_tool) {
        items.tools.push_back({.name = "explain_call",
                               .definition = std::string{kExplainTool},
                               .run = with_reader(status, explain)});
    }
    if (options.has_status_resource) {
        items.resources.push_back({.uri = std::string{kStatusUri},
                                   .definition = std::string{kStatusResource},
                                   .read = with_reader(status, read_status)});
    }
    return items;
}

}  // namespace holdfast::admin
