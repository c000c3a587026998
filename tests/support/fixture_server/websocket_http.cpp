#include "support/fixture_server/websocket_http.hpp"

#include <exception>
#include <string>
#include <utility>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>

#include "support/fixture_server/channel_serving.hpp"
#include "support/fixture_server/http_checks.hpp"

namespace holdfast::fixture {
namespace {

boost::asio::awaitable<void> serve_websocket(FixtureServer* server,
                                             std::shared_ptr<net::HttpExchange> exchange) {
    std::string authorization{exchange->request().headers.find("Authorization").value_or("")};
    auto channel = co_await exchange->accept_websocket({.subprotocol = "mcp"});
    exchange.reset();
    if (!channel) {
        server->options().print_line("fixture: no WebSocket: " + channel.error().message);
        co_return;
    }
    co_await serve_channel(server, std::move(*channel), std::move(authorization));
}

void end_on_failure(const std::exception_ptr& failure) {
    if (failure) {
        std::rethrow_exception(failure);  // a bug of this server: ends the process
    }
}

}  // namespace

std::optional<net::HttpReply> WebSocketHttp::refused(const net::HttpRequest& request) {
    if (auto reply = refused_by_origin(request)) {
        return reply;
    }
    if (request.path != "/ws") {
        return net::HttpReply{.status = 404, .content_type = {}};
    }
    return std::nullopt;
}

void WebSocketHttp::on_request(std::shared_ptr<net::HttpExchange> exchange) {
    if (!exchange->wants_websocket()) {
        exchange->reply({.status = 426, .content_type = "text/plain", .body = "WebSocket only"});
        return;
    }
    const auto loop = exchange->loop().executor;
    boost::asio::co_spawn(loop, serve_websocket(&server_, std::move(exchange)), end_on_failure);
}

}  // namespace holdfast::fixture
