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
    /// So long a session is kept between two messages, however many are wanted.
    resilience::Duration min_idle = std::chrono::minutes{1};
    SessionLimits session = {};
};

/// The sessions of all agents, by their ids. An id says nothing about who may use it: it opens the
/// session only together with the principal that it was given to.
///
/// Thread-safety: from any thread.
class SessionRegistry final {
public:
    SessionRegistry(const SessionRegistryOptions& options,
                    std::function<std::string()> make_secret);

    /// Null if there are too many.
    [[nodiscard]] std::shared_ptr<AgentSession> open(const std::string& principal,
                                                     resilience::TimePoint now);
    /// If there is no room, forgets some that were left: the ones unused for the longest, of the
    /// principal that has left the most. The caller ends them.
    [[nodiscard]] std::vector<std::shared_ptr<AgentSession>> make_room(resilience::TimePoint now);
    /// Null if there is no such session of that principal.
    [[nodiscard]] std::shared_ptr<AgentSession> find(std::string_view id,
                                                     std::string_view principal) const;
    /// Whoever it belongs to: for messages that the gateway itself has for it.
    [[nodiscard]] std::shared_ptr<AgentSession> find(std::string_view id) const;
    /// Forgets it; null if it was not there. The caller ends it.
    std::shared_ptr<AgentSession> remove(const std::string& id);
    /// Those that nobody has used for too long; they are forgotten.
    [[nodiscard]] std::vector<std::shared_ptr<AgentSession>> remove_idle(resilience::TimePoint now);

    [[nodiscard]] std::vector<std::shared_ptr<AgentSession>> all() const;
    /// The only session that has been opened, if there is exactly one.
    [[nodiscard]] std::shared_ptr<AgentSession> only_one() const;
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
