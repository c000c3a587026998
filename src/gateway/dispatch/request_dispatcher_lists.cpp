#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <memory>
#include <utility>

#include "dispatch/request_dispatcher.hpp"
#include "dispatch/request_params.hpp"
#include "jsonrpc/json_text.hpp"
#include "jsonrpc/message_writer.hpp"
#include "mcp/protocol_error.hpp"
#include "net/expect_no_exception.hpp"
#include "surface/list_cursor.hpp"

// Answers list requests. The list of tools depends on the mode of the surface.

namespace holdfast::dispatch {
namespace {

namespace asio = boost::asio;

constexpr std::string_view kQueryKey = "dev.holdfast/query";
constexpr std::string_view kAllKey = "dev.holdfast/all";

/// A pending list. It arrives soon, so there is nothing to cancel.
class ListWait final : public agents::AgentCall {
public:
    void cancel() override {}
};

asio::awaitable<void> tell_routed(std::weak_ptr<Gateway> gateway,
                                  std::shared_ptr<const agents::Agent> agent,
                                  std::shared_ptr<agents::AgentSession> session,
                                  surface::Router::Answer search) {
    const auto answer = co_await std::move(search);
    const auto alive = gateway.lock();
    if (answer && answer->is_new_list && alive) {
        alive->tell_routed(*agent, session);
    }
}

std::optional<std::string> query_in(const jsonrpc::Message& message) {
    const auto query = message.meta.find(kQueryKey);
    return query && query->starts_with('"') ? std::optional{jsonrpc::decoded(*query)}
                                            : std::nullopt;
}

}  // namespace

void RequestDispatcher::list(const agents::IncomingRequest& request,
                             downstream::ListKind kind) const {
    ListRequest list{.kind = kind,
                     .from = request.owned(),
                     .wants_all = request.message.meta.find(kAllKey) == "true"};
    if (request.message.body.find("cursor")) {
        list.cursor = string_param(request.message, "cursor").value_or("");
    }
    if (kind == downstream::ListKind::tools && !list.cursor) {
        list.query = query_in(request.message);
    }
    // The agent may have closed its input meanwhile; the answer still reaches it.
    const auto wait = std::make_shared<ListWait>();
    const bool is_noted = request.session && request.session->try_enter(list.from.id, wait);
    list.on_answered = [wait, id = list.from.id, session = is_noted ? request.session : nullptr] {
        if (session) {
            session->leave(id);
        }
    };
    gateway_->startup_barrier().when_over(
        request.loop, [gateway = gateway_, list = std::move(list)] {
            const bool is_routed = gateway->surface()->mode() == surface::SurfaceMode::routed;
            list.query&& is_routed ? route_list(gateway, list) : answer_list(*gateway, list);
        });
}

void RequestDispatcher::route_list(const std::shared_ptr<Gateway>& gateway,
                                   const ListRequest& request) {
    const net::OwningLoop& loop = request.from.loop;
    auto search =
        gateway->router().find({.agent = agent_key(*request.from.agent, request.from.session.get()),
                                .text = *request.query,
                                .surface = gateway->surface(),
                                .now = loop.timekeeper->now()},
                               loop);
    asio::co_spawn(loop.executor, answer_routed(gateway, request, std::move(search)),
                   net::expect_no_exception);
}

asio::awaitable<void> RequestDispatcher::answer_routed(std::weak_ptr<Gateway> gateway,
                                                       ListRequest request,
                                                       surface::Router::Answer search) {
    const auto answer = co_await std::move(search);
    const auto alive = gateway.lock();
    if (answer && alive) {
        answer_list(*alive, request, surface::ids_of(answer->found));
    }
}

void RequestDispatcher::note_query(const agents::IncomingRequest& request) const {
    auto query = query_in(request.message);
    if (!query) {
        return;
    }
    const auto surface = gateway_->surface();
    if (surface->mode() != surface::SurfaceMode::routed) {
        return;
    }
    auto search =
        gateway_->router().find({.agent = agent_key(*request.agent, request.session.get()),
                                 .text = std::move(*query),
                                 .surface = surface,
                                 .now = request.loop.timekeeper->now()},
                                request.loop);
    asio::co_spawn(request.loop.executor,
                   tell_routed(gateway_, request.agent, request.session, std::move(search)),
                   net::expect_no_exception);
}

void RequestDispatcher::answer_list(const Gateway& gateway, const ListRequest& request,
                                    std::optional<std::vector<std::string>> found) {
    auto surface = gateway.surface();
    std::size_t offset = 0;
    if (request.cursor) {
        const auto cursor = surface::parsed_cursor(*request.cursor);
        surface = cursor ? gateway.surface_of(cursor->generation) : nullptr;
        offset = cursor ? cursor->offset : 0;
    }
    if (surface && request.kind == downstream::ListKind::tools &&
        surface->mode() == surface::SurfaceMode::routed && !request.wants_all) {
        const std::string agent = agent_key(*request.from.agent, request.from.session.get());
        if (!found) {
            found = gateway.router().routes().listed_for(agent);
        }
        if (!found) {
            found = gateway.router().first_list(surface, request.from.loop.timekeeper->now());
        }
        gateway.router().on_shown(agent);
        answer_page(gateway, request, *surface, surface->routed_tools(*found), offset);
    } else if (surface) {
        const bool is_shortened = request.kind == downstream::ListKind::tools && !request.wants_all;
        answer_page(gateway, request, *surface,
                    is_shortened ? surface->shown_tools() : surface->list(request.kind), offset);
    } else {
        refuse_cursor(request);
    }
}

void RequestDispatcher::refuse_cursor(const ListRequest& request) {
    request.from.port->finish(jsonrpc::error_text(
        request.from.id,
        {.code = mcp::kInvalidParams,
         .message = "The cursor is unknown or too old; start again without one."}));
    request.on_answered();
}

void RequestDispatcher::answer_page(const Gateway& gateway, const ListRequest& request,
                                    const surface::Surface& surface, const surface::ItemList& items,
                                    std::size_t offset) {
    if (offset > items.size()) {
        refuse_cursor(request);
        return;
    }
    const std::size_t page_size = gateway.options().page_size;
    const mcp::Era era = request.from.agent->era();
    const bool is_modern = era == mcp::Era::modern;

    std::string result = is_modern ? R"({"resultType":"complete",")" : "{\"";
    result.append(downstream::list_member(request.kind)).append("\":[");
    result.append(items.page(era, offset, page_size)).append("]");
    if (offset + page_size < items.size()) {
        const surface::ListCursor next{.generation = surface.generation(),
                                       .offset = offset + page_size};
        result.append(R"(,"nextCursor":")").append(next.text()).append("\"");
    }
    if (is_modern) {
        const bool is_routed = request.kind == downstream::ListKind::tools &&
                               surface.mode() == surface::SurfaceMode::routed;
        const surface::CacheHint hint =
            is_routed ? surface::CacheHint{} : surface.hint(request.kind);
        result.append(R"(,"ttlMs":)").append(std::to_string(hint.ttl_ms));
        result.append(R"(,"cacheScope":")").append(hint.is_public ? "public" : "private");
        result.append(R"(","_meta":{"io.modelcontextprotocol/serverInfo":)");
        result.append(gateway.options().identity).append("}");
    }
    request.from.port->finish(jsonrpc::result_text(request.from.id, result + '}'));
    request.on_answered();
}

}  // namespace holdfast::dispatch
