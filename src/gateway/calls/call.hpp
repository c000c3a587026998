#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "agents/agent_session.hpp"
#include "calls/agent_dialogue.hpp"
#include "calls/answer_text.hpp"
#include "calls/attempt.hpp"
#include "calls/call_plan.hpp"
#include "calls/call_trace.hpp"
#include "calls/pipeline_outcome.hpp"
#include "calls/read_sharing.hpp"
#include "calls/substitutes.hpp"
#include "downstream/started_call.hpp"
#include "guard/guarded_call.hpp"
#include "holdfast/resilience/timekeeper.hpp"
#include "net/loop.hpp"

namespace holdfast::calls {

/// How the state begins that a modern agent sends back to continue a parked call.
inline constexpr std::string_view kParkedPrefix = "holdfast:";

/// One request of an agent on its way through the safeguards to a downstream, and its answer. A
/// call ends exactly once: with one answer, by its deadline at the latest, or because the agent
/// cancels it.
///
/// A call is a state machine. The common call goes from `Running` to `Done` by two events, the
/// start and the result of its only attempt, without a coroutine. Only a wait for a slot, for a
/// retry or for suggestions runs one.
///
///     Following ──leader gives up──┐
///         │ leader ends            ▼
///         │            Probing ─► Running ◄─► Waiting
///         │                        │  ▲
///         │        server asks the │  │ all answered
///         │                 agent  ▼  │
///         │                    AskingAgent ──modern agent──► Parked
///         │                        │   ▲                       │
///         ▼                        ▼   └──agent returns────────┘
///        Done ◄────────────────────┘
///
/// While the agent is asked, the deadline stands still and the longer limit for answers runs.
///
/// Thread-safety: `cancel` and `resume` from any loop; all else on the loop that it was started on.
class Call final : public agents::AgentCall,
                   public downstream::CallObserver,
                   public std::enable_shared_from_this<Call> {
public:
    /// Answers the request itself if the session cannot take one more.
    static void start(std::shared_ptr<const CallEnvironment> environment,
                      agents::AgentRequest&& origin, CallPlan&& plan);

    Call(std::shared_ptr<const CallEnvironment> environment, agents::AgentRequest&& origin,
         CallPlan&& plan);
    ~Call() override;

    void cancel() override;

    /// Whether this request may continue the parked call: same principal, same target, same
    /// arguments.
    [[nodiscard]] bool is_resumed_by(const agents::AgentRequest& origin,
                                     const CallPlan& plan) const;
    /// Continues a parked call; `answers` are result objects by the keys of the questions.
    void resume(agents::AgentRequest origin, Members answers);

private:
    /// Waits for the outcome of an identical read.
    struct Following {
        resilience::Deadline deadline = resilience::Deadline::never();
    };
    /// A ping finds out whether the server is healthy again before the call itself is sent.
    struct Probing {
        resilience::Deadline deadline = resilience::Deadline::never();
        std::uint32_t pings_left = 0;
    };
    /// An attempt is in flight.
    struct Running {
        resilience::Deadline deadline = resilience::Deadline::never();
    };
    /// A coroutine waits: for a slot, before a retry, or for suggestions.
    struct Waiting {
        resilience::Deadline deadline = resilience::Deadline::never();
        std::optional<downstream::CallResult> result = std::nullopt;  ///< Of the attempt before.
        /// Ends the coroutine.
        std::shared_ptr<boost::asio::cancellation_signal> cancellation =
            std::make_shared<boost::asio::cancellation_signal>();
    };
    /// The agent has questions to answer. A modern agent gets them when more have had the time to
    /// arrive. The attempt of a legacy server stays in flight.
    struct AskingAgent {
        resilience::Duration remaining = {};  ///< Of the call's time.
    };
    /// The modern agent has its questions as the result, and is expected back.
    struct Parked {
        resilience::Duration remaining = {};
        std::string token = {};  ///< What the agent sends back to continue.
        std::optional<PipelineOutcome> outcome = std::nullopt;  ///< Kept for the agent.
    };
    struct Done {};

    class CallTimer final : public resilience::Timer {
    public:
        explicit CallTimer(Call& call) : call_(call) {}
        void on_time() override { call_.on_time(); }

    private:
        Call& call_;
    };

    // call.cpp: from the start to an outcome.
    void launch();
    void watch_port();
    [[nodiscard]] bool follows_identical_read();
    void on_shared_read();
    void begin(resilience::Deadline deadline);
    void probe(resilience::Deadline deadline, std::uint32_t pings);
    void on_ping_end(const downstream::CallResult& result);
    void enter_pipeline(resilience::Deadline deadline);
    void enter_guards(std::shared_ptr<const guard::CallRules> rules, resilience::Deadline deadline);
    void advance(const resilience::PipelineStep& step,
                 std::optional<downstream::CallResult> last_result);
    void start_attempt(const downstream::Request& request, const resilience::StartAttempt& start);
    void wait(const resilience::PipelineStep& step,
              std::optional<downstream::CallResult> last_result);
    static boost::asio::awaitable<void> wait_for_guard(std::shared_ptr<Call> self,
                                                       resilience::PipelineStep step);
    static boost::asio::awaitable<void> wait_for_suggestions(std::shared_ptr<Call> self,
                                                             PipelineOutcome outcome);
    void spawn(boost::asio::awaitable<void> coroutine);
    void conclude(PipelineOutcome outcome);
    void on_time();
    void wait_at_most(resilience::Duration limit);
    [[nodiscard]] resilience::Deadline deadline() const;
    [[nodiscard]] resilience::TimePoint now() const { return loop_.timekeeper->now(); }

    void on_notification(downstream::Notification notification) override;
    void on_question(downstream::Question question) override;
    void on_result(downstream::CallResult result) override;

    // call_questions.cpp: what the agent is asked.
    [[nodiscard]] std::shared_ptr<AgentDialogue> dialogue();
    void stop_clock(resilience::Duration limit);
    void ask_for_input(const downstream::Answer& answer);
    void on_agent_answered();
    void park();
    void take_answers(agents::AgentRequest origin, Members answers);
    void ask_for_urls(const downstream::Answer& answer, const policy::ErrorClass* error_class);

    // call_answer.cpp: from an outcome to the end.
    void answer(PipelineOutcome outcome);
    void answer_or_fail(const PipelineOutcome& outcome, std::string_view substitute);
    void fail(const PipelineOutcome& outcome);
    void fail_with(const downstream::CallFault& fault);
    void finish(AnswerText text, std::string_view outcome, std::string_view message = {});
    void finish_cancelled(std::string_view message);
    void end();
    [[nodiscard]] AnsweredRequest answered() const;
    [[nodiscard]] bool is_done() const noexcept { return std::holds_alternative<Done>(state_); }

    const net::OwningLoop loop_;  // that the call was started on; `origin_` may be of another one
    const std::shared_ptr<const CallEnvironment> environment_;
    agents::AgentRequest origin_;  // its port is null while the call is parked and after its end
    CallPlan plan_;
    CallTrace trace_;
    Substitutes substitutes_;
    std::optional<guard::GuardedCall> guarded_;
    Attempt attempt_{loop_, *this};
    std::unique_ptr<AgentDialogue> dialogue_;  // null until the server asks something
    ReadSharing::Ticket shared_read_;
    CallTimer timer_{*this};  // for the states without an attempt
    std::variant<Running, Following, Probing, Waiting, AskingAgent, Parked, Done> state_;
};

}  // namespace holdfast::calls
