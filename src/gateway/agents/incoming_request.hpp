#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "agents/agent.hpp"
#include "agents/agent_request.hpp"
#include "agents/agent_session.hpp"
#include "agents/reply_port.hpp"
#include "holdfast/resilience/time.hpp"
#include "jsonrpc/message.hpp"
#include "net/http_message.hpp"
#include "net/loop.hpp"

namespace holdfast::agents {

/// A request that has passed the protocol checks. `message` is a view that is valid until the loop
/// reads the next message.
struct IncomingRequest {
    const jsonrpc::Message& message;
    std::shared_ptr<const Agent> agent;
    std::shared_ptr<AgentSession> session;  ///< Null for a modern request over HTTP.
    std::shared_ptr<ReplyPort> port;
    net::OwningLoop loop;
    const net::HttpHeaders* headers = nullptr;  ///< Null where the transport has none.
    /// The headers that downstreams may receive; null = none.
    std::shared_ptr<const downstream::AgentHeaders> agent_headers = {};
    /// The built-in tool through which the agent made this call; empty = a direct call.
    std::string_view via = {};
    /// How long the gateway has kept the request back before its call.
    resilience::Duration waited = {};

    /// What is needed to answer it after the message has gone.
    [[nodiscard]] AgentRequest owned() const {
        return {.agent = agent,
                .session = session,
                .port = port,
                .loop = loop,
                .id = std::string{message.id},
                .progress_token = std::string{message.meta.find("progressToken").value_or("")}};
    }
};

}  // namespace holdfast::agents
