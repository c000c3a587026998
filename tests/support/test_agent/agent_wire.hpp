#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "support/test_agent/byte_stream.hpp"

namespace holdfast::test {

/// A message of an agent, and what Streamable HTTP wants to know of it.
struct OutgoingMessage {
    std::string text = {};
    std::string id = {};      ///< Of a request, as JSON.
    std::string method = {};  ///< Empty for an answer.
    std::string name = {};    ///< What the modern header `Mcp-Name` repeats.
    bool is_modern = false;
};

/// How an agent's messages reach the gateway and the gateway's the agent.
///
/// Thread-safety: none.
class AgentWire {
public:
    AgentWire() = default;
    AgentWire(const AgentWire&) = delete;
    AgentWire& operator=(const AgentWire&) = delete;
    virtual ~AgentWire() = default;

    virtual void send(const OutgoingMessage& message) = 0;
    /// The next message, on whatever way it comes; empty if none comes in time.
    [[nodiscard]] virtual std::string receive(std::chrono::milliseconds limit) = 0;
    /// Stops waiting for the answer to a modern request. False if that is not how this transport
    /// says it: then a notification does.
    [[nodiscard]] virtual bool drop(const std::string& /*id*/) { return false; }
};

/// Over the standard streams of a process: what is written to `input`, and read from `output`.
[[nodiscard]] std::unique_ptr<AgentWire> make_stdio_wire(ByteStream stream);
/// Over a WebSocket at `/ws`. Null if the gateway refuses it.
[[nodiscard]] std::unique_ptr<AgentWire> make_websocket_wire(std::uint16_t port,
                                                             const std::string& headers = {});
/// Over Streamable HTTP at `/mcp`. `headers` are lines that every request gets.
[[nodiscard]] std::unique_ptr<AgentWire> make_http_wire(std::uint16_t port,
                                                        std::string headers = {});

}  // namespace holdfast::test
