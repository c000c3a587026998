#include "support/fixture_server/streamable_http.hpp"

#include <algorithm>
#include <utility>

#include "jsonrpc/message_writer.hpp"
#include "jsonrpc/padded_text.hpp"
#include "mcp/revision.hpp"
#include "support/fixture_server/http_checks.hpp"

namespace holdfast::fixture {
namespace {

constexpr std::string_view kSessionHeader = "Mcp-Session-Id";
constexpr int kBadRequest = -32000;  // the code of the reference server
constexpr int kSessionNotFound = -32001;

net::HttpReply accepted() {
    return {.status = 202, .content_type = {}};
}

std::string authorization_of(const net::HttpExchange& exchange) {
    return std::string{exchange.request().headers.find("Authorization").value_or("")};
}

/// Returns why a legacy POST is refused, independent of its content.
std::optional<net::HttpReply> refused_legacy_post(const net::HttpRequest& request) {
    if (!accepts(request, "application/json") || !accepts(request, "text/event-stream")) {
        return transport_error(406, kBadRequest, "Not Acceptable: both types must be accepted");
    }
    const auto version = request.headers.find("MCP-Protocol-Version");
    const auto revision = mcp::revision_from_text(version.value_or("2025-03-26"));
    if (!revision || mcp::era_of(*revision) != mcp::Era::legacy) {
        return transport_error(400, kBadRequest, "Bad Request: Unsupported protocol version");
    }
    return std::nullopt;
}

}  // namespace

StreamableHttp::StreamableHttp(FixtureServer& server, const StreamableHttpOptions& options)
    : server_(server), options_(options) {}

StreamableHttp::~StreamableHttp() {
    for (const auto& [id, session] : sessions_) {
        session->session->cancel_all();
    }
    shared_session_->session->cancel_all();
}

std::optional<net::HttpReply> StreamableHttp::refused(const net::HttpRequest& request) {
    if (auto reply = refused_by_origin(request)) {
        return reply;
    }
    if (request.path != "/mcp") {
        return net::HttpReply{.status = 404, .content_type = {}};
    }
    const bool is_session_operation = request.method == "GET" || request.method == "DELETE";
    const bool is_served = request.method == "POST" ||
                           (is_session_operation && server_.options().eras != ServedEras::modern);
    if (!is_served) {
        return net::HttpReply{.status = 405, .headers = "Allow: POST\r\n", .content_type = {}};
    }
    const auto type = request.headers.find("Content-Type");
    if (request.method == "POST" && !type.value_or("").starts_with("application/json")) {
        return transport_error(415, kBadRequest, "Unsupported Media Type");
    }
    return std::nullopt;
}

void StreamableHttp::on_request(std::shared_ptr<net::HttpExchange> exchange) {
    if (exchange->request().method == "POST") {
        on_post(exchange);
    } else if (exchange->request().method == "GET") {
        on_get(exchange);
    } else {
        on_delete(exchange);
    }
}

void StreamableHttp::on_post(const std::shared_ptr<net::HttpExchange>& exchange) {
    const jsonrpc::PaddedText text{exchange->take_body()};
    const auto message = reader_.read(text);
    if (!message) {
        const jsonrpc::ReadFault& fault = message.error();
        exchange->reply({.status = 400,
                         .body = jsonrpc::error_text(fault.id, {fault.code, fault.message, {}})});
        return;
    }
    const auto era = server_.era_of(*message, &exchange->request().headers);
    if (const auto* fault = std::get_if<mcp::ProtocolError>(&era)) {
        exchange->reply({.status = fault->http_status, .body = fault_text(message->id, *fault)});
    } else if (std::get<mcp::Era>(era) == mcp::Era::modern) {
        post_modern(*message, exchange);
    } else {
        post_legacy(*message, exchange);
    }
}

void StreamableHttp::post_modern(const jsonrpc::Message& message,
                                 const std::shared_ptr<net::HttpExchange>& exchange) {
    if (message.kind != jsonrpc::MessageKind::request) {
        exchange->reply(accepted());
        return;
    }
    const auto session = std::make_shared<Session>();
    session->authorization = authorization_of(*exchange);
    exchange->on_gone([session] { session->cancel_all(); });
    const auto outlet = std::make_shared<HttpOutlet>(exchange, options_.streaming);
    server_.serve(mcp::Era::modern, {.message = message,
                                     .session = session,
                                     .outlet = outlet,
                                     .headers = &exchange->request().headers});
}

void StreamableHttp::post_legacy(const jsonrpc::Message& message,
                                 const std::shared_ptr<net::HttpExchange>& exchange) {
    const bool is_request = message.kind == jsonrpc::MessageKind::request;
    const auto session =
        is_request && message.method == "initialize" ? new_session() : session_of(*exchange);
    if (!session) {
        return;
    }
    session->session->authorization = authorization_of(*exchange);
    if (auto reply = refused_legacy_post(exchange->request())) {
        exchange->reply(std::move(*reply));
        return;
    }
    if (!is_request) {
        server_.serve(mcp::Era::legacy,
                      {.message = message, .session = session->session, .outlet = nullptr});
        exchange->reply(accepted());
        return;
    }
    server_.serve(mcp::Era::legacy, {.message = message,
                                     .session = session->session,
                                     .outlet = new_stream(*session, exchange)});
}

void StreamableHttp::on_get(const std::shared_ptr<net::HttpExchange>& exchange) {
    const auto session = session_of(*exchange);
    if (!session) {
        return;
    }
    if (!accepts(exchange->request(), "text/event-stream")) {
        exchange->reply(transport_error(406, kBadRequest, "Not Acceptable"));
        return;
    }
    const auto last_id = exchange->request().headers.find("Last-Event-ID");
    const auto position = last_id ? event_position(*last_id) : std::nullopt;
    const auto stream = std::ranges::find_if(session->streams, [&](const auto& candidate) {
        return position && candidate->stream() == position->stream;
    });
    if (stream != session->streams.end()) {
        (*stream)->resume(exchange, position->index);
    } else {
        open_unrelated_stream(session, exchange);
    }
}

void StreamableHttp::open_unrelated_stream(const std::shared_ptr<LegacySession>& session,
                                           const std::shared_ptr<net::HttpExchange>& exchange) {
    if (session->session->unrelated) {
        exchange->reply(transport_error(409, kBadRequest, "Conflict: there is such a stream"));
        return;
    }
    const auto outlet = std::make_shared<HttpOutlet>(exchange, Streaming::always);
    outlet->start();
    session->session->unrelated = outlet;
    exchange->on_gone([session] { session->session->unrelated = nullptr; });
}

void StreamableHttp::on_delete(const std::shared_ptr<net::HttpExchange>& exchange) {
    const auto session = session_of(*exchange);
    if (!session) {
        return;
    }
    session->session->cancel_all();
    if (const auto stream = std::exchange(session->session->unrelated, nullptr)) {
        stream->abandon();
    }
    sessions_.erase(session->id);
    exchange->reply({.status = 200, .content_type = {}});
}

std::shared_ptr<StreamableHttp::LegacySession> StreamableHttp::session_of(
    net::HttpExchange& exchange) {
    if (!options_.has_sessions) {
        return shared_session_;
    }
    const auto id = exchange.request().headers.find(kSessionHeader);
    if (!id) {
        exchange.reply(transport_error(400, kBadRequest, "Bad Request: no session id"));
        return nullptr;
    }
    const auto found = sessions_.find(*id);
    if (found == sessions_.end()) {
        exchange.reply(transport_error(404, kSessionNotFound, "Session not found"));
        return nullptr;
    }
    return found->second;
}

std::shared_ptr<StreamableHttp::LegacySession> StreamableHttp::new_session() {
    if (!options_.has_sessions) {
        return shared_session_;
    }
    if (sessions_.size() >= kMaxSessions) {
        sessions_.begin()->second->session->cancel_all();
        sessions_.erase(sessions_.begin());  // its client gets 404 and reconnects
    }
    auto session = std::make_shared<LegacySession>();
    session->id = new_session_id();
    sessions_.emplace(session->id, session);
    return session;
}

std::shared_ptr<ResumableOutlet> StreamableHttp::new_stream(
    LegacySession& session, const std::shared_ptr<net::HttpExchange>& exchange) const {
    ResumableOutlet::Options options{.stream = session.next_stream++,
                                     .streaming = options_.streaming};
    if (!session.id.empty()) {
        options.headers = std::string{kSessionHeader} + ": " + session.id + "\r\n";
    }
    const auto revision = mcp::revision_from_text(session.session->protocol_version);
    options.has_priming_event = revision && mcp::has_priming_events(*revision);
    auto stream = std::make_shared<ResumableOutlet>(exchange, std::move(options));
    session.streams.push_back(stream);
    if (session.streams.size() > kMaxStreams) {
        session.streams.pop_front();
    }
    return stream;
}

}  // namespace holdfast::fixture
