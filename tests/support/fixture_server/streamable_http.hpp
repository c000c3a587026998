#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "jsonrpc/message_reader.hpp"
#include "net/http_exchange.hpp"
#include "support/fixture_server/http_outlets.hpp"
#include "support/fixture_server/server.hpp"

namespace holdfast::fixture {

struct StreamableHttpOptions {
    bool has_sessions = true;  ///< Otherwise no id is sent: all legacy clients share one session.
    Streaming streaming = Streaming::when_needed;
};

/// The Streamable HTTP transport at `/mcp`, in the eras of its server.
///
/// Thread-safety: none; all connections live on one loop.
class StreamableHttp final : public net::HttpHandler {
public:
    StreamableHttp(FixtureServer& server, const StreamableHttpOptions& options);
    ~StreamableHttp() override;

    [[nodiscard]] std::optional<net::HttpReply> refused(const net::HttpRequest& request) override;
    void on_request(std::shared_ptr<net::HttpExchange> exchange) override;

private:
    /// What HTTP adds to a legacy session.
    struct LegacySession {
        std::string id = {};  ///< Empty if no id was sent.
        std::shared_ptr<Session> session = std::make_shared<Session>();
        std::deque<std::shared_ptr<ResumableOutlet>> streams = {};  ///< The latest ones.
        std::uint64_t next_stream = 1;
    };
    static constexpr std::size_t kMaxSessions = 10'000;
    static constexpr std::size_t kMaxStreams = 64;

    void on_post(const std::shared_ptr<net::HttpExchange>& exchange);
    void post_modern(const jsonrpc::Message& message,
                     const std::shared_ptr<net::HttpExchange>& exchange);
    void post_legacy(const jsonrpc::Message& message,
                     const std::shared_ptr<net::HttpExchange>& exchange);
    void on_get(const std::shared_ptr<net::HttpExchange>& exchange);
    static void open_unrelated_stream(const std::shared_ptr<LegacySession>& session,
                                      const std::shared_ptr<net::HttpExchange>& exchange);
    void on_delete(const std::shared_ptr<net::HttpExchange>& exchange);

    /// Returns the session that the request names. If there is none, answers the request and
    /// returns null.
    [[nodiscard]] std::shared_ptr<LegacySession> session_of(net::HttpExchange& exchange);
    [[nodiscard]] std::shared_ptr<LegacySession> new_session();
    [[nodiscard]] std::shared_ptr<ResumableOutlet> new_stream(
        LegacySession& session, const std::shared_ptr<net::HttpExchange>& exchange) const;

    FixtureServer& server_;
    const StreamableHttpOptions options_;
    jsonrpc::MessageReader reader_;
    std::map<std::string, std::shared_ptr<LegacySession>, std::less<>> sessions_;
    std::shared_ptr<LegacySession> shared_session_ = std::make_shared<LegacySession>();
};

}  // namespace holdfast::fixture
