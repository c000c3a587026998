#include "runtime/listeners.hpp"

#include <utility>

#include "front/http_front.hpp"
#include "net/address.hpp"

namespace holdfast::runtime {
namespace {

front::AgentGateOptions gate_options(const LoadedConfig& loaded, bool is_loopback) {
    const config::AgentsConfig& agents = loaded.config.agents;
    front::AgentGateOptions gate{.is_loopback = is_loopback,
                                 .hosts = agents.hosts,
                                 .origins = agents.origins,
                                 .local = loaded.local};
    gate.tokens.reserve(agents.tokens.size());
    for (const config::NamedText& token : agents.tokens) {
        gate.tokens.push_back({.principal = token.name, .token = token.value});
    }
    return gate;
}

}  // namespace

bool Listeners::listen_at(const std::string& text, const LoadedConfig& loaded) {
    const config::Config& config = loaded.config;
    const auto address = net::parsed_address(text);
    if (!address) {
        parts_.log.listen_failed(text, "--http " + net::fault_in_address(text));
        return false;
    }
    if (!address->is_loopback() && config.agents.tokens.empty()) {
        parts_.log.tokens_missing(text);
        return false;
    }
    const net::HttpServerOptions options{.address = address->host,
                                         .port = address->port,
                                         .max_header_bytes = config.limits.header_block_bytes,
                                         .max_body_bytes = config.limits.agent_message_bytes,
                                         .max_message_bytes = config.limits.agent_message_bytes,
                                         .max_connections = config.limits.connections};
    auto server = net::HttpServer::listen(
        parts_.loops, options,
        std::make_shared<front::HttpFront>(
            parts_.dispatcher, front::AgentGate{gate_options(loaded, address->is_loopback())},
            parts_.bridges));
    if (!server) {
        parts_.log.listen_failed(text, server.error().message);
        return false;
    }
    const net::Address bound{.host = address->host, .port = (*server)->port()};
    const std::string url = "http://" + bound.text() + "/mcp";
    parts_.log.listening(url);
    url_ = servers_.empty() ? url : url_;
    servers_.push_back(std::move(*server));
    return true;
}

void Listeners::drain() {
    for (const auto& server : servers_) {
        server->drain();
    }
}

}  // namespace holdfast::runtime
