#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "agents/agent.hpp"
#include "agents/outlet.hpp"
#include "agents/replay_log.hpp"
#include "agents/reply_port.hpp"
#include "downstream/call_listener.hpp"
#include "holdfast/resilience/synchronized.hpp"
#include "holdfast/resilience/time.hpp"

namespace holdfast::agents {

/// A request of an agent that is in progress.
class AgentCall {
public:
    AgentCall() = default;
    AgentCall(const AgentCall&) = delete;
    AgentCall& operator=(const AgentCall&) = delete;
    virtual ~AgentCall() = default;

    /// The agent no longer wants the answer. May be called from any loop.
    virtual void cancel() = 0;
    /// False for calls that last until the agent cancels them.
    [[nodiscard]] virtual bool ends_by_itself() const { return true; }
};

class AgentSession;

/// Identifies an agent across its requests: by its session, or else by everything that its requests
/// have in common.
[[nodiscard]] std::string agent_key(const Agent& agent, const AgentSession* session);

struct SessionLimits {
    std::size_t max_calls = 1'024;
    std::size_t max_questions = 256;
    std::size_t max_subscriptions = 1'024;
    std::size_t max_backlog = 64;  ///< Messages stored while there is no stream for them.
    ReplayLimits replay = {};
};

/// The state of an agent that outlasts a single request: a legacy session, or a stdio or WebSocket
/// connection. It tracks the calls in flight, so that they can be cancelled, and the questions that
/// the agent has not answered yet.
///
/// Thread-safety: from any loop. Handlers are called without a lock held, on the loop that received
/// the answer.
class AgentSession final : public std::enable_shared_from_this<AgentSession> {
public:
    using AnswerHandler = std::function<void(downstream::QuestionAnswer)>;

    /// `key` identifies the session within the gateway and is never sent.
    AgentSession(std::string key, std::string principal, const SessionLimits& limits = {});

    [[nodiscard]] const std::string& key() const noexcept { return key_; }
    [[nodiscard]] const std::string& principal() const noexcept { return principal_; }

    /// Null before the handshake. A second handshake replaces the first.
    [[nodiscard]] std::shared_ptr<const Agent> agent() const;
    void set_agent(std::shared_ptr<const Agent> agent);
    /// Changes with the agent and when the session ends. A cached agent is current as long as the
    /// version that was read before it. Takes no lock.
    [[nodiscard]] std::uint64_t version() const noexcept {
        return version_.load(std::memory_order_acquire);
    }

    /// Returns false if a call with this id is in flight, or if too many calls are.
    [[nodiscard]] bool try_enter(const std::string& id, std::weak_ptr<AgentCall> call);
    void leave(const std::string& id);
    /// Takes the call with that id out and runs `next`, which may enter another call with the same
    /// id. The session does not count as quiet in between.
    void hand_over(const std::string& id, const std::function<void()>& next);
    void cancel(const std::string& id);
    /// Calls the handler once no call is in flight that ends by itself; possibly at once.
    void when_quiet(std::function<void()> handler);

    /// Reports whether the agent must still get something before the process may end: an answer, or
    /// what its outlet has not written.
    void report_unwritten(const std::shared_ptr<net::UnwrittenTally>& tally) const;

    /// Sends a request to the agent and returns its number. Uses the port if it can carry
    /// questions, else the outlet. Returns nothing if the agent is unreachable.
    [[nodiscard]] std::optional<std::uint64_t> ask(std::string_view method, std::string_view params,
                                                   ReplyPort* port, AnswerHandler handler);
    /// Cancels a question and notifies the agent on the path of the question.
    void withdraw(std::uint64_t question, ReplyPort* port);
    /// Delivers the agent's answer. Returns false if no question has this id.
    bool on_answer(std::string_view id, downstream::QuestionAnswer answer);

    /// Sends a notification, or stores it until there is an outlet.
    void tell(std::string message);
    /// Replaces the outlet and ends the old one. Null removes it. If the session has
    /// ended, ends the new outlet at once.
    void set_outlet(std::shared_ptr<Outlet> outlet);
    /// Null if there is none.
    [[nodiscard]] std::shared_ptr<Outlet> outlet() const;
    /// Removes the outlet if it is still this one.
    void drop_outlet(const Outlet* outlet);

    /// In static storage; empty = the agent has set none. Takes no lock.
    [[nodiscard]] std::string_view log_level() const noexcept;
    void set_log_level(std::string_view level);

    /// Returns false if there are too many subscriptions.
    [[nodiscard]] bool subscribe(const std::string& uri);
    void unsubscribe(const std::string& uri);
    [[nodiscard]] std::vector<std::string> subscriptions() const;
    /// Whether the agent subscribed to this resource or to a parent of it.
    [[nodiscard]] bool is_subscribed(std::string_view uri) const;

    /// The last events of the session's streams. Shared with the answers in flight.
    [[nodiscard]] const std::shared_ptr<ReplayLog>& replay() const noexcept { return replay_; }

    void touch(resilience::TimePoint now) noexcept;
    [[nodiscard]] resilience::TimePoint last_used() const noexcept;
    [[nodiscard]] bool is_idle() const;

    /// Cancels all calls, fails all questions, ends the outlet.
    void end();

private:
    struct State {
        std::shared_ptr<const Agent> agent = {};
        std::unordered_map<std::string, std::weak_ptr<AgentCall>> calls = {};
        std::map<std::uint64_t, AnswerHandler> questions = {};
        std::uint64_t last_question = 0;
        std::shared_ptr<Outlet> outlet = {};
        std::deque<std::string> backlog = {};
        std::vector<std::string> subscriptions = {};
        std::function<void()> on_quiet = {};
        std::size_t handing_over = 0;  // calls of which the next has not entered yet
        bool is_over = false;
    };

    [[nodiscard]] static bool is_quiet(const State& state);
    /// The handler of `when_quiet`, if its moment has come.
    [[nodiscard]] static std::function<void()> taken_if_quiet(State& state);

    const std::string key_;
    const std::string principal_;
    const SessionLimits limits_;
    const std::shared_ptr<ReplayLog> replay_ = std::make_shared<ReplayLog>(limits_.replay);
    mutable resilience::Synchronized<State> state_;
    std::atomic<resilience::Duration::rep> last_used_{0};
    std::atomic<std::uint64_t> version_{0};
    std::atomic<std::uint8_t> log_severity_{0};  // 0 = the agent has set no level
};

}  // namespace holdfast::agents
