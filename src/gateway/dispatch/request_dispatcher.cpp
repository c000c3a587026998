#include "dispatch/request_dispatcher.hpp"

#include <functional>
#include <utility>

#include "agents/log_level.hpp"
#include "agents/relayed_capabilities.hpp"
#include "dispatch/request_params.hpp"
#include "dispatch/subscribing.hpp"
#include "jsonrpc/json_text.hpp"
#include "jsonrpc/json_writer.hpp"
#include "jsonrpc/message_writer.hpp"
#include "mcp/incoming.hpp"
#include "mcp/protocol_error.hpp"

namespace holdfast::dispatch {
namespace {

using jsonrpc::JsonWriter;
using jsonrpc::Message;

constexpr std::string_view kCapabilities =
    R"({"tools":{"listChanged":true},"resources":{"subscribe":true,"listChanged":true},)"
    R"("prompts":{"listChanged":true},"logging":{},"completions":{}})";

bool speaks_legacy(const surface::Server& server) {
    const auto status = server.downstream->status();
    return status.negotiated && status.negotiated->era() == mcp::Era::legacy;
}

}  // namespace

void RequestDispatcher::on_request(const agents::IncomingRequest& request) const {
    const std::string_view method = request.message.method;
    if (method != "ping" && method != "server/discover") {
        gateway_->start_downstreams();
    }
    if (method == "tools/call") {
        note_query(request);
        call_tool(request);
    } else if (method == "tools/list") {
        list(request, downstream::ListKind::tools);
    } else if (method == "prompts/list") {
        list(request, downstream::ListKind::prompts);
    } else if (method == "resources/list") {
        list(request, downstream::ListKind::resources);
    } else if (method == "resources/templates/list") {
        list(request, downstream::ListKind::templates);
    } else if (method == "prompts/get") {
        get_prompt(request);
    } else if (method == "resources/read") {
        read_resource(request);
    } else if (method == "skills/list") {
        list_skills(request);
    } else if (method == "skills/get" || method == "resources/directory/read") {
        ask_about_skill(request);
    } else if (method == "completion/complete") {
        complete(request);
    } else if (method == "server/discover" && request.agent->era() == mcp::Era::modern) {
        discover(request);
    } else if (method == "subscriptions/listen" && request.agent->era() == mcp::Era::modern) {
        listen(request);
    } else if (method == "ping" && request.agent->era() == mcp::Era::legacy) {
        request.port->finish(jsonrpc::result_text(request.message.id, "{}"));
    } else if (method == "resources/subscribe" && request.session) {
        subscribe(request, true);
    } else if (method == "resources/unsubscribe" && request.session) {
        subscribe(request, false);
    } else if (method == "logging/setLevel" && request.session) {
        set_log_level(request);
    } else {
        refuse(request, {.code = mcp::kMethodNotFound, .message = "There is no such method."});
    }
}

void RequestDispatcher::on_notification(const Message& message,
                                        agents::AgentSession& session) const {
    if (message.method == "notifications/cancelled") {
        if (const auto id = message.body.find("requestId")) {
            session.cancel(std::string{*id});
        }
    } else if (message.method == "notifications/roots/list_changed") {
        gateway_->on_roots_changed(session.key());
    }
}

void RequestDispatcher::on_response(const Message& message, agents::AgentSession& session) const {
    // An unexpected answer is dropped: its question may have been withdrawn.
    std::ignore =
        session.on_answer(message.id, {.is_error = message.kind == jsonrpc::MessageKind::error,
                                       .body = std::string{message.body.text()}});
}

std::string RequestDispatcher::initialized(const Message& message,
                                           agents::AgentSession& session) const {
    const mcp::Revision revision =
        mcp::negotiated(string_param(message, "protocolVersion").value_or(""));
    downstream::AgentIdentity face{.key = session.key(), .is_session = true};
    if (const auto capabilities = message.body.find("capabilities");
        capabilities && capabilities->starts_with('{')) {
        face.capabilities = agents::relayed_capabilities(*capabilities);
    }
    if (const auto info = message.body.find("clientInfo"); info && info->starts_with('{')) {
        face.client_info = *info;
    }
    // Anyone may be anonymous, so such a client must at least say what it is.
    if (!face.client_info.empty() || session.principal() != agents::kAnonymous) {
        face.client = session.principal() + "\n" + face.client_info;
    }
    session.set_agent(std::make_shared<const agents::Agent>(
        agents::Agent{.principal = session.principal(),
                      .revision = revision,
                      .face = std::make_shared<const downstream::AgentIdentity>(std::move(face))}));

    JsonWriter result;
    result.begin_object();
    result.key("protocolVersion").text(mcp::text_of(revision));
    result.key("capabilities").raw(with_skills(kCapabilities, *gateway_->surface()));
    result.key("serverInfo").raw(gateway_->options().identity);
    result.text_unless_empty("instructions", gateway_->instructions());
    result.end_object();
    return jsonrpc::result_text(message.id, result.take());
}

void RequestDispatcher::discover(const agents::IncomingRequest& request) const {
    JsonWriter result;
    result.begin_object();
    result.key("resultType").text("complete");
    result.key("supportedVersions").begin_array();
    for (const mcp::Revision revision : mcp::kModernRevisions) {
        result.text(mcp::text_of(revision));
    }
    result.end_array();
    result.key("capabilities").raw(with_skills(kCapabilities, *gateway_->surface()));
    result.text_unless_empty("instructions", gateway_->instructions());
    result.key("ttlMs").number(0);
    result.key("cacheScope").text("private");
    result.key("_meta").begin_object();
    result.key("io.modelcontextprotocol/serverInfo").raw(gateway_->options().identity);
    result.end_object().end_object();
    request.port->finish(jsonrpc::result_text(request.message.id, result.take()));
}

void RequestDispatcher::subscribe(const agents::IncomingRequest& request, bool is_wanted) const {
    const auto uri = string_param(request.message, "uri");
    if (!uri) {
        refuse(request, {.code = mcp::kInvalidParams, .message = "params.uri must be a string."});
        return;
    }
    const auto surface = gateway_->surface();
    const surface::Server* server = is_wanted ? surface->find_resource(*uri) : nullptr;
    if (is_wanted && server == nullptr) {
        const std::string data = R"({"uri":)" + jsonrpc::quoted_text(*uri) + "}";
        refuse(
            request,
            {.code = mcp::kInvalidParams, .message = "No server has this resource.", .data = data});
        return;
    }
    if (server != nullptr && refuses_subscriptions(*server)) {
        refuse(request, {.code = mcp::kMethodNotFound,
                         .message = "The server of this resource has no subscriptions."});
        return;
    }
    if (server != nullptr && !is_known_uri(*surface, *uri) && speaks_legacy(*server)) {
        subscribe_at(request, surface, *server, *uri);
        return;
    }
    if (!is_wanted) {
        request.session->unsubscribe(*uri);
    } else if (!request.session->subscribe(*uri)) {
        refuse(request, {.code = mcp::kInvalidParams,
                         .message = "Too many subscriptions; end some of them first."});
        return;
    }
    gateway_->on_subscriptions(request.session->key(), request.session->subscriptions());
    request.port->finish(jsonrpc::result_text(request.message.id, "{}"));
}

void RequestDispatcher::subscribe_at(const agents::IncomingRequest& request,
                                     std::shared_ptr<const surface::Surface> surface,
                                     const surface::Server& server, const std::string& uri) const {
    agents::IncomingRequest relayed = request;
    relayed.port =
        accepting_port(request.port, [gateway = gateway_, session = request.session, uri] {
            if (session->subscribe(uri)) {
                gateway->on_subscriptions(session->key(), session->subscriptions());
            }
        });
    calls::CallPlan plan{.surface = std::move(surface),
                         .server = &server,
                         .request = relayed_request(request.message, {})};
    start(relayed, std::move(plan));
}

void RequestDispatcher::set_log_level(const agents::IncomingRequest& request) const {
    const auto level = agents::log_level_named(string_param(request.message, "level").value_or(""));
    if (!level) {
        refuse(request, {.code = mcp::kInvalidParams,
                         .message = "params.level must be one of debug, info, notice, warning, "
                                    "error, critical, alert, emergency."});
        return;
    }
    request.session->set_log_level(*level);
    gateway_->on_log_level(request.session->key(), *level);
    request.port->finish(jsonrpc::result_text(request.message.id, "{}"));
}

void RequestDispatcher::listen(const agents::IncomingRequest& request) const {
    const auto notifications = request.message.body.find("notifications");
    if (!notifications || !notifications->starts_with('{')) {
        refuse(request,
               {.code = mcp::kInvalidParams, .message = "params.notifications must be an object."});
        return;
    }
    // The acknowledgement names only what the agent can receive.
    ListenFilter filter = listen_filter_of(*notifications);
    std::erase_if(filter.uris, [surface = gateway_->surface()](const std::string& uri) {
        return !can_subscribe(*surface, uri);
    });
    std::string id{request.message.id};
    const std::weak_ptr<agents::AgentSession> session = request.session;
    const auto listen =
        std::make_shared<Listen>(id, request.agent, std::move(filter), request.port,
                                 [gateway = gateway_, session](const Listen& ended) {
                                     gateway->remove(ended);
                                     if (const auto alive = session.lock()) {
                                         alive->leave(ended.id());
                                     }
                                 });
    const bool has_place = !request.session || request.session->try_enter(id, listen);
    if (!has_place || !gateway_->try_add(listen)) {
        if (has_place && request.session) {
            request.session->leave(id);
        }
        request.port->finish(jsonrpc::error_text(
            id, {.code = jsonrpc::kInvalidRequest,
                 .message = "Too many subscriptions are open, or this id is in use."}));
        return;
    }
    listen->acknowledge();
}

}  // namespace holdfast::dispatch
