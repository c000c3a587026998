#include <algorithm>
#include <utility>

#include "calls/call.hpp"
#include "dispatch/request_dispatcher.hpp"
#include "dispatch/request_params.hpp"
#include "jsonrpc/json_text.hpp"
#include "jsonrpc/message_writer.hpp"
#include "mcp/protocol_error.hpp"

// Relays the extension for skills.

namespace holdfast::dispatch {
namespace {

constexpr int kNotFoundStatus = 404;
constexpr int kOkStatus = 200;

void refuse_without_skills(const agents::IncomingRequest& request) {
    const bool is_modern = request.agent->era() == mcp::Era::modern;
    request.port->finish(
        jsonrpc::error_text(request.message.id,
                            {.code = mcp::kMethodNotFound, .message = "No server has skills."}),
        is_modern ? kNotFoundStatus : kOkStatus);
}

}  // namespace

void RequestDispatcher::list_skills(const agents::IncomingRequest& request) const {
    auto surface = gateway_->surface();
    const auto servers = servers_with_skills(*surface);
    if (servers.empty()) {
        refuse_without_skills(request);
        return;
    }
    const bool has_cursor = request.message.body.find("cursor").has_value();
    const auto cursor = string_param(request.message, "cursor");
    const auto page = cursor ? skill_page(*cursor) : std::nullopt;
    const auto wanted = page ? std::ranges::find(servers, page->server,
                                                 [](const auto* server) { return server->name; })
                             : servers.begin();
    if ((has_cursor && !page) || wanted == servers.end()) {
        refuse(request, {.code = mcp::kInvalidParams, .message = "The cursor is unknown."});
        return;
    }
    const auto next = std::next(wanted);
    agents::IncomingRequest relayed = request;
    relayed.port = skill_page_port(
        request.port, {.server = (*wanted)->name,
                       .next = next == servers.end() ? std::string{} : std::string{(*next)->name},
                       .routes = skills_});
    calls::CallPlan plan{
        .surface = surface, .server = *wanted, .request = relayed_request(request.message, {})};
    plan.request.params_members =
        page && page->cursor ? "\"cursor\":" + jsonrpc::quoted_text(*page->cursor) : std::string{};
    start(relayed, std::move(plan));
}

void RequestDispatcher::ask_about_skill(const agents::IncomingRequest& request) const {
    auto surface = gateway_->surface();
    if (servers_with_skills(*surface).empty()) {
        refuse_without_skills(request);
        return;
    }
    const auto uri = string_param(request.message, "uri");
    const surface::Server* server = uri ? owner_of(*surface, *uri) : nullptr;
    if (server == nullptr) {
        refuse(request,
               {.code = mcp::kInvalidParams,
                .message = uri ? "No server has this skill." : "params.uri must be a string.",
                .data = uri ? R"({"uri":)" + jsonrpc::quoted_text(*uri) + "}" : std::string{}});
        return;
    }
    calls::CallPlan plan{.surface = surface,
                         .server = server,
                         .uri = *uri,
                         .request = relayed_request(request.message, {})};
    start(request, std::move(plan));
}

const surface::Server* RequestDispatcher::owner_of(const surface::Surface& surface,
                                                   std::string_view uri) const {
    if (const surface::Server* server = surface.find_resource(uri)) {
        return server;
    }
    const auto servers = servers_with_skills(surface);
    if (const auto name = skills_->find(uri)) {
        const auto found =
            std::ranges::find(servers, *name, [](const auto* server) { return server->name; });
        return found == servers.end() ? nullptr : *found;
    }
    const bool is_skill = uri.starts_with("skill://");
    return is_skill && servers.size() == 1 ? servers.front() : nullptr;
}

}  // namespace holdfast::dispatch
