#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "agents/agent_session.hpp"
#include "holdfast/resilience/synchronized.hpp"

namespace holdfast::agents {

struct SessionRegistryOptions {
    std::size_t max_sessions = 10'000;
    resilience::Duration max_idle = std::chrono::hours{1};
    /// A session that was used more recently than this is evicted only to give others a share.
    resilience::Duration min_idle = std::chrono::minutes{1};
    SessionLimits session = {};
};

/// The sessions of all agents by id. An id alone grants no access: a session is found only together
/// with the principal that opened it.
///
/// Thread-safety: from any thread.
class SessionRegistry final {
public:
    SessionRegistry(const SessionRegistryOptions& options,
                    std::function<std::string()> make_secret);

    /// Returns null if there are too many sessions.
    [[nodiscard]] std::shared_ptr<AgentSession> open(const std::string& principal,
                                                     resilience::TimePoint now);
    /// If the registry is full, removes the least recently used idle sessions of the principal with
    /// the most idle sessions. The caller ends them.
    [[nodiscard]] std::vector<std::shared_ptr<AgentSession>> evict_if_full(
        resilience::TimePoint now);
    /// If the registry is full and another principal has at least two sessions more than this one,
    /// removes the least recently used sessions of the principal with the most, in use or not: one
    /// principal must not keep all others out. The caller ends them.
    [[nodiscard]] std::vector<std::shared_ptr<AgentSession>> evict_share_for(
        std::string_view principal);
    /// Returns null if the principal has no such session.
    [[nodiscard]] std::shared_ptr<AgentSession> find(std::string_view id,
                                                     std::string_view principal) const;
    /// Finds a session of any principal; for messages from the gateway itself.
    [[nodiscard]] std::shared_ptr<AgentSession> find(std::string_view id) const;
    /// Removes a session; null if it does not exist. The caller ends it.
    std::shared_ptr<AgentSession> remove(const std::string& id);
    /// Removes and returns the sessions that have been idle for too long.
    [[nodiscard]] std::vector<std::shared_ptr<AgentSession>> remove_idle(resilience::TimePoint now);

    [[nodiscard]] std::vector<std::shared_ptr<AgentSession>> all() const;
    [[nodiscard]] std::size_t size() const;

private:
    struct Hash {
        using is_transparent = void;
        std::size_t operator()(std::string_view text) const noexcept {
            return std::hash<std::string_view>{}(text);
        }
    };
    using Table =
        std::unordered_map<std::string, std::shared_ptr<AgentSession>, Hash, std::equal_to<>>;

    const SessionRegistryOptions options_;
    const std::function<std::string()> make_secret_;
    resilience::Synchronized<Table> sessions_;
};

}  // namespace holdfast::agents
