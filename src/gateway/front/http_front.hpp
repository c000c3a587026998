#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/reloadable.hpp"
#include "dispatch/request_dispatcher.hpp"
#include "front/agent_gate.hpp"
#include "front/bridge_table.hpp"
#include "front/http_port.hpp"
#include "front/sse_sessions.hpp"
#include "mcp/incoming.hpp"
#include "net/http_exchange.hpp"

namespace holdfast::front {

/// The HTTP front for agents: Streamable HTTP of both eras at `/mcp`, WebSocket at `/ws`, the old
/// HTTP+SSE transport at `/sse` and `/messages` if it is on, and the paths of the bridges, where
/// servers connect to the gateway.
///
/// Thread-safety: called on the loops of the connections; `set_gate` from any thread.
class HttpFront final : public net::HttpHandler {
public:
    /// `bridges` may be null, and so may `sse`: the old transport is then off.
    HttpFront(std::shared_ptr<const dispatch::RequestDispatcher> dispatcher, AgentGate gate,
              std::shared_ptr<const BridgeTable> bridges = nullptr,
              std::shared_ptr<SseSessions> sse = nullptr)
        : dispatcher_(std::move(dispatcher)),
          gate_(std::move(gate)),
          bridges_(std::move(bridges)),
          sse_(std::move(sse)) {}

    /// Another config is in use: further requests pass this gate.
    void set_gate(AgentGate gate) { gate_.replace(std::move(gate)); }

    [[nodiscard]] std::optional<net::HttpReply> refused(const net::HttpRequest& request) override;
    void on_request(std::shared_ptr<net::HttpExchange> exchange) override;
    [[nodiscard]] std::string reply_headers(const net::HttpRequest& request) override;

private:
    using Exchange = std::shared_ptr<net::HttpExchange>;

    /// Returns nothing after it has refused a request that lost its access in the meantime.
    [[nodiscard]] std::optional<std::string> principal_of(const Exchange& exchange) const;
    [[nodiscard]] std::shared_ptr<const Bridge> bridge_at(std::string_view path) const;
    [[nodiscard]] bool is_old_transport(std::string_view path) const {
        return sse_ != nullptr && SseSessions::serves(path);
    }
    void on_post(const Exchange& exchange) const;
    void on_get(const Exchange& exchange) const;
    void on_delete(const Exchange& exchange) const;
    void on_upgrade(Exchange exchange) const;

    void on_batch(const Exchange& exchange, const jsonrpc::PaddedText& text) const;
    void on_batch_messages(const Exchange& exchange, const std::vector<jsonrpc::PaddedText>& texts,
                           const std::shared_ptr<agents::AgentSession>& session) const;
    void on_modern(const Exchange& exchange, const jsonrpc::Message& message,
                   const mcp::StandardHeaders& headers) const;
    void on_legacy(const Exchange& exchange, const jsonrpc::Message& message) const;
    void on_initialize(const Exchange& exchange, const jsonrpc::Message& message) const;
    void on_session_message(const Exchange& exchange, const jsonrpc::Message& message,
                            const dispatch::LoopState::FoundSession& found) const;
    /// Returns no session after it has sent the reason why there is none.
    [[nodiscard]] dispatch::LoopState::FoundSession session_of(const Exchange& exchange,
                                                               std::string_view id) const;

    /// Returns the headers that some downstream's config names; all others are dropped.
    [[nodiscard]] std::shared_ptr<const downstream::AgentHeaders> headers_for_downstreams(
        const Exchange& exchange) const;

    const std::shared_ptr<const dispatch::RequestDispatcher> dispatcher_;
    base::Reloadable<AgentGate> gate_;
    const std::shared_ptr<const BridgeTable>
        bridges_;                             // shared with the fronts of the other listeners
    const std::shared_ptr<SseSessions> sse_;  // shared likewise
};

}  // namespace holdfast::front
