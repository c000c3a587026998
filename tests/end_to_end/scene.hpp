#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "end_to_end/gateway_process.hpp"
#include "support/temporary_folder.hpp"
#include "support/test_agent/test_agent.hpp"

namespace holdfast::test {

enum class AgentTransport : std::uint8_t { stdio, http, websocket };
enum class ServerTransport : std::uint8_t { stdio, http, sse, websocket };
enum class ServerEra : std::uint8_t { legacy, modern };

/// How an agent reaches the gateway.
struct AgentLeg {
    std::string_view name = {};
    AgentEra era = AgentEra::legacy;
    AgentTransport transport = AgentTransport::http;
};

/// How the gateway reaches a server.
struct ServerLeg {
    std::string_view name = {};
    ServerEra era = ServerEra::legacy;
    ServerTransport transport = ServerTransport::stdio;
};

// What a failed test prints as its parameter.
inline void PrintTo(const AgentLeg& leg, std::ostream* out) {
    *out << leg.name;
}
inline void PrintTo(const ServerLeg& leg, std::ostream* out) {
    *out << leg.name;
}

inline constexpr std::array<AgentLeg, 6> kAgentLegs{{
    {"LegacyStdio", AgentEra::legacy, AgentTransport::stdio},
    {"LegacyHttp", AgentEra::legacy, AgentTransport::http},
    {"LegacyWebSocket", AgentEra::legacy, AgentTransport::websocket},
    {"ModernStdio", AgentEra::modern, AgentTransport::stdio},
    {"ModernHttp", AgentEra::modern, AgentTransport::http},
    {"ModernWebSocket", AgentEra::modern, AgentTransport::websocket},
}};

/// HTTP+SSE was removed before the modern era began.
inline constexpr std::array<ServerLeg, 7> kServerLegs{{
    {"LegacyStdio", ServerEra::legacy, ServerTransport::stdio},
    {"LegacyHttp", ServerEra::legacy, ServerTransport::http},
    {"LegacySse", ServerEra::legacy, ServerTransport::sse},
    {"LegacyWebSocket", ServerEra::legacy, ServerTransport::websocket},
    {"ModernStdio", ServerEra::modern, ServerTransport::stdio},
    {"ModernHttp", ServerEra::modern, ServerTransport::http},
    {"ModernWebSocket", ServerEra::modern, ServerTransport::websocket},
}};

/// A gateway, the fixture servers behind it, and the agents in front. The config is assembled
/// first; `start` writes it and starts the gateway.
///
/// Thread-safety: none.
class Scene final {
public:
    Scene();

    /// Adds an entry of `mcpServers` as JSON.
    void add_server(const std::string& name, const std::string& entry);
    /// Adds a fixture server on that leg, and starts it unless the gateway does.
    void add_fixture(const std::string& name, const ServerLeg& leg,
                     const std::vector<std::string>& arguments = {});
    /// Starts a listening fixture server without an entry, and returns its URL.
    [[nodiscard]] std::string start_fixture(const ServerLeg& leg,
                                            const std::vector<std::string>& arguments = {});
    /// Adds a section of the config: `"agents":{…}`.
    void add_section(const std::string& section);
    /// Adds `arguments` to those that make it listen on HTTP, and `variables` ("NAME=value") to its
    /// environment. Returns false if it does not listen.
    [[nodiscard]] bool start(const std::vector<std::string>& arguments = {},
                             std::vector<std::string> variables = {});

    /// Returns an agent that is not open yet. `headers` are lines for HTTP and WebSocket. There can
    /// be one on the standard streams, only of a gateway that was started with "--stdio".
    [[nodiscard]] TestAgent agent(const AgentLeg& leg, const std::string& headers = {});
    [[nodiscard]] GatewayProcess& gateway() { return *gateway_; }
    [[nodiscard]] std::uint16_t port() const { return gateway_->port(); }
    /// Returns the port of a gateway with a section `admin` that names an address. Waits until the
    /// gateway has announced it, which is later than its log line. 0 if it never does.
    [[nodiscard]] std::uint16_t admin_port() const;
    [[nodiscard]] const TemporaryFolder& folder() const noexcept { return folder_; }
    /// Returns the entry of a fixture server on its standard streams.
    [[nodiscard]] static std::string stdio_entry(const std::vector<std::string>& arguments);
    [[nodiscard]] static std::string fixture_path();

private:
    TemporaryFolder folder_;
    std::string servers_;
    std::string sections_;
    std::vector<std::unique_ptr<Program>> fixtures_;
    std::unique_ptr<GatewayProcess> gateway_;
};

}  // namespace holdfast::test
