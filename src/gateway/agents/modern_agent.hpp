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

/// A cache of the agents of recent modern requests. Each request describes its agent, nearly always
/// with the same text as an earlier one. The texts are compared, and an agent is created only if
/// they are new.
///
/// Thread-safety: none; each thread has its own.
class ModernAgents final {
public:
    static constexpr std::size_t kMaxAgents = 16;
    /// Agents with longer descriptions are not cached, so that clients cannot fill the memory.
    static constexpr std::size_t kMaxWordsBytes = 4'096;

    /// Returns the agent that a modern request describes. Different headers for downstreams mean a
    /// different agent; `headers` may be null.
    [[nodiscard]] std::shared_ptr<const Agent> agent_of(const jsonrpc::Message& message,
                                                        std::string_view principal,
                                                        const downstream::AgentHeaders* headers);

private:
    std::array<std::shared_ptr<const Agent>, kMaxAgents> agents_ = {};
};

/// Looks the agent up in the cache of this thread.
[[nodiscard]] std::shared_ptr<const Agent> modern_agent(
    const jsonrpc::Message& message, std::string_view principal,
    const downstream::AgentHeaders* headers = nullptr);

}  // namespace holdfast::agents
