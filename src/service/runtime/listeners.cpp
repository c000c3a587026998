#include "runtime/listeners.hpp"

#include <utility>

#include "front/http_front.hpp"
#include "net/address.hpp"
#include "platform/crypto.hpp"
#include "runtime/gateway_chain.hpp"

namespace holdfast::runtime {
namespace {

front::AgentGateOptions gate_options(const LoadedConfig& loaded, bool is_loopback) {
    const config::AgentsConfig& agents = loaded.config.agents;
    front::AgentGateOptions gate{.is_loopback = is_loopback,
                                 .hosts = agents.hosts,
                                 .origins = agents.origins,
                                 .admits_local_pages = agents.pages == config::PageRule::loopback,
                                 .local = loaded.local,
                                 .own_id = own_gateway_id()};
    gate.tokens.reserve(agents.tokens.size());
    for (const config::NamedText& token : agents.tokens) {
        gate.tokens.push_back({.principal = token.name, .token = token.value});
    }
    if (!is_loopback && gate.tokens.empty()) {
        // A reload has removed the last token: the whole network could reach the listener.
        gate.local = base::LocalAccess{.rule = base::LocalAccess::Rule::none};
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
    const bool may_be_insecure = parts_.allows_insecure_http || config.agents.allows_insecure_http;
    if (!address->is_loopback() && !may_be_insecure) {
        parts_.log.listener_insecure(text);
        return false;
    }
    const net::HttpServerOptions options{.address = address->host,
                                         .port = address->port,
                                         .max_header_bytes = config.limits.header_block_bytes,
                                         .max_body_bytes = config.limits.agent_message_bytes,
                                         .max_message_bytes = config.limits.agent_message_bytes,
                                         .max_connections = config.limits.connections,
                                         .max_descriptor = parts_.max_descriptor};
    if (config.agents.has_sse && !sse_) {
        sse_ = std::make_shared<front::SseSessions>(parts_.dispatcher, platform::make_secret);
    }
    auto front = std::make_shared<front::HttpFront>(
        parts_.dispatcher, front::AgentGate{gate_options(loaded, address->is_loopback())},
        parts_.bridges, sse_);
    auto server = net::HttpServer::listen(parts_.loops, options, front);
    if (!server) {
        parts_.log.listen_failed(text, server.error().message);
        return false;
    }
    const net::Address bound{.host = address->host, .port = (*server)->port()};
    const std::string url = "http://" + bound.text() + "/mcp";
    parts_.log.listening(url);
    url_ = servers_.empty() ? url : url_;
    servers_.push_back(std::move(*server));
    fronts_.push_back({.front = std::move(front), .is_loopback = address->is_loopback()});
    return true;
}

void Listeners::change(const LoadedConfig& loaded) {
    for (const Front& each : fronts_) {
        each.front->set_gate(front::AgentGate{gate_options(loaded, each.is_loopback)});
    }
}

void Listeners::drain() {
    for (const auto& server : servers_) {
        server->drain();
    }
}

void Listeners::report_unwritten(const std::shared_ptr<net::UnwrittenTally>& tally) const {
    for (const auto& server : servers_) {
        server->report_unwritten(tally);
    }
}

}  // namespace holdfast::runtime
