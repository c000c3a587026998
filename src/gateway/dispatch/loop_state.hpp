#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "agents/session_registry.hpp"
#include "calls/call_context.hpp"
#include "guard/call_rules.hpp"
#include "holdfast/resilience/time.hpp"

namespace holdfast::dispatch {

/// The shared state of the gateway as one event loop knows it, so that a call takes no lock to read
/// it: the call context, the rules of tools that were called here, and the sessions of agents that
/// were served here.
///
/// Thread-safety: none; belongs to its loop.
class LoopState final {
public:
    /// A session with the agent of its last handshake. Both are null if there is no such session.
    struct FoundSession {
        std::shared_ptr<agents::AgentSession> session = {};
        std::shared_ptr<const agents::Agent> agent = {};
    };

    LoopState(const agents::SessionRegistry& sessions,
              std::shared_ptr<const calls::CallContext> context)
        : registry_(sessions), context_(std::move(context)) {}

    [[nodiscard]] const calls::CallContext& context() const noexcept { return *context_; }
    /// Contexts are numbered in the order of their publication; the first has the number 0.
    [[nodiscard]] std::uint64_t context_number() const noexcept { return context_number_; }
    void set_context(std::shared_ptr<const calls::CallContext> context, std::uint64_t number);

    /// The rules for calls of a tool of the context's surface.
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

    const agents::SessionRegistry& registry_;
    std::shared_ptr<const calls::CallContext> context_;  // shared with the other loops
    std::uint64_t context_number_ = 0;
    std::unordered_map<const surface::Callable*, KnownRules> rules_;  // of the context's surface
    std::unordered_map<std::string, KnownSession, Hash, std::equal_to<>> sessions_;
};

}  // namespace holdfast::dispatch
