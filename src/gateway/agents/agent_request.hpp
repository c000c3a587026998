#pragma once

#include <memory>
#include <optional>
#include <string>

#include "agents/agent.hpp"
#include "agents/agent_session.hpp"
#include "agents/reply_port.hpp"
#include "net/loop.hpp"

namespace holdfast::agents {

/// A request that waits for its answer: who asks, where the answer goes, and on which loop the
/// request arrived. It owns all of that, so it outlives the message.
struct AgentRequest {
    std::shared_ptr<const Agent> agent = {};
    std::shared_ptr<AgentSession> session = {};  ///< Null for a modern request over HTTP.
    std::shared_ptr<ReplyPort> port = {};
    net::OwningLoop loop = {};
    std::string id = {};                                 ///< As written.
    std::string progress_token = {};                     ///< As written; empty = none.
    std::optional<double> last_progress = std::nullopt;  ///< Reported under that token.

    [[nodiscard]] bool is_modern() const noexcept { return agent->era() == mcp::Era::modern; }
};

/// Enters the request into its session, if it has one, so that the agent can cancel the call.
/// Returns false if the id is in use or the session has too many calls; the request then has got an
/// error as its answer.
[[nodiscard]] bool try_enter(const AgentRequest& request, std::weak_ptr<AgentCall> call);

/// Takes the request out of its session, if it has one.
void leave(const AgentRequest& request);

}  // namespace holdfast::agents
