#include "admin/agent_items.hpp"

#include <algorithm>
#include <utility>

#include "admin/explained_call.hpp"
#include "admin/record_json.hpp"
#include "admin/status_text.hpp"
#include "dispatch/unknown_tool.hpp"
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
    R"("Show which servers behind this endpoint work, which do not and why, and when the next )"
    R"(attempt is. Use it when calls fail.","inputSchema":{"type":"object","properties":{)"
    R"("server":{"type":"string","description":"Show one server."},"details":{"type":"boolean",)"
    R"("description":"Return the whole status as JSON."}},"additionalProperties":false},)"
    R"("annotations":{"readOnlyHint":true,"idempotentHint":true,"openWorldHint":false}})";

constexpr std::string_view kExplainTool =
    R"({"name":"explain_call","title":"Explain a call","description":)"
    R"("Explain one of your calls: where it was sent and why, its attempts, its policy, )"
    R"(and its circuit. A failed call names its id as callId.",)"
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

std::string text_result(std::string_view text) {
    jsonrpc::JsonWriter out;
    out.begin_object().key("content").begin_array().begin_object();
    out.key("type").text("text").key("text").text(text).end_object().end_array();
    return out.end_object().take();
}

std::string error_result(std::string_view words) {
    jsonrpc::JsonWriter out;
    out.begin_object().key("content").begin_array().begin_object();
    out.key("type").text("text").key("text").text(words).end_object().end_array();
    return out.key("isError").boolean(true).end_object().take();
}

Status status_for_agents(const StatusReader& reader, const BuiltinCall& call) {
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
    return status;
}

std::string argument_in(const std::string& arguments, std::string_view name) {
    const jsonrpc::PaddedText text{arguments};
    const auto value = jsonrpc::part_reader().read_object(text, text.view()).find(name);
    return !value ? std::string{}
                  : (value->starts_with('"') ? jsonrpc::decoded(*value) : std::string{*value});
}

std::string explain(const StatusReader& reader, const BuiltinCall& call) {
    const std::string id = argument_in(call.arguments, "id");
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
    const Status status = status_for_agents(reader, call);
    if (argument_in(call.arguments, "details") == "true") {
        return result_with(json_of(status));
    }
    const std::string name = argument_in(call.arguments, "server");
    if (name.empty()) {
        return text_result(overview_text(status));
    }
    const auto server = std::ranges::find(status.servers, name, &ServerStatus::name);
    return server == status.servers.end() ? error_result(dispatch::unknown_server_words(
                                                name, *reader.sources().gateway->servers()))
                                          : text_result(server_text(*server));
}

std::string read_status(const StatusReader& reader, const BuiltinCall& call) {
    jsonrpc::JsonWriter out;
    out.begin_object().key("contents").begin_array().begin_object();
    out.key("uri").text(kStatusUri).key("mimeType").text("application/json");
    out.key("text").text(json_of(status_for_agents(reader, call)));
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
