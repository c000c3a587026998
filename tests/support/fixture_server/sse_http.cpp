#include "support/fixture_server/sse_http.hpp"

#include <string_view>
#include <tuple>
#include <utility>

#include "jsonrpc/message_writer.hpp"
#include "jsonrpc/padded_text.hpp"
#include "net/sse_writer.hpp"
#include "support/fixture_server/http_checks.hpp"

namespace holdfast::fixture {
namespace {

constexpr std::string_view kSessionQuery = "/messages?sessionId=";

/// Sends all messages of a session through its one stream.
class SseOutlet final : public Outlet {
public:
    explicit SseOutlet(std::shared_ptr<net::HttpExchange> exchange)
        : exchange_(std::move(exchange)) {}

    void send(std::string_view message) override { send_event(message, "message"); }
    void finish(std::string_view message, int) override { send(message); }
    void abandon() override {}
    void send_junk() override { send(kJunk); }

    void send_event(std::string_view content, std::string_view type) {
        std::string event;
        net::append_sse_event(event, {.data = content, .type = type});
        // `on_gone` ends the session of a client that has gone.
        std::ignore = exchange_->send(std::move(event), net::Importance::must_arrive);
    }

private:
    const std::shared_ptr<net::HttpExchange> exchange_;
};

}  // namespace

SseHttp::SseHttp(FixtureServer& server) : server_(server) {}

SseHttp::~SseHttp() {
    for (const auto& [id, session] : *sessions_) {
        session->cancel_all();
    }
}

std::optional<net::HttpReply> SseHttp::refused(const net::HttpRequest& request) {
    if (auto reply = refused_by_origin(request)) {
        return reply;
    }
    const bool is_known = request.path == "/sse" || request.path == "/messages";
    if (!is_known) {
        return net::HttpReply{.status = 404, .content_type = {}};
    }
    if (request.method != (request.path == "/sse" ? "GET" : "POST")) {
        return net::HttpReply{.status = 405, .content_type = {}};
    }
    return std::nullopt;
}

void SseHttp::on_request(std::shared_ptr<net::HttpExchange> exchange) {
    if (exchange->request().path == "/sse") {
        open(exchange);
    } else {
        on_message(exchange);
    }
}

void SseHttp::open(const std::shared_ptr<net::HttpExchange>& exchange) {
    if (sessions_->size() >= kMaxSessions) {
        exchange->reply({.status = 503, .content_type = {}});
        return;
    }
    const std::string id = new_session_id();
    const auto session = std::make_shared<Session>();
    const auto outlet = std::make_shared<SseOutlet>(exchange);
    session->unrelated = outlet;
    sessions_->emplace(id, session);
    exchange->start_stream({});
    outlet->send_event(std::string{kSessionQuery} + id, "endpoint");
    exchange->on_gone([sessions = sessions_, session, id] {
        session->cancel_all();
        session->unrelated = nullptr;
        sessions->erase(id);
    });
}

void SseHttp::on_message(const std::shared_ptr<net::HttpExchange>& exchange) {
    const std::string_view target = exchange->request().target;
    const auto found = target.starts_with(kSessionQuery)
                           ? sessions_->find(target.substr(kSessionQuery.size()))
                           : sessions_->end();
    if (found == sessions_->end()) {
        exchange->reply({.status = 404, .content_type = "text/plain", .body = "Session not found"});
        return;
    }
    const auto session = found->second;
    const jsonrpc::PaddedText text{exchange->take_body()};
    const auto message = reader_.read(text);
    if (!message) {
        exchange->reply({.status = 400, .content_type = "text/plain", .body = "Invalid message"});
        return;
    }
    exchange->reply({.status = 202, .content_type = "text/plain", .body = "Accepted"});
    server_.serve(mcp::Era::legacy,
                  {.message = *message, .session = session, .outlet = session->unrelated});
}

}  // namespace holdfast::fixture
