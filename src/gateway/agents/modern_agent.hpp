#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "agents/agent.hpp"
#include "downstream/request.hpp"
#include "jsonrpc/message.hpp"

namespace holdfast::agents {

/// The agents of the last modern requests. Each request says who asks, nearly always in the same
/// words as one before; those words are compared, and an agent is made only where they are new.
///
/// Thread-safety: none; each thread has its own.
class ModernAgents final {
public:
    static constexpr std::size_t kMaxAgents = 16;
    /// An agent of more words is made anew for each request, so that none can fill the memory.
    static constexpr std::size_t kMaxWordsBytes = 4'096;

    /// The agent that a modern request names. Requests with other headers for downstreams are of
    /// another agent; `headers` may be null.
    [[nodiscard]] std::shared_ptr<const Agent> agent_of(const jsonrpc::Message& message,
                                                        std::string_view principal,
                                                        const downstream::AgentHeaders* headers);

private:
    std::array<std::shared_ptr<const Agent>, kMaxAgents> agents_ = {};
};

/// By the agents of this thread.
[[nodiscard]] std::shared_ptr<const Agent> modern_agent(
    const jsonrpc::Message& message, std::string_view principal,
    const downstream::AgentHeaders* headers = nullptr);

}  // namespace holdfast::agents
