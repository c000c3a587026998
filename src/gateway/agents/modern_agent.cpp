#include "agents/modern_agent.hpp"

#include <functional>
#include <utility>

#include "agents/relayed_capabilities.hpp"
#include "mcp/incoming.hpp"
#include "platform/crypto.hpp"

namespace holdfast::agents {
namespace {

/// What a request says about its agent. Views into the message.
struct Words {
    std::string_view principal = {};
    std::string_view capabilities = "{}";
    std::string_view client_info = {};

    [[nodiscard]] bool are_of(const Agent& agent) const {
        return agent.face->capabilities == capabilities && agent.face->client_info == client_info &&
               agent.principal == principal;
    }
};

std::shared_ptr<const Agent> new_agent(const Words& words, std::size_t abilities,
                                       const downstream::AgentHeaders* headers) {
    downstream::AgentIdentity face;
    face.capabilities = words.capabilities;
    face.client_info = words.client_info;
    std::string client = std::string{words.principal}.append("\n").append(words.client_info);
    if (headers != nullptr) {
        for (const downstream::AgentHeader& header : *headers) {
            client.append("\n").append(header.name).append(":").append(header.value);
        }
    }
    // A downstream with sessions serves requests of one client with equal capabilities on the same
    // session.
    face.key = "modern:" + std::to_string(abilities) + ":" + client;
    // Anyone may be anonymous, so such a client must at least say what it is.
    if (!words.client_info.empty() || words.principal != kAnonymous) {
        face.client = std::move(client);
    }
    return std::make_shared<const Agent>(
        Agent{.principal = std::string{words.principal},
              .revision = mcp::kNewestModern,
              .face = std::make_shared<const downstream::AgentIdentity>(std::move(face))});
}

/// The same agent with a digest as its key. Headers for downstreams may be credentials, and the key
/// is in tables that live longer than the request.
std::shared_ptr<const Agent> with_digest(const Agent& agent) {
    downstream::AgentIdentity face = *agent.face;
    face.key = "modern:" + platform::sha256_text(face.key);
    Agent hidden = agent;
    hidden.face = std::make_shared<const downstream::AgentIdentity>(std::move(face));
    return std::make_shared<const Agent>(std::move(hidden));
}

}  // namespace

std::shared_ptr<const Agent> ModernAgents::agent_of(const jsonrpc::Message& message,
                                                    std::string_view principal,
                                                    const downstream::AgentHeaders* headers) {
    const std::string_view declared = message.meta.find(mcp::kCapabilitiesKey).value_or("{}");
    std::string relayed;
    if (declared.find(R"("extensions")") != std::string_view::npos) {
        relayed = relayed_capabilities(declared);
    }
    const Words words{.principal = principal,
                      .capabilities = relayed.empty() ? declared : std::string_view{relayed},
                      .client_info = message.meta.find(mcp::kClientInfoKey).value_or("")};
    const std::size_t abilities = std::hash<std::string_view>{}(words.capabilities);
    if (headers != nullptr) {
        return with_digest(*new_agent(words, abilities, headers));
    }
    if (words.capabilities.size() + words.client_info.size() > kMaxWordsBytes) {
        return new_agent(words, abilities, nullptr);
    }
    const std::size_t hash = abilities ^ std::hash<std::string_view>{}(words.client_info);
    std::shared_ptr<const Agent>& kept = agents_[hash % kMaxAgents];
    if (!kept || !words.are_of(*kept)) {
        kept = new_agent(words, abilities, nullptr);
    }
    return kept;
}

std::shared_ptr<const Agent> modern_agent(const jsonrpc::Message& message,
                                          std::string_view principal,
                                          const downstream::AgentHeaders* headers) {
    thread_local ModernAgents agents;
    return agents.agent_of(message, principal, headers);
}

}  // namespace holdfast::agents
