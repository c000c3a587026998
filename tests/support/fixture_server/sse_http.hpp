#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "jsonrpc/message_reader.hpp"
#include "net/http_exchange.hpp"
#include "support/fixture_server/server.hpp"

namespace holdfast::fixture {

/// The oldest HTTP transport: one stream at `/sse` for all messages of the server, and POSTs to
/// `/messages` for all messages of the client. It supports the legacy era only.
///
/// Thread-safety: none; all connections live on one loop.
class SseHttp final : public net::HttpHandler {
public:
    explicit SseHttp(FixtureServer& server);
    ~SseHttp() override;

    [[nodiscard]] std::optional<net::HttpReply> refused(const net::HttpRequest& request) override;
    void on_request(std::shared_ptr<net::HttpExchange> exchange) override;

private:
    static constexpr std::size_t kMaxSessions = 10'000;

    void open(const std::shared_ptr<net::HttpExchange>& exchange);
    void on_message(const std::shared_ptr<net::HttpExchange>& exchange);

    FixtureServer& server_;
    jsonrpc::MessageReader reader_;
    // Shared with the listeners that end them, which may outlive this object.
    using Sessions = std::map<std::string, std::shared_ptr<Session>, std::less<>>;
    std::shared_ptr<Sessions> sessions_ = std::make_shared<Sessions>();
};

}  // namespace holdfast::fixture
