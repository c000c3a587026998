#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "downstream/request.hpp"
#include "holdfast/resilience/time.hpp"
#include "net/loop.hpp"

// Chooses the call that a message of a legacy downstream is about, if the message names no call. It
// is meant for the agent whose call caused it, or for nobody: a guess between two agents would show
// the data of one to the other.

namespace holdfast::downstream {

/// The kinds of messages that name no call.
enum class UnnamedMessage : std::uint8_t { question, log };

/// A call in flight of an agent.
struct CallCandidate {
    std::uint64_t id = 0;  ///< Later calls of a link have greater ids.
    std::shared_ptr<const AgentIdentity> agent = {};
    bool waits_for_agent = false;  ///< Its agent has not answered a question yet.
    net::OwningLoop loop = {};     ///< Of its caller, for a link that looks on several loops.
};

/// The clients whose calls on a link ended last. A message may still be about such a call. All
/// sessions of one principal and client are the same client here.
///
/// Thread-safety: none.
class RecentEnds final {
public:
    /// How long an ended call may still cause messages.
    static constexpr resilience::Duration kMemory = std::chrono::seconds{5};

    /// Null agents, which are the gateway itself, are ignored.
    void add(const std::shared_ptr<const AgentIdentity>& agent, resilience::TimePoint now);
    /// Whether a call of another client than this agent's ended recently.
    [[nodiscard]] bool has_other_than(const AgentIdentity* agent, resilience::TimePoint now) const;

private:
    struct End {
        std::shared_ptr<const AgentIdentity> agent = {};
        resilience::TimePoint at = {};
    };

    End latest_;
    End other_;  // the latest of another agent than `latest_`
};

/// Which call a message is about.
struct ChosenCall {
    enum class Kind : std::uint8_t {
        none,     ///< No agent has a call in flight.
        call,     ///< `call` is its latest of the only agent that can be meant.
        unclear,  ///< Several agents can be meant.
    };

    Kind kind = Kind::none;
    CallCandidate call = {};
};

/// Collects the calls of one link. The only agent with calls in flight is meant, unless a call of
/// another agent has just ended. The next question is not for a call that waits for its agent
/// unless it is the only call.
///
/// Thread-safety: none.
class CallChoice final {
public:
    explicit CallChoice(UnnamedMessage what) : what_(what) {}

    void add(CallCandidate call);
    void add(RecentEnds ended) { ended_.push_back(std::move(ended)); }
    /// Adds what another loop knows.
    void merge(CallChoice other);

    [[nodiscard]] ChosenCall chosen(resilience::TimePoint now) const;

private:
    void consider(CallCandidate call);

    UnnamedMessage what_;
    std::optional<CallCandidate> best_;
    bool is_unclear_ = false;
    std::vector<CallCandidate> waiting_;  // not considered
    std::vector<RecentEnds> ended_;
};

}  // namespace holdfast::downstream
