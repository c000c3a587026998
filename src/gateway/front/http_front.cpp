#include "front/http_front.hpp"

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <exception>
#include <utility>
#include <variant>

#include "agents/batch_port.hpp"
#include "agents/modern_agent.hpp"
#include "front/channel_front.hpp"
#include "front/cors.hpp"
#include "front/mcp_request_head.hpp"
#include "jsonrpc/message_writer.hpp"
#include "jsonrpc/thread_reader.hpp"
#include "mcp/incoming.hpp"
#include "net/expect_no_exception.hpp"

// The order of the checks is part of the protocol: first access, then the form of the message, then
// its era, then the rules of that era.

namespace holdfast::front {
namespace {

namespace asio = boost::asio;
using jsonrpc::Message;
using jsonrpc::MessageKind;
using net::HttpReply;

constexpr std::string_view kMcpPath = "/mcp";
constexpr std::string_view kWebSocketPath = "/ws";

// A modern agent that disconnects cancels its request; a legacy agent may reconnect for the answer.
std::shared_ptr<agents::ReplyPort> modern_port(const std::shared_ptr<net::HttpExchange>& exchange) {
    return std::make_shared<HttpPort>(
        exchange,
        HttpPortOptions{.accepts_stream = accepts(exchange->request(), "text/event-stream"),
                        .ends_with_connection = true});
}

std::shared_ptr<agents::ReplyPort> legacy_port(const std::shared_ptr<net::HttpExchange>& exchange,
                                               const agents::AgentSession& session,
                                               const agents::Agent& agent) {
    return std::make_shared<HttpPort>(
        exchange,
        HttpPortOptions{.accepts_stream = accepts(exchange->request(), "text/event-stream"),
                        .log = session.replay(),
                        .is_primed = mcp::has_priming_events(agent.revision)});
}

asio::awaitable<void> serve_upgrade(std::shared_ptr<net::HttpExchange> exchange,
                                    std::shared_ptr<const dispatch::RequestDispatcher> dispatcher,
                                    ChannelPeer peer) {
    const net::OwningLoop loop = exchange->loop();
    auto channel =
        co_await exchange->accept_websocket({.subprotocol = "mcp", .write_queue = kAgentQueue});
    if (channel) {
        co_await serve_channel(loop, std::move(*channel), std::move(dispatcher), std::move(peer));
    }
}

}  // namespace

std::optional<HttpReply> HttpFront::refused(const net::HttpRequest& request) {
    if (const auto bridge = bridge_at(request.path)) {
        return bridge->refused(request);  // a bridge has its own token and origins
    }
    if (request.path == kMcpPath && is_preflight(request)) {
        auto refusal = gate_.current().refused_source(request);
        return refusal ? std::move(refusal) : preflight_reply(request);
    }
    if (auto refusal = gate_.current().refused(request)) {
        return refusal;
    }
    if (request.path == kWebSocketPath) {
        return std::nullopt;
    }
    if (is_old_transport(request.path)) {
        return SseSessions::refused(request);
    }
    if (request.path != kMcpPath) {
        return HttpReply{.status = 404,
                         .body = R"({"error":"Not found; MCP is served at /mcp and /ws."})"};
    }
    return refused_head(request);
}

void HttpFront::on_request(Exchange exchange) {
    const net::HttpRequest& request = exchange->request();
    if (const auto bridge = bridge_at(request.path)) {
        bridge->on_request(exchange);
    } else if (request.path == kWebSocketPath) {
        on_upgrade(std::move(exchange));
    } else if (is_old_transport(request.path)) {
        if (auto principal = principal_of(exchange)) {
            ChannelPeer peer{.principal = *std::move(principal),
                             .agent_headers = headers_for_downstreams(exchange)};
            sse_->on_request(exchange, std::move(peer));
        }
    } else if (request.method == "POST") {
        on_post(exchange);
    } else if (request.method == "GET") {
        on_get(exchange);
    } else {
        on_delete(exchange);
    }
}

std::string HttpFront::reply_headers(const net::HttpRequest& request) {
    // Only /mcp needs CORS: browsers send no preflight for WebSocket, and other paths are not for
    // pages.
    const auto origin =
        request.path == kMcpPath ? gate_.current().allowed_origin(request) : std::nullopt;
    return origin ? cors_headers(*origin) : std::string{};
}

std::shared_ptr<const Bridge> HttpFront::bridge_at(std::string_view path) const {
    const bool may_be_one = bridges_ && path != kMcpPath;  // the config rejects bridges at /mcp
    return may_be_one ? bridges_->find(path) : nullptr;
}

void HttpFront::on_upgrade(Exchange exchange) const {
    if (!exchange->wants_websocket()) {
        exchange->reply({.status = 426,
                         .headers = "Upgrade: websocket\r\n",
                         .body = R"({"error":"Connect by WebSocket with the subprotocol mcp."})"});
        return;
    }
    const auto principal = principal_of(exchange);
    if (!principal) {
        return;
    }
    const auto executor = exchange->loop().executor;
    ChannelPeer peer{.principal = *principal, .agent_headers = headers_for_downstreams(exchange)};
    asio::co_spawn(executor, serve_upgrade(std::move(exchange), dispatcher_, std::move(peer)),
                   net::expect_no_exception);
}

std::optional<std::string> HttpFront::principal_of(const Exchange& exchange) const {
    auto principal = gate_.current().principal_of(exchange->request());
    if (!principal) {
        // It had access when its head arrived.
        exchange->reply({.status = 401,
                         .headers = "WWW-Authenticate: Bearer\r\n",
                         .body = R"({"error":"Your access was removed."})"});
    }
    return principal;
}

void HttpFront::on_post(const Exchange& exchange) const {
    const jsonrpc::PaddedText text{exchange->take_body()};
    if (jsonrpc::is_batch(text.view())) {
        on_batch(exchange, text);
        return;
    }
    const auto message = jsonrpc::thread_reader().read(text);
    if (!message) {
        const jsonrpc::ReadFault& fault = message.error();
        exchange->reply(error_reply(400, fault.id, {.code = fault.code, .message = fault.message}));
        return;
    }
    const mcp::StandardHeaders headers = standard_headers(exchange->request());
    const auto era = mcp::classified(*message, &headers);
    if (const auto* fault = std::get_if<mcp::ProtocolError>(&era)) {
        exchange->reply(error_reply(message->id, *fault));
    } else if (std::get<mcp::Era>(era) == mcp::Era::modern) {
        on_modern(exchange, *message, headers);
    } else {
        on_legacy(exchange, *message);
    }
}

void HttpFront::on_modern(const Exchange& exchange, const Message& message,
                          const mcp::StandardHeaders& headers) const {
    if (message.kind != MessageKind::request) {
        exchange->reply(accepted());
        return;
    }
    if (const auto fault = mcp::fault_in_modern_request(message, &headers)) {
        exchange->reply(error_reply(message.id, *fault));
        return;
    }
    const auto principal = principal_of(exchange);
    if (!principal) {
        return;
    }
    auto agent_headers = headers_for_downstreams(exchange);
    dispatcher_->on_request(
        {.message = message,
         .agent = agents::modern_agent(message, *principal, agent_headers.get()),
         .session = nullptr,
         .port = modern_port(exchange),
         .loop = exchange->loop(),
         .headers = &exchange->request().headers,
         .agent_headers = std::move(agent_headers)});
}

void HttpFront::on_legacy(const Exchange& exchange, const Message& message) const {
    const bool is_request = message.kind == MessageKind::request;
    if (is_request && message.method == "initialize") {
        on_initialize(exchange, message);
        return;
    }
    if (const auto found = session_of(exchange, message.id); found.session) {
        on_session_message(exchange, message, found);
    }
}

void HttpFront::on_initialize(const Exchange& exchange, const Message& message) const {
    const auto principal = principal_of(exchange);
    if (!principal) {
        return;
    }
    const auto session =
        dispatcher_->gateway().open_session(*principal, exchange->loop().timekeeper->now());
    if (!session) {
        exchange->reply(error_reply(
            503, message.id,
            {.code = kSessionFault, .message = "Too many sessions are open; try again later."}));
        return;
    }
    std::string body = dispatcher_->initialized(message, *session);
    exchange->reply(
        {.headers = "Mcp-Session-Id: " + session->key() + "\r\n", .body = std::move(body)});
}

dispatch::LoopState::FoundSession HttpFront::session_of(const Exchange& exchange,
                                                        std::string_view id) const {
    const net::HttpRequest& request = exchange->request();
    const auto key = request.headers.find("Mcp-Session-Id");
    const auto version = request.headers.find("MCP-Protocol-Version");
    if (!key) {
        exchange->reply(error_reply(400, id,
                                    {.code = kSessionFault,
                                     .message = "The header Mcp-Session-Id is missing; "
                                                "send initialize first."}));
        return {};
    }
    if (version && !mcp::revision_from_text(*version)) {
        exchange->reply(
            error_reply(400, id,
                        {.code = kSessionFault,
                         .message = "The header MCP-Protocol-Version has an unknown version."}));
        return {};
    }
    const auto principal = principal_of(exchange);
    if (!principal) {
        return {};
    }
    auto found = dispatcher_->gateway().on(exchange->loop()).find_session(*key, *principal);
    if (!found.session) {
        exchange->reply(error_reply(404, id,
                                    {.code = kSessionNotFound,
                                     .message = "Session not found; send initialize "
                                                "again."}));
        return {};
    }
    found.session->touch(exchange->loop().timekeeper->now());
    return found;
}

void HttpFront::on_session_message(const Exchange& exchange, const Message& message,
                                   const dispatch::LoopState::FoundSession& found) const {
    const auto& [session, agent] = found;
    switch (message.kind) {
        case MessageKind::notification:
            dispatcher_->on_notification(message, *session);
            exchange->reply(accepted());
            return;
        case MessageKind::result:
        case MessageKind::error:
            dispatcher_->on_response(message, *session);
            exchange->reply(accepted());
            return;
        case MessageKind::request:
            dispatcher_->on_request({.message = message,
                                     .agent = agent,
                                     .session = session,
                                     .port = legacy_port(exchange, *session, *agent),
                                     .loop = exchange->loop(),
                                     .headers = &exchange->request().headers,
                                     .agent_headers = headers_for_downstreams(exchange)});
            return;
    }
}

void HttpFront::on_batch(const Exchange& exchange, const jsonrpc::PaddedText& text) const {
    const auto key = exchange->request().headers.find("Mcp-Session-Id");
    const auto [session, agent] =
        key ? session_of(exchange, {}) : dispatch::LoopState::FoundSession{};
    if (key && !session) {
        return;
    }
    const auto parts = jsonrpc::thread_reader().split_batch(text);
    if (!agent || !mcp::allows_batches(agent->revision) || !parts || parts->empty()) {
        exchange->reply(
            error_reply(400, {},
                        {.code = jsonrpc::kInvalidRequest,
                         .message = "Send one message at a time: batches belong to the protocol "
                                    "version 2025-03-26 alone, and must not be empty."}));
        return;
    }
    std::vector<jsonrpc::PaddedText> requests;
    for (const std::string_view part : *parts) {
        requests.emplace_back(std::string{part});
    }
    on_batch_messages(exchange, requests, session);
}

void HttpFront::on_batch_messages(const Exchange& exchange,
                                  const std::vector<jsonrpc::PaddedText>& texts,
                                  const std::shared_ptr<agents::AgentSession>& session) const {
    // Nothing of a batch runs if a part of it is invalid.
    for (const jsonrpc::PaddedText& text : texts) {
        if (const auto message = jsonrpc::thread_reader().read(text); !message) {
            const jsonrpc::ReadFault& fault = message.error();
            exchange->reply(
                error_reply(400, fault.id, {.code = fault.code, .message = fault.message}));
            return;
        }
    }
    std::vector<const jsonrpc::PaddedText*> requests;
    for (const jsonrpc::PaddedText& text : texts) {
        const auto message = jsonrpc::thread_reader().read(text);
        if (message->kind == MessageKind::request) {
            requests.push_back(&text);
        } else if (message->kind == MessageKind::notification) {
            dispatcher_->on_notification(*message, *session);
        } else {
            dispatcher_->on_response(*message, *session);
        }
    }
    if (requests.empty()) {
        exchange->reply(accepted());
        return;
    }
    const auto batch = std::make_shared<agents::BatchAnswer>(
        legacy_port(exchange, *session, *session->agent()), requests.size());
    const auto agent_headers = headers_for_downstreams(exchange);
    for (const jsonrpc::PaddedText* text : requests) {
        const auto message = jsonrpc::thread_reader().read(*text);
        dispatcher_->on_request({.message = *message,
                                 .agent = session->agent(),
                                 .session = session,
                                 .port = std::make_shared<agents::BatchPort>(batch),
                                 .loop = exchange->loop(),
                                 .agent_headers = agent_headers});
    }
}

void HttpFront::on_get(const Exchange& exchange) const {
    if (!accepts(exchange->request(), "text/event-stream")) {
        exchange->reply(error_reply(
            406, {}, {.code = kSessionFault, .message = "Accept must name text/event-stream."}));
        return;
    }
    const bool has_session = exchange->request().headers.find("Mcp-Session-Id").has_value();
    if (!has_session) {
        exchange->reply(
            {.status = 405,
             .headers = "Allow: POST\r\n",
             .body = R"({"error":"A stream needs a session; send initialize first."})"});
        return;
    }
    const auto session = session_of(exchange, {}).session;
    if (!session) {
        return;
    }
    // An unknown or expired event id starts a new stream, which costs the agent nothing.
    const auto last_id = exchange->request().headers.find("Last-Event-ID");
    if (last_id && resume_stream(exchange, *session->replay(), *last_id)) {
        return;
    }
    const auto outlet = std::make_shared<HttpStreamOutlet>(exchange, HttpPortOptions{});
    const std::weak_ptr<agents::AgentSession> weak = session;
    exchange->on_gone([weak, gone = outlet.get()] {
        if (const auto alive = weak.lock()) {
            alive->drop_outlet(gone);
        }
    });
    session->set_outlet(outlet);
}

std::shared_ptr<const downstream::AgentHeaders> HttpFront::headers_for_downstreams(
    const Exchange& exchange) const {
    const auto& names = dispatcher_->gateway().on(exchange->loop()).context().agent_headers;
    if (names->empty()) {
        return nullptr;
    }
    auto headers = std::make_shared<downstream::AgentHeaders>();
    for (const std::string& name : *names) {
        if (const auto value = exchange->request().headers.find(name); value && !value->empty()) {
            headers->push_back({.name = name, .value = std::string{*value}});
        }
    }
    return headers->empty() ? nullptr : headers;
}

void HttpFront::on_delete(const Exchange& exchange) const {
    if (const auto session = session_of(exchange, {}).session) {
        dispatcher_->gateway().end_session(session);
        exchange->reply({.status = 200, .content_type = {}});
    }
}

}  // namespace holdfast::front
