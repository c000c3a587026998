#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "support/test_agent/byte_stream.hpp"

namespace holdfast::test {

/// A message of an agent, with the values that Streamable HTTP repeats in headers.
struct OutgoingMessage {
    std::string text = {};
    std::string id = {};      ///< Of a request, as JSON.
    std::string method = {};  ///< Empty for an answer.
    std::string name = {};    ///< What the modern header `Mcp-Name` repeats.
    bool is_modern = false;
};

/// Carries messages between an agent and the gateway.
///
/// Thread-safety: none.
class AgentWire {
public:
    AgentWire() = default;
    AgentWire(const AgentWire&) = delete;
    AgentWire& operator=(const AgentWire&) = delete;
    virtual ~AgentWire() = default;

    virtual void send(const OutgoingMessage& message) = 0;
    /// Returns the next message from any stream; empty if none arrives in time.
    [[nodiscard]] virtual std::string receive(std::chrono::milliseconds limit) = 0;
    /// Stops waiting for the answer to a modern request. Returns false if this transport uses a
    /// notification instead.
    [[nodiscard]] virtual bool drop(const std::string& /*id*/) { return false; }
};

/// Over the standard streams of a process: writes to `input` and reads from `output`.
[[nodiscard]] std::unique_ptr<AgentWire> make_stdio_wire(ByteStream stream);
/// Over a WebSocket at `/ws`. Null if the gateway refuses it.
[[nodiscard]] std::unique_ptr<AgentWire> make_websocket_wire(std::uint16_t port,
                                                             const std::string& headers = {});
/// Over Streamable HTTP at `/mcp`. `headers` are lines that every request gets.
[[nodiscard]] std::unique_ptr<AgentWire> make_http_wire(std::uint16_t port,
                                                        std::string headers = {});

}  // namespace holdfast::test
