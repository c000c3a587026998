#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "agents/session_registry.hpp"
#include "dispatch/call_context.hpp"
#include "guard/call_rules.hpp"
#include "holdfast/resilience/time.hpp"
#include "net/loop.hpp"
#include "net/loop_snapshot.hpp"

namespace holdfast::dispatch {

/// The shared state of the gateway as one event loop knows it, so that a call takes no lock to read
/// it: the call context, the rules of tools that were called here, and the sessions of agents that
/// were served here.
///
/// Thread-safety: none; belongs to its loop. What it refers to is shared, and must outlive it.
class LoopState final {
public:
    /// A session with the agent of its last handshake. Both are null if there is no such session.
    struct FoundSession {
        std::shared_ptr<agents::AgentSession> session = {};
        std::shared_ptr<const agents::Agent> agent = {};
    };

    LoopState(net::OwningLoop loop, const agents::SessionRegistry& sessions,
              const net::LoopSnapshot<CallContext>& contexts)
        : loop_(std::move(loop)), registry_(sessions), contexts_(contexts) {}

    [[nodiscard]] const net::OwningLoop& loop() const noexcept { return loop_; }
    /// The context that was published last. Valid until the next call of this function.
    [[nodiscard]] const CallContext& context();

    /// The rules for calls of a tool of the surface that `context` returned last.
    [[nodiscard]] std::shared_ptr<const guard::CallRules> rules_for(const surface::Callable& tool,
                                                                    resilience::TimePoint now);

    /// The session with that id, if it belongs to the principal.
    [[nodiscard]] FoundSession find_session(std::string_view id, std::string_view principal);

private:
    static constexpr std::size_t kMaxSessions = 1'024;

    struct KnownRules {
        std::uint64_t edition = 0;  ///< Of the guard, when the rules were read.
        std::shared_ptr<const guard::CallRules> rules = {};
    };
    struct KnownSession {
        std::weak_ptr<agents::AgentSession> session = {};
        std::uint64_t version = 0;  ///< Of the session, when the agent was read.
        std::shared_ptr<const agents::Agent> agent = {};
    };
    struct Hash {
        using is_transparent = void;
        std::size_t operator()(std::string_view text) const noexcept {
            return std::hash<std::string_view>{}(text);
        }
    };

    [[nodiscard]] FoundSession read_session(std::string_view id);

    const net::OwningLoop loop_;
    const agents::SessionRegistry& registry_;
    const net::LoopSnapshot<CallContext>& contexts_;
    const CallContext* known_ = nullptr;  // kept alive by the loop's copy in `contexts_`
    std::unordered_map<const surface::Callable*, KnownRules> rules_;  // of the known context
    std::unordered_map<std::string, KnownSession, Hash, std::equal_to<>> sessions_;
};

}  // namespace holdfast::dispatch
