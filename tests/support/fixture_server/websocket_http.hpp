#pragma once

#include <memory>
#include <optional>

#include "net/http_exchange.hpp"
#include "support/fixture_server/server.hpp"

namespace holdfast::fixture {

/// The WebSocket transport at `/ws`, with the subprotocol `mcp`. Every connection is a channel.
///
/// Thread-safety: none; all connections live on one loop.
class WebSocketHttp final : public net::HttpHandler {
public:
    explicit WebSocketHttp(FixtureServer& server) : server_(server) {}

    [[nodiscard]] std::optional<net::HttpReply> refused(const net::HttpRequest& request) override;
    void on_request(std::shared_ptr<net::HttpExchange> exchange) override;

private:
    FixtureServer& server_;
};

}  // namespace holdfast::fixture
